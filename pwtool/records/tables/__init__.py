"""Records in tables: packed by the words of their ruleset, or as text, in Parquet and Arrow."""
