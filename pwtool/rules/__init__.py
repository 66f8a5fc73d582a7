"""Tree to checked ruleset: addresses, overlays, names, types, finiteness."""
