"""Results for other programs: JSON, SARIF, JUnit, GitHub, Markdown."""
