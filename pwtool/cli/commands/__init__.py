"""The commands. Each parses its options here and does its work in a module that is imported only then."""
