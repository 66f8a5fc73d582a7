// The program on this machine, through a socket that reconnects automatically.

import { ADDRESSED } from "./address";
import { type Events, Line, type Trouble } from "./line";
import { words } from "./words";

const FIRST = 400;
const LONGEST = 5_000;
/** After this many attempts the program has probably ended. */
const MANY = 4;

export class Socket extends Line {
  readonly keeps = false;
  private socket: WebSocket | null = null;
  private wait = FIRST;
  /** The number of attempts since the connection broke. */
  private tries = 0;

  constructor(events: Events) {
    super(events);
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
      this.events.opened();
    };
    socket.onmessage = (event) => this.received(String(event.data));
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.tries += 1;
      this.events.closed();
      window.setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST);
    };
  }

  send(message: string): void {
    if (this.up) this.socket?.send(message);
  }

  trouble(begun: boolean): Trouble | null {
    if (this.tries > MANY) return { text: words.connection.long };
    return begun && !this.up ? { text: words.connection.lost } : null;
  }
}
