"""Syntax errors in words: where the parser got stuck, which slip is likely, what to write instead."""
