"""Writes the playground: the studio as static files, whose program runs under Pyodide in the browser.

Pyodide comes from npm and the one compiled package from the package index, in the versions named here; everything else is
what is installed. Nothing of it is in the distribution of pwtool.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path

from pwtool.show.html.pages import script_hashes
from pwtool.studio.page_language import speak_all
from pwtool.text.data import data_folder
from pwtool.text.speech import Told

STATIC = Path(__file__).parent.parent / "static"
PYODIDE = "314.0.7"
WHEEL = "msgspec-0.22.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl"
WHEEL_SUM = "a66b1766311e42371e509c996c3933b161c7ae0eabdf361af5316dec197e1022"
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
LIBRARY = "python_stdlib.zip"
LICENCES = "program.licences.txt"
OFFLINE = "offline.js"
FILLED = ("worker.js", OFFLINE)
"""Scripts that name the version of the playground."""
MARK = "program.pack"
"""A folder with this file is a playground."""
PACKED = ("library.pack", "program.pack")
PAGE = ("studio.css", "studio.js", "studio.licences.txt", "playground/worker.js", "playground/offline.js")
PURE = ("attrs", "cattrs", "jinja2", "lark", "lsprotocol", "markupsafe", "pygls", "typing-extensions")
"""The installed packages that the program needs, all of which are Python alone (or can do without what is compiled)."""
UNUSED_OF_PACKAGES = (
    "cattr/", "cattrs/preconf/", "jinja2/ext.py", "jinja2/meta.py", "jinja2/nativetypes.py", "jinja2/sandbox.py", "lark/ast_utils.py",
    "lark/indenter.py", "lark/reconstruct.py", "lark/tools/", "lark/tree_matcher.py", "lark/tree_templates.py", "pygls/cli.py",
    "pygls/client.py", "pygls/lsp/_base_client.py", "pygls/lsp/client.py",
)  # fmt: skip
"""What of them it never imports."""
DATA = ("grammar", "rulesets", "docs/errors")
APART = (
    "__main__.py",
    *(
        f"checking/{name}.py"
        for name in ("accepted", "baseline", "cluster", "overview", "packing", "results", "workers")
    ),
    "cli",
    "lexing.py",
    "pytest_plugin.py",
    "rules/show.py",
    *(f"show/html/{name}.py" for name in ("charted", "checked", "reporting", "sheet", "simulating")),
    *(f"show/machine/{name}.py" for name in ("comparing", "github", "junit", "sarif")),
    *(f"show/svg/{name}.py" for name in ("charts", "png")),
    *(f"show/text/{name}.py" for name in ("simulations", "statistics")),
    "studio/app.py",
    "studio/pages.py",
    "studio/running.py",
    "studio/static",
    "studio/playground/export.py",
    "studio/playground/packing.py",
)
"""What of pwtool the browser has no use for."""
UNUSED = frozenset((
    "_pydatetime", "_pydecimal", "_pyio", "_pyrepl", "asyncio/proactor_events", "asyncio/tools", "asyncio/windows_events", "bdb", "cProfile", "cmd",
    "code", "compileall", "configparser", "ctypes", "doctest", "ensurepip", "ftplib", "http/cookiejar", "http/server", "imaplib", "logging/config",
    "logging/handlers", "mailbox", "modulefinder", "multiprocessing", "optparse", "pdb", "pickletools", "plistlib", "poplib", "profile", "pstats",
    "pyclbr", "pydoc", "pydoc_data", "smtplib", "socketserver", "sqlite3", "symtable", "tabnanny", "timeit", "tkinter", "tomllib", "trace",
    "tracemalloc", "turtle", "unittest", "venv", "wave", "webbrowser", "wsgiref", "xml", "xmlrpc", "zipapp",
))  # fmt: skip
"""What of the standard library it has no use for either."""
ENCODINGS = (
    "__init__", "aliases", "ascii", "cp1252", "cp437", "idna", "iso8859_1", "latin_1", "raw_unicode_escape", "unicode_escape", "utf_16",
    "utf_16_be", "utf_16_le", "utf_32", "utf_32_be", "utf_32_le", "utf_8", "utf_8_sig",
)  # fmt: skip
"""The encodings that are left: the page hands over text, and archives name their files in one of these."""
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' %s; worker-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; frame-src blob:; base-uri 'none'; form-action 'none'"
)
"""The policy of the playground, to be completed by the scripts of the pages in its frames, which are held to it too."""


class Missing(Exception):
    """The playground cannot be written: what is missing or in the way, and what to do."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.message, self.help = message, help


