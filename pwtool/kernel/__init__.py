"""Rules ready to run: the integer form of expressions and what is made from it."""
