ruleset: pierre_papier_morpion
version: 1c1624a8546b8dcb
id: seed-3
players: Ana, Leo

setup
  downturned: G R C / T R T / P R R
  upturned: G T P / P G T / G C R
  spares: G C P T

1. d R/S; Ana: p; Leo: face_u; Ana: face_d G
2. d R/R; d S/P; Ana: p; Leo: face_d R; Ana: face_u
3. d R/P; Leo: face_u; Ana: p; Leo: face_d C
4. d S/R; Leo: p; Ana: face_d T; Leo: face_u
5. d P/P; d P/S; Leo: p; Ana: face_u; Leo: face_d R
6. d S/P; Ana: p; Leo: face_u; Ana: face_d T
7. d R/R; d S/R; Leo: face_d P; Ana: face_u; Leo: p
8. d S/S; d R/R; d R/R; d R/P; Leo: p; Ana: face_u; Leo: face_d R
9. d R/R; d P/S; Leo: face_d R; Ana: p; Leo: face_u

result
  scores: Ana 16; Leo 16
  parts:
    Ana gang_lines 6 glue 5 tape 5 ruler 0 plus_two 0;
    Leo gang_lines 0 glue 1 tape 1 ruler 8 plus_two 6
  ranking: Ana > Leo
  end: nine_rounds 9
