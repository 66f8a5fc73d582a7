"""Playing a game: state, turns, legal actions, replay, score, random play."""
