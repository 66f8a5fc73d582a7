"""Games that show a difference between two rulesets: finding, shrinking and judging them again."""
