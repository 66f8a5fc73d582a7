"""Recorded games to step through in a browser: what the page knows of a game, and its parts."""
