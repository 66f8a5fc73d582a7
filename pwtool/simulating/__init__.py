"""What many random games say of rulesets: games played and added up, what they differ in and whether by chance."""
