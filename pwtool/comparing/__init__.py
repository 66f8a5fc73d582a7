"""The differences between two rulesets, item by item, with proofs over the finite facts in their conditions."""
