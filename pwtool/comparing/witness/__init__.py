"""Games that show a difference between two rulesets: found, made small, judged again."""
