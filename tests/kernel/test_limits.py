"""Which rulesets kernels refuse: one test for each limit of numbers, at the limit and beyond it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.cli.app import run
from tests.daily import one_day_in

LIMIT = 1 << 28
RULES = """game large "Large"
players 2..2
component coin { side: up "U" | down "D"  worth: by side { up: WORTH down: 0 } }
deck coins of coin = { 4 U  4 D }
zone purse: bag of coin per player
ZONE
var n: 0..9 = 0 per game
VAR
setup { deal purse "p": rest of coins to purse by chance }
turn = go
action go "Go" (PARAMETER) { RULE n = if n < 9 then n + 1 else 0 EFFECT }
ITEM
ending out "Out" when n == 9 then ENDING
score held "Held" = SCORE
ranking most total, shared
"""
PLAIN = {
    "ZONE": "", "VAR": "", "PARAMETER": "", "RULE": "", "EFFECT": "", "ITEM": "", "ENDING": "stop", "SCORE": "sum worth of purse", "WORTH": "1",
}  # fmt: skip
# Where it is written, what is written there, the largest number that is accepted there, and what the refusal names.
CASES = [
    ("VAR", "var big: 0..{} = 0 per game", LIMIT, "`big`"),
    ("VAR", "var big: -{}..0 = 0 per game", LIMIT, "`big`"),
    ("ZONE", "zone slips: pile of 0..{}", LIMIT, "`slips`"),
    ("PARAMETER", "bid: {}..{}", LIMIT, "`bid`"),
    ("RULE", 'rule few "Few" require n < {}', LIMIT, "`{}`"),
    ("RULE", 'rule few "Few" require n + {} > 0', LIMIT - 9, "`n + {}`"),
    ("RULE", 'rule few "Few" require n - {} < 0', LIMIT, "`{}`"),
    ("RULE", 'rule few "Few" require n * {} * 4 > -1', LIMIT // 36, "`n * {} * 4`"),
    (
        "RULE",
        'rule few "Few" require at most {} c in purse: c.side == up',
        LIMIT,
        "`at most {} c in purse: c.side == up`",
    ),
    ("WORTH", "{}", LIMIT // 8, "`sum worth of purse`"),
    ("SCORE", "{}", LIMIT, "`{}`"),
    ("SCORE", '{} score more "More" = 1', LIMIT - 1, "`total`"),
    ("ENDING", "{} more turns each", LIMIT // 2, "the number of further turns"),
]


def compiled(path: Path, capsys: pytest.CaptureFixture[str], **parts: str) -> tuple[int, str]:
    text = RULES
    for name, part in (PLAIN | parts).items():
        text = text.replace(name, part)
    path.write_text(text, "utf-8")
    code = run(["rules", "compile", str(path), "-o", str(path.with_suffix(".wasm")), "--force"])
    return code, " ".join(capsys.readouterr().err.split())


@one_day_in(8)
@pytest.mark.parametrize(("place", "text", "most", "named"), CASES, ids=lambda x: str(x)[:40])
def test_a_kernel_is_refused_where_a_number_may_be_too_large(
    place: str, text: str, most: int, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "large.rules"
    code, told = compiled(path, capsys, **{place: text.replace("{}", str(most))})
    assert code == 0, told
    path.with_suffix(".wasm").unlink()
    code, told = compiled(path, capsys, **{place: text.replace("{}", str(most + 1))})
    assert code == 2 and f"cannot be compiled: {named.replace('{}', str(most + 1))}" in told, told
    assert not path.with_suffix(".wasm").exists()


def test_looking_ahead_a_variable_may_go_farther(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sixteen times as far as it is declared; a kernel gives up a game only beyond."""
    ahead = 'rule neat "Neat" require after this: big >= 0'
    path = tmp_path / "large.rules"
    for high, code in ((LIMIT // 16, 0), (LIMIT // 16 + 1, 2), (LIMIT, 2)):
        told = compiled(path, capsys, VAR=f"var big: 0..{high} = 0 per game", RULE=ahead, EFFECT="big = n")
        assert told[0] == code and (code == 0 or "cannot be compiled: a variable may be as large as" in told[1]), told
        assert compiled(path, capsys, VAR=f"var big: 0..{high} = 0 per game", EFFECT="big = n")[0] == 0
