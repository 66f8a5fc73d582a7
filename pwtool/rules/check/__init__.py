"""From the tree of a rules file to the checked ruleset: names, types and bounds."""
