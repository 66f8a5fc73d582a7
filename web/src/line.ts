// The connection to the program, whatever carries it: one message at a time, each a text in JSON.

import type { Transport } from "@codemirror/lsp-client";

export interface Events {
  /** The program answers from now on. */
  opened(): void;
  /** It does not answer any more. */
  closed(): void;
  /** There is something new about the connection: see `trouble`. */
  changed(): void;
}

export abstract class Line implements Transport {
  /** Whether files are kept by the browser: then they come and go as downloads and links. */
  abstract readonly keeps: boolean;
  abstract readonly up: boolean;
  private readonly handlers = new Set<(message: string) => void>();

  constructor(protected readonly events: Events) {}

  abstract open(): void;

  /** Messages without a connection are lost: everything is sent again after a reconnection. */
  abstract send(message: string): void;

  /** What there is to say about the connection; `begun`: whether it once was there. */
  abstract trouble(begun: boolean): Trouble | null;

  subscribe(handler: (message: string) => void): void {
    this.handlers.add(handler);
  }

  unsubscribe(handler: (message: string) => void): void {
    this.handlers.delete(handler);
  }

  protected received(message: string): void {
    for (const handler of [...this.handlers]) handler(message);
  }
}

/** `soft` is no alarm: it only takes a while. */
export interface Trouble {
  text: string;
  soft?: boolean;
}
