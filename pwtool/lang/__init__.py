"""From text to tree. Lark is only imported when a text really has to be parsed."""
