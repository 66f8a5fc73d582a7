"""Random games as evidence about rulesets: playing and summing them, and testing differences for significance."""
