"""How well the examples of a ruleset say what is meant: which parts they reach, which changes they notice."""
