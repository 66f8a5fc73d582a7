"""Pages that need no other file."""
