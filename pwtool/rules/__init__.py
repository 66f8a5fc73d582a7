"""From tree to checked ruleset: addresses, overlays, names, types, limits."""
