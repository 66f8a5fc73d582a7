"""The commands. Each parses its options here and does its work in a module that is only imported then."""
