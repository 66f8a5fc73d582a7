"""The language server: rules files and records in an editor, with everything that the checks know about them."""
