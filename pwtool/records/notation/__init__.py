"""The text notation of games: grammar, words, reading and writing."""