def write_playground(target: Path, pyodide: Path) -> int:
    """Write the playground into a folder; returns the number of bytes. `pyodide` has the package of npm and, beside its files, the
    wheel. Raises `Missing`, and `OSError`.
    """
    _look_for(pyodide)
    if target.is_dir() and any(target.iterdir()) and not (target / MARK).is_file():
        raise Missing(
            Told("`{folder}` holds something else", folder=str(target)),
            Told("name a new folder, or one with a playground to replace"),
        )
    node = shutil.which("node")
    if node is None:
        raise Missing(
            Told("the playground is made with Node, which is not installed"),
            Told("install it: {address}", address="https://nodejs.org"),
        )
    target.mkdir(parents=True, exist_ok=True)
    (target / "pyodide").mkdir(exist_ok=True)
    for name in RUNTIME:
        shutil.copyfile(pyodide / name, target / "pyodide" / name)
    with tempfile.TemporaryDirectory() as made:
        folders = [Path(made, "library"), Path(made, "program")]
        _unpack_library(folders[0], pyodide / LIBRARY)
        _gather(folders[1], pyodide / WHEEL)
        script, compiler = STATIC / "playground" / "pack.mjs", Path(__file__).with_name("packing.py")
        command = [node, script, pyodide.resolve(), compiler, *folders]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode:
            raise Missing(Told("the program could not be prepared for the browser"), done.stderr.strip()[-2000:])
        for folder, name in zip(folders, PACKED, strict=True):
            (target / name).write_bytes(_packed(folder))
    for name in PAGE:
        shutil.copyfile(STATIC / name, target / Path(name).name)
    (target / "index.html").write_bytes(_page())
    (target / LICENCES).write_text(_licences(pyodide / WHEEL), "utf-8")
    return _sign(target)


def _look_for(pyodide: Path) -> None:
    try:
        found = json.loads((pyodide / "package.json").read_text("utf-8")).get("version")
    except (OSError, ValueError):
        found = None
    if found != PYODIDE:
        raise Missing(
            Told("there is no Pyodide {version} in `{folder}`", version=PYODIDE, folder=str(pyodide)),
            Told(
                "get it with {command}, and name its folder with --pyodide", command=f"`npm install pyodide@{PYODIDE}`"
            ),
        )
    wheel = pyodide / WHEEL
    if not wheel.is_file() or hashlib.sha256(wheel.read_bytes()).hexdigest() != WHEEL_SUM:
        raise Missing(
            Told("`{folder}` lacks `{file}`", folder=str(pyodide), file=WHEEL),
            Told("get it with {command}", command=f"`{fetching(pyodide)}`"),
        )


def fetching(folder: Path) -> str:
    """The command that puts the wheel beside Pyodide."""
    name, version, python, abi, platform = WHEEL.removesuffix(".whl").split("-")
    return (
        f"python -m pip download --no-deps --only-binary :all: --python-version {python[2]}.{python[3:]} --implementation {python[:2]} --abi {abi} "
        f"--platform {platform} --dest {folder} {name}=={version}"
    )


def _gather(tree: Path, wheel: Path) -> None:
    """Put the program and all that it imports into a folder."""
    package = STATIC.parent.parent
    apart = {package / name for name in APART}

    def left_out(folder: str, names: list[str]) -> list[str]:
        return [n for n in names if n == "__pycache__" or n.endswith((".po", ".pot")) or Path(folder, n) in apart]

    shutil.copytree(package, tree / "pwtool", ignore=left_out)
    for name in DATA:
        shutil.copytree(
            data_folder(name.partition("/")[0]) / name.partition("/")[2],
            tree / "pwtool" / "_data" / name,
            dirs_exist_ok=True,
        )
    for source, name in _pure():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, tree / name)
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tree)


