"""A game under way: state, turns, legal actions, replay, score, play at random."""
