"""Parse options, call, print, exit."""


def main() -> None:
    raise SystemExit(2)