def _pure() -> Iterator[tuple[Path, str]]:
    """The files of installed packages."""
    for package in PURE:
        for file in distribution(package).files or ():
            if (
                file.suffix in (".py", ".lark")
                and ".." not in file.parts
                and not file.as_posix().startswith(UNUSED_OF_PACKAGES)
            ):
                yield Path(str(file.locate())), file.as_posix()


def _licences(wheel: Path) -> str:
    """What the licences of the packages ask for: their texts, and where the source of Pyodide is."""
    texts = [
        f"Pyodide {PYODIDE} (MPL-2.0), with CPython (PSF-2.0) and its libraries\n\n"
        f"Their sources and licences: https://github.com/pyodide/pyodide/tree/{PYODIDE}\n"
    ]
    for package in PURE:
        found = distribution(package)
        files = [file for file in found.files or () if file.name.startswith(("LICENSE", "LICENCE", "COPYING"))]
        texts.append("\n\n".join([f"{package} {found.version}", *(file.read_text("utf-8").strip() for file in files)]))
    with zipfile.ZipFile(wheel) as opened:
        name = next(name for name in opened.namelist() if name.endswith("/LICENSE"))
        texts.append(f"{' '.join(wheel.name.split('-')[:2])}\n\n{opened.read(name).decode().strip()}")
    line = f"\n\n{'-' * 72}\n\n"
    return f"The program of the playground contains these packages.{line}{line.join(texts)}\n"


def _unpack_library(folder: Path, packed: Path) -> None:
    with zipfile.ZipFile(packed) as opened:
        opened.extractall(folder, [name for name in opened.namelist() if _is_used(name)])


def _is_used(name: str) -> bool:
    """Whether a file of the standard library is needed."""
    package, _, module = name.partition("/")
    if package == "encodings":
        return module.removesuffix(".py") in ENCODINGS
    return UNUSED.isdisjoint((package.removesuffix(".py"), name.removesuffix(".py")))


def _packed(folder: Path) -> bytes:
    """A compressed archive of files that are not, which is smaller than one of compressed files. The same files give the same bytes."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path in sorted(
            (path for path in folder.rglob("*") if path.is_file()), key=lambda path: (path.suffix, path)
        ):
            archive.writestr(zipfile.ZipInfo(path.relative_to(folder).as_posix()), path.read_bytes())
    return gzip.compress(made.getvalue(), 9, mtime=0)


def _page() -> bytes:
    page = speak_all(STATIC / "index.html")
    page = page.replace(
        b'<meta charset="utf-8">',
        b'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="%b">'
        % (POLICY % script_hashes()).encode(),
    )
    page = page.replace(b'"/static/studio.css"', b'"studio.css"')
    return page.replace(b'src="/static/studio.js"', b'src="studio.js" data-worker="worker.js"')


def _sign(target: Path) -> int:
    """Tell the service worker which files there are, and a version that changes with them; returns their size."""
    page = [Path(name).name for name in PAGE if not name.endswith(OFFLINE)]
    names = ["index.html", LICENCES, *page, *PACKED, *(f"pyodide/{name}" for name in RUNTIME)]
    sum_, size = hashlib.sha256(), 0
    for name in names:
        data = (target / name).read_bytes()
        sum_.update(name.encode() + hashlib.sha256(data).digest())
        size += len(data)
    filled = {"{version}": sum_.hexdigest()[:16], "{files}": " ".join(["./", *names])}
    for name in FILLED:
        text = (target / name).read_text("utf-8")
        for gap, value in filled.items():
            text = text.replace(gap, value)
        (target / name).write_text(text, "utf-8")
    return size + (target / OFFLINE).stat().st_size
