"""Links that open a whole rules file of a page in the playground, which stands beside the pages if `make site` built it."""

from __future__ import annotations

import base64
import re
import zlib
from html import escape
from urllib.parse import urlencode

from docutils import nodes
from sphinx.transforms import SphinxTransform

FOLDER = "playground"
_WHOLE = re.compile(r"(?:\s*#[^\n]*\n|\s)*(?:game|edition|variant)\s+(\w+)")


class PlaygroundLinks(SphinxTransform):
    """A link below each block that is a whole rules file."""

    default_priority = 700

    def apply(self, **kwargs: object) -> None:
        """Add the links of a page."""
        if not self.config.pwtool_playground:
            return
        for block in list(self.document.findall(nodes.literal_block)):
            text = block.astext()
            found = _WHOLE.match(text) if block.get("language") == "rules" else None
            if found is not None:
                up = "../" * self.env.docname.count("/")
                link = f'<a href="{up}{FOLDER}/{escape(held(found[1], text))}">Open in the playground</a>'
                line = nodes.raw("", f'<p class="open-in-playground">{link}</p>', format="html")
                block.parent.insert(block.parent.index(block) + 1, line)


def held(name: str, text: str) -> str:
    """The part of an address that carries a file to the playground: `web/src/playground/files.ts` reads it."""
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(f"{text}\n".encode()) + packer.flush()
    return "#" + urlencode({"name": f"{name}.rules", "code": base64.urlsafe_b64encode(packed).decode().rstrip("=")})
