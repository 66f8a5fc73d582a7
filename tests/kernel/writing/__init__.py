"""Writing expressions at random."""
