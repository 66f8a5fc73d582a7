"""What tells two rulesets apart: item by item, with proofs over the finite facts that conditions speak of."""
