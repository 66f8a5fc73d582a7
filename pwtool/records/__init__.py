"""Records and state files: reading, writing, and importing from elsewhere."""
