// The program in a worker of the browser: one for all windows where the browser can, otherwise one after the other.

import { type Events, Line, type Trouble } from "../line";
import { spoken } from "../speech";
import { words } from "../words";
import { type Begin, LEFT, type Port, type State } from "./messages";

const OFFLINE = "offline.js";

export class InWorker extends Line {
  readonly keeps = true;
  private port: Port | null = null;
  private state: State = { is: "loading" };

  constructor(
    events: Events,
    private readonly script: string,
  ) {
    super(events);
  }

  get up(): boolean {
    return this.state.is === "ready";
  }

  open(): void {
    if (this.port) return;
    try {
      this.port = this.connect();
    } catch (error) {
      // A page that is opened as a file may not start workers.
      this.now({ is: "failed", why: location.protocol === "file:" ? words.playground.file : String(error) });
      return;
    }
    this.port.onmessage = ({ data }: MessageEvent<string | State>) => {
      if (typeof data === "string") this.received(data);
      else this.now(data);
    };
    this.port.postMessage({ language: spoken.language } satisfies Begin);
    window.addEventListener("pagehide", () => this.port?.postMessage(LEFT));
    // Whoever comes back to a page that the browser kept begins anew.
    window.addEventListener("pageshow", (event) => event.persisted && location.reload());
  }

  private connect(): Port {
    const failed = (): void => this.now({ is: "failed", why: words.playground.worker });
    if (typeof SharedWorker !== "undefined") {
      const shared = new SharedWorker(this.script, { type: "module", name: "pwtool" });
      shared.onerror = failed;
      return shared.port as Port;
    }
    const own = new Worker(this.script, { type: "module" });
    own.onerror = failed;
    return own as Port;
  }

  private now(state: State): void {
    this.state = state;
    if (state.is === "ready") {
      this.events.opened();
      // From now on it works without a network, where the browser allows that.
      void navigator.serviceWorker?.register(OFFLINE).catch((error: unknown) => console.warn(error));
    }
    this.events.changed();
  }

  send(message: string): void {
    if (this.up) this.port?.postMessage(message);
  }

  trouble(): Trouble | null {
    const { state } = this;
    switch (state.is) {
      case "loading":
        return { text: words.playground.loading, soft: true };
      case "waiting":
        return { text: words.playground.waiting, soft: true };
      case "failed":
        return { text: words.playground.failed(state.why) };
      case "ready":
        return state.kept ? null : { text: words.playground.forgets };
    }
  }
}
