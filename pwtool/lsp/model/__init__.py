"""What an editor shows of rules files and records, independent of any protocol: open texts, the rulesets they belong
to, and what is known about each place. Places are offsets in a text.
"""
