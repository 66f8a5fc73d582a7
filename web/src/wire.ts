// The connection to the program: one message per frame. It reconnects automatically.

import type { Transport } from "@codemirror/lsp-client";

const FIRST = 400;
const LONGEST = 5_000;

/** The query of the address: the token, and the language and the file if these were chosen. It stays there, so that the page can be
 * reloaded; nothing here links to other sites.
 */
const ADDRESSED = location.search;

/** The file to show first, as named in the address. */
export function wanted(): string | null {
  return new URLSearchParams(ADDRESSED).get("file");
}

/** Load the page again in another language. */
export function speak(language: string, file: string | null): void {
  const parameters = new URLSearchParams(ADDRESSED);
  parameters.set("lang", language);
  if (file !== null) parameters.set("file", file);
  location.search = parameters.toString();
}

export class Wire implements Transport {
  private socket: WebSocket | null = null;
  private readonly handlers = new Set<(message: string) => void>();
  private wait = FIRST;
  /** The number of attempts since the connection broke. */
  tries = 0;

  constructor(
    private readonly opened: () => void,
    private readonly closed: () => void,
  ) {
    window.addEventListener("online", () => this.open());
  }

  get up(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  open(): void {
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/speak${ADDRESSED}`);
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST;
      this.tries = 0;
      this.opened();
    };
    socket.onmessage = (event) => {
      for (const handler of [...this.handlers]) handler(String(event.data));
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.tries += 1;
      this.closed();
      window.setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST);
    };
  }

  /** Messages without a connection are lost: everything is sent again after a reconnection. */
  send(message: string): void {
    if (this.up) this.socket?.send(message);
  }

  subscribe(handler: (message: string) => void): void {
    this.handlers.add(handler);
  }

  unsubscribe(handler: (message: string) => void): void {
    this.handlers.delete(handler);
  }
}
