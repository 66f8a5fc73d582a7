"""Records and states as files: reading, writing, and importing from elsewhere."""
