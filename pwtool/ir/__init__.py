"""The intermediate representation: checked rulesets as typed data, all names resolved."""
