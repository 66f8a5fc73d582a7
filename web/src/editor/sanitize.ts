// Descriptions from the program are text with pictures; nothing else of them gets onto the page.

const ELEMENTS = new Set([
  "P",
  "PRE",
  "CODE",
  "STRONG",
  "EM",
  "UL",
  "OL",
  "LI",
  "BR",
  "IMG",
  "SPAN",
  "DIV",
  "TABLE",
  "THEAD",
  "TBODY",
  "TR",
  "TD",
  "TH",
  "HR",
]);

export function sanitize(html: string): string {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const node of [...parsed.body.querySelectorAll("*")]) {
    if (!ELEMENTS.has(node.tagName)) {
      node.replaceWith(parsed.createTextNode(node.textContent ?? ""));
      continue;
    }
    for (const { name, value } of [...node.attributes]) {
      const picture =
        node.tagName === "IMG" && (name === "alt" || (name === "src" && value.startsWith("data:image/svg+xml;base64,")));
      if (!picture && name !== "class") node.removeAttribute(name);
    }
  }
  return parsed.body.innerHTML;
}
