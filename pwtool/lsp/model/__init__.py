"""What an editor shows of rules files and records, without any protocol: open texts, the rulesets they belong to, and what
is known of each place. Places are offsets in a text.
"""
