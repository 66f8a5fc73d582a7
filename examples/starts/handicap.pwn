ruleset: go
version: 24509bcc5be61fdf
id: handicap
players: Ana, Ben
handicap: 4

start
  player: Ben
  board:
    - - - - - - - - - /
    - - - - - - - - - /
    - - B - - - B - - /
    - - - - - - - - - /
    - - - - - - - - - /
    - - - - - - - - - /
    - - B - - - B - - /
    - - - - - - - - - /
    - - - - - - - - -
  bowl: Ana B*77; Ben W*81

1. Ben: pl E7
2. Ana: pl E5  3. Ben: pl C5
