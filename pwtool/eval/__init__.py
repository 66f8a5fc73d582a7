"""The meaning of expressions: the reference interpreter with unknowns and trace."""
