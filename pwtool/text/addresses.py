"""URLs of files elsewhere, as `fsspec` supports them: `https://`, `s3://`, `memory://`, one inside another
(`zip://a.json::https://…`).

Nothing is requested before a URL is opened or listed; whatever goes wrong then is a finding.
"""

from __future__ import annotations

import errno
import io
import os
import re
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct

from pwtool.text.diagnostic import Diagnostic
from pwtool.text.files import MISSING, is_folder, open_regular
from pwtool.text.regex import regex
from pwtool.text.speech import Told
from pwtool.text.suggest import did_you_mean
from pwtool.text.words import MAX_QUOTED, one_line, shorten

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_ADDRESS = regex(r"(?:[a-z][a-z0-9+.-]*::)*[a-z][a-z0-9+.-]+://", re.I)
_LOCAL = regex(r"(?:file|local)://(/*)(.*)", re.I | re.DOTALL)
_DRIVE = regex(r"[A-Za-z]:[/\\]")
_WEB = ("http", "https")
_SILENCE = 60
"""Seconds that a web server may stay silent."""
_BUFFER = 1 << 20


class _Parts(Struct, frozen=True):
    """The parts of a URL: `https://host/` + `a.json?x=1`, `zip://` + `a.json` + `::https://host/b.zip`."""

    head: str
    path: str
    behind: str

    @property
    def is_web(self) -> bool:
        return self.head.rpartition("::")[2].lower()[:-3] in _WEB


class Listing(Struct, frozen=True):
    """The files for the URL of a folder, or a URL with a pattern."""

    addresses: list[str]
    is_folder: bool


def is_address(name: str) -> bool:
    """Whether a name is the URL of something elsewhere, not of a file on this machine."""
    return "://" in name and _ADDRESS.match(name) is not None and _LOCAL.match(name) is None


def local_path(name: str) -> str:
    """The path for the URL of a file on this machine; any other name is returned unchanged."""
    found = _LOCAL.match(name) if "://" in name else None
    if found is None:
        return name
    return found[2] if _DRIVE.match(found[2]) and os.name == "nt" else found[1] + found[2]


def path_of(name: str) -> str:
    """The part of a name whose suffix tells the kind of file: `g.jsonl` of `https://host/g.jsonl?x=1`."""
    if not is_address(name):
        return name
    parts = _taken_apart(name)
    return re.split(r"[?#]", parts.path, maxsplit=1)[0] if parts.is_web else parts.path


def path_begins(name: str) -> int:
    """Where the path begins in a name: after the host of a web address."""
    if not is_address(name):
        return 0
    parts = _taken_apart(name)
    return len(parts.head) + (parts.path.find("/") + 1 if parts.is_web else 0)


def _taken_apart(address: str) -> _Parts:
    """The part that counts is the first one with a path; the ones before it say how it is stored."""
    links = address.split("::")
    at = next(number for number, link in enumerate(links) if "://" in link)
    protocol, _, path = links[at].partition("://")
    head = "".join(f"{link}::" for link in links[:at]) + f"{protocol}://"
    return _Parts(head, path, "".join(f"::{link}" for link in links[at + 1 :]))


def open_input(name: str, seeks: bool = False) -> BinaryIO | Diagnostic:
    """Open a file or a URL, or return why that is impossible. `seeks`: random access is needed, if possible; a stream
    that cannot seek says so.
    """
    if not is_address(name):
        return open_regular(Path(name))
    found = _reach(name)
    if isinstance(found, Diagnostic):
        return found
    system, path = found
    is_web = _taken_apart(name).is_web
    try:
        if seeks:
            stream = _with_places(system, path)
            if stream is not None:
                return stream
        # A web server need not know how to begin in the middle: it is asked for all, once.
        options: dict[str, Any] = {"block_size": 0} if is_web else {}
        return io.BufferedReader(_Elsewhere(system, system.open(path, "rb", **options), seeks and not is_web), _BUFFER)
    except Exception as error:
        return _problem(name, error)


def _with_places(system: AbstractFileSystem, path: str) -> BinaryIO | None:
    """A stream with random access, or None if there is none."""
    source = system.open(path, "rb")
    try:
        if source.seekable() and source.seek(0, io.SEEK_END) > 0:
            source.seek(-1, io.SEEK_END)
            source.read(1)
        source.seek(0)
    except Exception:
        source.close()
        return None
    return io.BufferedReader(_Elsewhere(system, source, True), _BUFFER)


def is_there(name: str) -> bool:
    """Whether there is a file of this name, or something at this URL."""
    if not is_address(name):
        try:
            return Path(name).exists()
        except (OSError, ValueError):
            return False
    found = _reach(name)
    if isinstance(found, Diagnostic):
        return False
    try:
        return bool(found[0].exists(found[1]))
    except Exception:
        return False


def listed(address: str) -> Listing | Diagnostic | None:
    """The URLs in a folder, or matching a pattern (`*`, `?`, `[…]`; `**` across folders), in order; None for the URL
    of a file. A folder on the web contains what its page links to, and its URL has to end with a slash.
    """
    parts = _taken_apart(address)
    signs = r"[*\[]" if parts.is_web else r"[*?\[]"
    sign = re.search(signs, parts.path)
    if sign is None and parts.is_web and not parts.path.endswith("/"):
        return None
    found = _reach(address)
    if isinstance(found, Diagnostic):
        return found
    system, path = found
    try:
        if sign is not None:
            known = system.glob(path, detail=True)
            names = [name for name, about in known.items() if about["type"] == "file"]
            return Listing(_named(parts, parts.path[: sign.start()], names, system), False) if names else None
        if parts.is_web:
            names = [about["name"] for about in system.ls(path, detail=True) if about["type"] == "file"]
        elif system.isdir(path):
            names = system.find(path)
        else:
            return None
    except Exception as error:
        return _problem(address, error)
    folder = parts.path.rstrip("/")
    return Listing(_named(parts, f"{folder}/" if folder else "", names, system), True)


