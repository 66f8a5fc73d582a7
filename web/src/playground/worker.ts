// The worker of the playground: it starts the program once, and carries the messages of each page to it.

import type { PyodideAPI } from "pyodide";
import { type Begin, LEFT, type Port, type State } from "./messages";
import { start } from "./runtime";

/** Kept by the browser: rules and drafts. */
const HOME = "/home/playground";

interface Conversation {
  receive(text: string): void;
  close(): void;
}
interface Playground {
  connect(language: string, send: (text: string) => void): Conversation;
}
interface Program {
  playground: Playground;
  settle: () => Promise<void>;
  kept: boolean;
}

const ports: Port[] = [];
let state: State = { is: "loading" };
let program: Promise<Program> | null = null;

function tell(now: State): void {
  state = now;
  for (const port of ports) port.postMessage(now);
}

/** Let rules and drafts be kept in the browser; returns what keeps those that were written, or null if nothing does. */
async function keep(python: PyodideAPI): Promise<(() => Promise<void>) | null> {
  const { FS } = python;
  const settle = (read: boolean): Promise<void> =>
    new Promise((resolve, reject) => FS.syncfs(read, (error: unknown) => (error ? reject(error as Error) : resolve())));
  FS.mkdirTree(HOME);
  try {
    FS.mount(FS.filesystems.IDBFS, {}, HOME);
    await settle(true);
  } catch {
    // A private window may have no storage.
    return null;
  }
  let last = Promise.resolve();
  // One after the other.
  return () => (last = last.then(() => settle(false), () => settle(false)));
}

function page(html: string): string {
  return URL.createObjectURL(new Blob([html], { type: "text/html" }));
}

/** Only one worker may write: where windows cannot share one, the next waits until the first is closed. */
function alone(): Promise<void> {
  return new Promise((resolve) => {
    const waits = self.setTimeout(() => tell({ is: "waiting" }), 500);
    const held = (): Promise<never> => {
      self.clearTimeout(waits);
      resolve();
      return new Promise<never>(() => undefined);
    };
    // Without a lock, as on pages that are not secure, windows do not know of each other.
    if ("locks" in navigator) void navigator.locks.request("pwtool playground", held);
    else void held();
  });
}

async function begin(): Promise<Program> {
  await alone();
  tell({ is: "loading" });
  const python = await start();
  const kept = await keep(python);
  const settle = kept ?? (() => Promise.resolve());
  const playground = python.pyimport("pwtool.studio.playground.program").open_playground(HOME, page, settle) as Playground;
  return { playground, settle, kept: kept !== null };
}

function failed(error: unknown): void {
  tell({ is: "failed", why: String(error) });
}

function accept(port: Port): void {
  ports.push(port);
  let conversation: Promise<Conversation> | null = null;
  const then = (what: (one: Conversation) => void): void => void conversation?.then(what).catch(failed);
  port.onmessage = ({ data }: MessageEvent<string | Begin>) => {
    if (data === LEFT) {
      then((one) => {
        one.close();
        void program?.then(({ settle }) => settle());
      });
      ports.splice(ports.indexOf(port), 1);
    } else if (typeof data === "string") {
      then((one) => one.receive(data));
    } else {
      port.postMessage(state);
      const begun = (program ??= begin());
      conversation = begun.then(({ playground }) => playground.connect(data.language, (text) => port.postMessage(text)));
      then(() => void begun.then(({ kept }) => port.postMessage({ is: "ready", kept } satisfies State)));
    }
  };
}

if ("onconnect" in self)
  self.onconnect = (event: MessageEvent) => {
    const [port] = event.ports;
    if (port) accept(port);
  };
else accept(self as unknown as Port);
