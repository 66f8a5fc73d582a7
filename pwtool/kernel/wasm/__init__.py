"""One WebAssembly module for a ruleset: reads records, judges them, lists legal actions, plays random games."""
