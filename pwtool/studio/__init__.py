"""The studio: rules written and tried in a browser, based on the language server's model."""
