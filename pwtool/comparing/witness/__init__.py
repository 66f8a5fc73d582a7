"""Games that show a difference between two rulesets: finding them, shrinking them and judging them again."""
