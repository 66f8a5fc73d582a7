"""Records in tables: packed with the words of their ruleset, or as text, in Parquet and Arrow."""
