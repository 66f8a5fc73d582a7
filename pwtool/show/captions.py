"""The few words that pictures and the printable page say themselves, in the languages of the rules' texts."""

from __future__ import annotations

_LANGUAGES = ("en", "fr", "de")
_WORDS = {
    "and": ("and", "et", "und"),
    "or": ("or", "ou", "oder"),
    "not": ("not", "pas", "nicht"),
    "every": ("every", "chaque", "jede"),
    "on": ("on", "sur", "auf"),
    "sum": ("sum", "somme", "Summe"),
    "turned": ("may be turned", "peut être tourné", "darf gedreht sein"),
    "mirrored": ("may be mirrored", "peut être retourné en miroir", "darf gespiegelt sein"),
    "a_card": ("any card", "une carte quelconque", "irgendeine Karte"),
    "any_cell": ("any card or none", "une carte ou aucune", "eine Karte oder keine"),
    "must_be_empty": ("must be empty", "doit être vide", "muss leer sein"),
    "same_sign": (
        "the same sign or texture: equal, whichever it is",
        "même signe ou même texture : identiques, quels qu'ils soient",
        "gleiches Zeichen oder Muster: gleich, egal was",
    ),
    "other_sign": (
        "different signs or textures: all different",
        "des signes ou textures différents : tous différents",
        "verschiedene Zeichen oder Muster: alle verschieden",
    ),
    "turn": ("turn", "tour", "Zug"),
    "round": ("round", "manche", "Runde"),
    "after_turn": ("after turn {}", "après le tour {}", "nach Zug {}"),
    "after_round": ("after round {}", "après la manche {}", "nach Runde {}"),
    "next": ("next: {}", "ensuite : {}", "dann: {}"),
    "over": ("the game is over", "la partie est finie", "das Spiel ist zu Ende"),
    "seen": ("as {} sees it", "vu par {}", "wie {} es sieht"),
    "objectives": ("Objectives", "Objectifs", "Ziele"),
    "shapes": ("Shapes", "Formes", "Formen"),
    "scoring": ("Score", "Décompte", "Wertung"),
    "legend": ("How to read the pictures", "Comment lire les dessins", "So liest man die Bilder"),
    "sources": ("Sources", "Sources", "Quellen"),
    "none": (
        "This ruleset has no objectives.",
        "Cette règle n'a pas d'objectifs.",
        "Dieses Regelwerk hat keine Ziele.",
    ),
    "players": ("{} to {} players", "{} à {} joueurs", "{} bis {} Personen"),
    "same_players": ("{} players", "{} joueurs", "{} Personen"),
    "version": ("version", "version", "Version"),
    "tokens": ("tokens", "jetons", "Plättchen"),
    "written": ("Written in", "Écrit dans", "Steht in"),
    "changed": ("changed by {}", "changé par {}", "geändert durch {}"),
    "added": ("added by {}", "ajouté par {}", "hinzugefügt durch {}"),
    "readings": ("Read otherwise", "Autre lecture", "Anders gelesen"),
}


def caption(key: str, language: str, *values: object) -> str:
    """A word or short sentence in a language, English where there is none; `values` fill its gaps."""
    text = _WORDS[key][_LANGUAGES.index(language) if language in _LANGUAGES else 0]
    return text.format(*values) if values else text
