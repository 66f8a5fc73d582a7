"""Rules as data for board games: check recorded games and positions against a chosen ruleset."""

__version__ = "0.1.0"
