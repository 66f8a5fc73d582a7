"""Whether two rulesets are the same game, by induction over the steps of play (needs the extra `proofs`)."""
