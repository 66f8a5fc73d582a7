// The page of the panel: what the server says of the thing at the cursor. Nothing on it is a program.

"use strict";

const STYLE = `
  body { padding: 0 1rem 2rem; line-height: 1.45; }
  h1 { font-size: 1.2rem; margin: 1rem 0 0.2rem; }
  img { display: block; max-width: 100%; margin: 1rem 0; background: #fff; border-radius: 4px; }
  pre { overflow-x: auto; padding: 0.6rem; background: var(--vscode-textCodeBlock-background); }
  .share { font-size: 1.4rem; margin: 0.8rem 0 0; }
  .bar { height: 0.5rem; background: var(--vscode-input-background); border-radius: 0.25rem; overflow: hidden; }
  .bar div { height: 100%; background: var(--vscode-charts-blue); }
  .place { opacity: 0.7; }
`;

function escaped(text) {
  return String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function list(title, names) {
  return names && names.length ? `<p>${title}: ${names.map((name) => `<code>${escaped(name)}</code>`).join(", ")}</p>` : "";
}

function rarity(found) {
  if (!found) return "";
  const percent = Math.max(0.5, Math.min(100, 100 * found.fraction));
  const lines = found.lines.map((line) => `<li>${escaped(line)}</li>`).join("");
  return (
    `<p class="share">${escaped(found.share)} boards</p><div class="bar" aria-hidden="true"><div style="width: ${percent.toFixed(1)}%"></div></div>` +
    list("Follows from", found.follows) +
    list("Leads to", found.leadsTo) +
    list("Excludes", found.excludes) +
    `<ul>${lines}</ul>`
  );
}

/** The whole page for what `pwtool/describe` has answered; null where there is nothing to show. */
function page(found) {
  const head =
    `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">` +
    `<style>${STYLE}</style>`;
  if (!found) {
    return `<!DOCTYPE html><html lang="en"><head>${head}</head><body><p>Put the cursor on an objective, a shape, a rule or a turn.</p></body></html>`;
  }
  const picture = found.picture
    ? `<img alt="${escaped(found.text || found.name)}" src="data:image/svg+xml;base64,${Buffer.from(found.picture, "utf-8").toString("base64")}">`
    : "";
  const told = (found.told || []).map((line) => `<p>${escaped(line)}</p>`).join("");
  const body = [
    `<h1>${escaped(found.title)}</h1>`,
    found.text ? `<p>${escaped(found.text)}</p>` : "",
    picture,
    found.drawn ? `<pre>${escaped(found.drawn)}</pre>` : "",
    rarity(found.rarity),
    found.written ? `<pre>${escaped(found.written)}</pre>` : "",
    told,
    found.place ? `<p class="place">${escaped(found.place)}</p>` : "",
  ].join("\n");
  return `<!DOCTYPE html><html lang="en"><head>${head}</head><body>${body}</body></html>`;
}

module.exports = { page, escaped };
