"""The formatter of rules files: one style; comments and meaning are kept."""
