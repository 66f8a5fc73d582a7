ruleset: paper_world/gamepark
version: 3d898d4c37f3a9c2
id: club-2026-17
players: Ana, Ben
recorded: claim
place: Lyon
date: 2026-02-14
table: 3

{Ben's first game in a year; both knew the objectives by heart.}

setup
  goals: l_of_2s two_5s diagonal_2_3_4
  start: Ana K1; Ben B1
  supply:
    1 G1 BS1 G2 Y5 KS2 BS3 GS4 G5 G1 K1 B3 K1;
    2 B2 Y2 G4 Y1 B1 Y2 B5 Y4 KS3 G1 B4;
    3 KS1 K5 K2 G2 K1 BS2 GS2 G3 K3 Y3 B4;
    4 K4 B1 GS1 YS3 B3 KS4 G3 YS2 B1 G2 Y1;
    5 YS4 K3 GS3 Y3 BS4 Y3 Y1 B2 K2 K1 YS1

1. Ana: ta 4 B4@2+B4@3
2. Ben: ta 1 K1@1+G1@2+Y1@4+YS1@5!? {four cards at once, and Ana lacks a 4 to
    answer}
3. Ana: ta K KS3@2+K1@5
4. Ben: p YS1 0,-1; p K1 1,0; p G1 -1,0; p Y1 0,-2 {all four of the 1s go down}
5. Ana: ta 3 B3@1+Y3@3  6. Ben: ta 2 G2@4+K2@5
7. Ana: p K1 -1,0  8. Ben: ta B B1@4+B2@5
9. Ana: ta Y Y4@2+YS2@4+Y1@5  10. Ben: p B2 0,0; p B1 1,-1
11. Ana: p Y1 0,1; p YS2 0,1; p Y3 0,1; p Y4 0,1  12. Ben: ta 3 K3@3+G3@4+Y3@5
13. Ana: ta B B5@2+BS4@5  14. Ben: ta Y Y2@2+Y3@5
15. Ana: ta G G3@3+GS3@5  16. Ben: p K2 1,0; p Y2 0,-1; p G2 -1,0; c l_of_2s 2!
17. Ana: ta K K1@1+KS4@4+K3@5; tr B5? {the 5 is missed at the end}; tr BS4
18. Ben: p K3 1,0; p Y3 0,-1; p G3 -1,0
19. Ana: p K1 0,2  20. Ben: ta Y YS4@5
21. Ana: ta 1 G1@1+B1@2; tr KS4  22. Ben: ta G G5@1+GS2@3
23. Ana: p G1 -2,0; p B1 -1,2  24. Ben: ta B BS2@3+B3@4
25. Ana: ta Y Y1@2+YS3@4  26. Ben: p B3 0,0; p BS2 1,-1; g 1,-1
27. Ana: p Y1 -2,2  28. Ben: ta G GS4@1+G4@2+GS1@4
29. Ana: ta 1 K1@3+B1@4; tr B4  30. Ben: ta B BS3@1
31. Ana: p B1 -2,1; p K1 -1,1
32. Ben: p GS1 -1,-1; g -1,-1; p G4 -1,0; p G5 -1,0
33. Ana: ta 2 KS2@1+Y2@2+G2@3; tr B4  34. Ben: p YS4 0,-1; g 0,-1
35. Ana: p KS2 -1,0; g -1,0; p G2 -2,0; p Y2 -2,2  36. Ben: ta K K2@3+K4@4
37. Ana: ta 5 Y5@1+K5@3  38. Ben: p BS3 1,-1
39. Ana: p Y5 0,1; p YS3 -2,2
40. Ben: ta 2 G2@1+B2@2 {two piles are left: everyone has one more turn}
41. Ana: p GS3 -2,0; g -2,0; p KS3 -1,0  42. Ben: p GS2 -1,-1; g -1,-1

result
  scores: Ana 7; Ben 13
  parts:
    Ana stars 11 objectives 0 token 0 hand -4 discard 0;
    Ben stars 15 objectives 2 token 2 hand -6 discard 0
  ranking: Ben > Ana
  end: exhausted 40
