"""What differs between two rulesets: item by item, with proofs over the finite facts that conditions speak of."""
