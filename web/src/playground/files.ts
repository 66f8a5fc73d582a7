// Files of a browser come and go: opened, downloaded, or in a link.

import { ask } from "../dialogs";
import { button, el, notice, tools } from "../dom";
import type { Server } from "../server";
import type { Studio } from "../studio";
import { words } from "../words";

/** In the part of an address that is sent nowhere. */
const CODE = "code";
const NAME = "name";
const SUFFIX = ".rules";

async function through(bytes: BlobPart, stream: CompressionStream | DecompressionStream): Promise<Response> {
  return new Response(new Blob([bytes]).stream().pipeThrough(stream));
}

/** The address of this page with a file in it. */
async function link(name: string, text: string): Promise<string> {
  const packed = new Uint8Array(await (await through(text, new CompressionStream("deflate-raw"))).arrayBuffer());
  const code = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  const held = new URLSearchParams({ [NAME]: name, [CODE]: code.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") });
  return `${location.origin}${location.pathname}#${held.toString()}`;
}

/** Keep the file in the address, if there is one; returns where it is. The address does without it then. */
export async function linked(server: Server): Promise<string | null> {
  const held = new URLSearchParams(location.hash.slice(1));
  const code = held.get(CODE);
  if (code === null) return null;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    const packed = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
    const text = await (await through(packed, new DecompressionStream("deflate-raw"))).text();
    return (await server.ask("studio/add", { name: held.get(NAME) ?? "", text })).uri;
  } catch {
    notice(words.playground.badLink, "alarm");
    return null;
  }
}

function open(studio: Studio): void {
  const input = el("input", { type: "file", accept: SUFFIX });
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (!file) return;
    const added = file.text().then((text) => studio.server.ask("studio/add", { name: file.name, text }));
    void added.then(({ uri }) => studio.begun(uri)).catch((error: unknown) => studio.failed(error));
  });
  input.click();
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  el("a", { href: address, download: name }).click();
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** The button that says what can be done with the files of this browser. */
export function files(studio: Studio): HTMLElement {
  window.addEventListener("hashchange", () => {
    void linked(studio.server).then((uri) => (uri === null ? undefined : studio.begun(uri)));
  });
  const can = {
    begin: () => studio.begin(),
    open: () => open(studio),
    download: (name: string, text: string) => download(name, text),
    link: (name: string, text: string) => {
      const copied = link(name, text).then((address) => navigator.clipboard.writeText(address));
      void copied.then(() => notice(words.playground.linked)).catch((error: unknown) => studio.failed(error));
    },
  };
  const choose = (): void => {
    const shown = studio.current && { name: studio.title(studio.current.uri), text: studio.view.state.doc.toString() };
    const offered = (Object.keys(can) as (keyof typeof can)[]).filter((what) => shown || what === "begin" || what === "open");
    void ask<keyof typeof can | null>(
      words.playground.files,
      (answer) => [
        el("p", { class: "soft" }, words.playground.where),
        el("ul", { class: "choices-list" }, offered.map((what) => el("li", {}, button(words.playground.can[what], () => answer(what))))),
        tools(button(words.cancel, () => answer(null), { class: "primary" })),
      ],
      null,
    ).then((what) => what && can[what](shown?.name ?? "", shown?.text ?? ""));
  };
  return button(words.playground.files, choose);
}
