"""Suggestions for unknown names."""

from __future__ import annotations

from collections.abc import Iterable

from pwtool.text.fixes import Fix
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import MAX_QUOTED, quoted

_SURE_LENGTH = 4
_FEW = 5
_COMPARED = 10_000


def closest(name: str, known: Iterable[str]) -> str | None:
    """The most similar known name, or None. The name itself is no help."""
    if len(name) > MAX_QUOTED:
        return None
    names = sorted(set(known) - {name})
    folded = [n for n in names if n.casefold() == name.casefold()]
    if folded:
        return folded[0]
    if len(names) * len(name) > _COMPARED:
        # Among very many names a misspelt one is looked for where it begins alike.
        names = [n for n in names if n[:1] == name[:1]][: _COMPARED // len(name)]
    if not names:
        return None
    from difflib import get_close_matches

    close = get_close_matches(name, names, n=1, cutoff=0.6)
    return close[0] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A help line with the closest known name, or the known names if they are few; None if neither helps."""
    names = sorted(set(known) - {name})
    close = closest(name, names)
    if close:
        return Told("did you mean {name}?", name=f"`{close}`")
    if 0 < len(names) <= 8:
        return Told("known here: {names}", names=quoted(names))
    return None


def codes_like(code: str, codes: Iterable[str]) -> str | None:
    """A help line with the codes that differ from this one in one character or begin like it, or all codes if they are
    few.
    """
    if code in ("#", "_"):
        return Told("an empty place is `.`, the others have codes")
    known = list(dict.fromkeys(codes))
    folded = [c for c in known if c.casefold() == code.casefold()]
    if folded:
        return Told("did you mean {name}?", name=f"`{folded[0]}`")
    alike = [c for c in known if len(c) == len(code) and sum(a != b for a, b in zip(c, code, strict=True)) == 1]
    alike = alike or [c for c in known if sorted(c) == sorted(code)]
    first = [c for c in alike if c[:1] == code[:1]] or alike
    if 0 < len(first) <= 8:
        return (
            Told("did you mean {name}?", name=quoted(first))
            if len(first) == 1
            else Told("similar: {names}", names=quoted(first))
        )
    longer = [c for c in known if c.casefold().startswith(code.casefold())]
    if longer:
        more = ", ..." if len(longer) > _FEW else ""
        return Told("these begin like it: {names}", names=quoted(longer[:_FEW]) + more)
    return did_you_mean(code, known) or (
        Told("codes are such as `{first}` and `{last}`", first=known[0], last=known[-1]) if known else None
    )


def name_fix(span: Span, known: Iterable[str]) -> Fix | None:
    """The fix that writes the closest known name; safe if only one name is one typo away."""
    name, names = span.text, sorted(set(known))
    close = closest(name, names)
    if close is None:
        return None
    near = [n for n in names if is_slip(name, n)]
    return Fix(span, close, safe=near == [close])


def is_slip(written: str, meant: str) -> bool:
    """Whether the names differ by one letter too many, too few, wrong or swapped, or only in case. Digits count: the
    card `R4` is not a typo for `R3`.
    """
    a, b = written.casefold(), meant.casefold()
    if a == b:
        return True
    if min(len(a), len(b)) < _SURE_LENGTH or abs(len(a) - len(b)) > 1:
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest_a, rest_b = a[start:], b[start:]
    slips = [rest_a[1:] == rest_b, rest_a == rest_b[1:], rest_a[1:] == rest_b[1:]]
    slips.append(rest_a[:2] == rest_b[:2][::-1] and rest_a[2:] == rest_b[2:])
    touched = rest_a[:2] + rest_b[:2] if not (slips[0] or slips[1]) else (rest_a if slips[0] else rest_b)[:1]
    return any(slips) and not any(c.isdigit() for c in touched)
