"""Random games as evidence about rulesets: playing them, summing the measures, testing differences for significance."""
