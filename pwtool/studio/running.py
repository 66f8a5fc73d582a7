"""Running studios. Two programs on one folder would overwrite each other's drafts, so a second one refers to the first."""

from __future__ import annotations

import http.client
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from pwtool.studio.drafts import sum_of
from pwtool.text.store import write_whole

PATIENCE = 2.0
"""The number of seconds that a studio has to answer."""
_TITLE = b"<title>pwtool studio</title>"
_START = 4096
"""The page of a studio has its title in its first bytes. After a crash, another program may listen on the same port."""


class Running(msgspec.Struct):
    """A running studio: its folder and its address."""

    root: str
    address: str

    def answers(self) -> bool:
        """Whether it still runs, and is the one at its address."""
        place = urlsplit(self.address)
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE)
        try:
            connection.request("GET", f"{place.path}?{place.query}")
            reply = connection.getresponse()
            return reply.status == http.client.OK and _TITLE in reply.read(_START)
        except TimeoutError:
            # It is busy.
            return True
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


class Register:
    """The studios of this user, one file each in a folder that only the user can read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def near(self, root: Path) -> Running | None:
        """The studio for a folder, or for one above or below it."""
        for path in sorted(self.folder.glob("*.json")):
            with suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):
                found = msgspec.json.decode(path.read_bytes(), type=Running)
                shown = Path(found.root)
                if not (root.is_relative_to(shown) or shown.is_relative_to(root)):
                    continue
                if found.answers():
                    return found
                path.unlink(missing_ok=True)
        return None

    def enter(self, root: Path, address: str) -> None:
        """Register a studio. If that cannot be written, nobody will know of it."""
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self._place(address), msgspec.json.encode(Running(str(root), address)))

    def leave(self, address: str) -> None:
        """Remove a studio that has ended."""
        with suppress(OSError):
            self._place(address).unlink(missing_ok=True)

    def _place(self, address: str) -> Path:
        return self.folder / f"{sum_of(address)}.json"
