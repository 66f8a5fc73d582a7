"""The studio: rules written and tried in a browser, on the language server's own model."""
