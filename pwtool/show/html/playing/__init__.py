"""Recorded games to step through in a browser: what the page contains, and its parts."""
