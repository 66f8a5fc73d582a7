"""Text to tree. Lark is imported only when a text really has to be parsed."""
