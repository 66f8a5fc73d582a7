/* Connect Four at random as a short program in C plays it: a word of bits for each side, a column of seven for each column.
 *
 *     cc -O2 connect_four.c -o connect_four && ./connect_four GAMES
 *
 * Prints the number of games and of discs. It keeps no record, deals nothing and scores nothing. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 7, ROWS = 6, EACH = ROWS + 1 };

static uint64_t state = 88172645463325252u;

static uint32_t below(uint32_t bound) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (uint32_t)(((state >> 32) * bound) >> 32);
}

static int has_four(uint64_t discs) {
  const int steps[] = {1, EACH - 1, EACH, EACH + 1};
  for (int at = 0; at < 4; at++) {
    uint64_t pairs = discs & discs >> steps[at];
    if (pairs & pairs >> 2 * steps[at]) return 1;
  }
  return 0;
}

static int play(void) {
  uint64_t sides[2] = {0, 0};
  int heights[COLUMNS] = {0};
  for (int discs = 0; discs < COLUMNS * ROWS; discs++) {
    int open[COLUMNS], count = 0;
    for (int column = 0; column < COLUMNS; column++)
      if (heights[column] < ROWS) open[count++] = column;
    int column = open[below(count)];
    sides[discs & 1] |= 1ull << (column * EACH + heights[column]++);
    if (has_four(sides[discs & 1])) return discs + 1;
  }
  return COLUMNS * ROWS;
}

int main(int count, char **words) {
  long games = count > 1 ? atol(words[1]) : 1000000, discs = 0;
  for (long game = 0; game < games; game++) discs += play();
  printf("%ld games, %ld discs\n", games, discs);
  return 0;
}