def _named(parts: _Parts, begin: str, names: list[str], system: AbstractFileSystem) -> list[str]:
    """URLs of files that a file system names in its own way, written like the URL that found them; all are below the
    folder in which `begin` ends.
    """
    shown = begin[: begin.rfind("/") + 1]
    root = str(system._strip_protocol(f"{parts.head.rpartition('::')[2]}{shown}")).rstrip("/")
    found = []
    for name in sorted(names):
        if name.startswith(root):
            found.append(f"{parts.head}{shown}{name[len(root) :].lstrip('/')}{parts.behind}")
        else:
            found.append(f"{system.unstrip_protocol(name)}{parts.behind}")
    return found


def _reach(address: str) -> tuple[AbstractFileSystem, str] | Diagnostic:
    """The file system for a URL, and the name of the file in it."""
    from importlib.util import find_spec

    if find_spec("fsspec") is None:
        help_line = Told("install it with the extra: {command}", command="`pip install pwtool[remote]`")
        return Diagnostic("PW703", Told("reading addresses needs the package `fsspec`"), file=address, help=help_line)
    import fsspec
    from fsspec.core import split_protocol, url_to_fs

    known = fsspec.available_protocols()
    options: dict[str, Any] = {}
    for link in address.split("::"):
        protocol = split_protocol(link)[0]
        if (protocol is None and link not in known) or _LOCAL.match(link):
            # What lies in a pipe or a device might never end, here as anywhere.
            opened = open_regular(Path(local_path(link)))
            if isinstance(opened, Diagnostic):
                if not is_folder(Path(local_path(link))):
                    return Diagnostic(
                        opened.code, Told("{head}: {text}", head=f"`{link}`", text=opened.message), file=address
                    )
            else:
                opened.close()
        elif protocol is not None and protocol not in known:
            message = Told("the protocol `{name}` is not known", name=shorten(protocol, MAX_QUOTED))
            return Diagnostic("PW703", message, file=address, help=did_you_mean(protocol, known))
        elif protocol in _WEB:
            options[protocol] = _web_options()
    try:
        system, path = url_to_fs(address, **options)
    except Exception as error:
        return _problem(address, error)
    return system, path


def _web_options() -> dict[str, Any]:
    """Settings for web servers: compressed files are not decoded, and there is no limit on the total time."""
    try:
        from aiohttp import ClientTimeout
    except ImportError:
        return {}
    timeout = ClientTimeout(total=None, sock_connect=_SILENCE, sock_read=_SILENCE)
    return {
        "headers": {"Accept-Encoding": "identity"},
        "client_kwargs": {"timeout": timeout, "auto_decompress": False},
    }


class _Elsewhere(io.RawIOBase):
    """The bytes at a URL. Packages raise all kinds of exceptions; here they become an `OSError`."""

    def __init__(self, system: AbstractFileSystem, source: IO[bytes], seeks: bool) -> None:
        # What nobody holds any more closes what it has opened.
        self._system = system
        self._source, self._seeks = source, seeks
        self._size, self._at = getattr(source, "size", None), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._seeks

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        try:
            data = self._source.read(len(view))
        except Exception as error:
            raise OSError(errno.EIO, _reason(error)) from error
        if not data and isinstance(self._size, int) and self._at < self._size:
            raise OSError(errno.EIO, f"it breaks off after {self._at:,} of {self._size:,} bytes")
        self._at += len(data)
        view[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        if not self._seeks:
            raise io.UnsupportedOperation("seek")
        try:
            self._at = self._source.seek(offset, whence)
        except Exception as error:
            raise OSError(errno.EIO, _reason(error)) from error
        return self._at

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._source.close()


def _problem(address: str, error: Exception) -> Diagnostic:
    cause = error.__cause__
    absent = (FileNotFoundError, KeyError)
    if isinstance(error, absent):
        # So the web's own package says it, whatever the server has answered.
        refused = isinstance(cause, Exception) and not isinstance(cause, absent)
        if not refused or getattr(cause, "status", None) in (404, 410):
            return Diagnostic("PW703", MISSING, file=address)
    if isinstance(error, IsADirectoryError):
        return Diagnostic("PW703", Told("this is a folder, not a file"), file=address)
    if isinstance(error, PermissionError):
        return Diagnostic("PW703", Told("the file may not be read"), file=address)
    if isinstance(error, ImportError):
        message = Told("a package that reads this address is missing")
        return Diagnostic("PW703", message, file=address, help=shorten(one_line(str(error)), 2 * MAX_QUOTED))
    told = _reason(cause if isinstance(error, absent) and isinstance(cause, Exception) else error)
    return Diagnostic("PW703", Told("cannot be read: {reason}", reason=told), file=address)


def _reason(error: Exception) -> str:
    """The text of an error, as a part of a sentence."""
    said = one_line(str(error)) or type(error).__name__
    return shorten(said[:1].lower() + said[1:] if said[1:2].islower() else said, 2 * MAX_QUOTED)
