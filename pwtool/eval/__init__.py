"""The meaning of expressions: the reference interpreter with unknowns and trace, and closures for known positions."""
