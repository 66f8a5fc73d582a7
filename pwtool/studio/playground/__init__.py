"""The studio without a server: its program in the browser, and what writes it as static files."""
