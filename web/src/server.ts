// Requests from the page to the program: those of the language server protocol and our own.

import { LSPClient, type LSPClientConfig } from "@codemirror/lsp-client";
import type { Requests } from "./contract";

/** The longest time to wait for an answer: finding boards that distinguish rules may take a while. */
const PATIENCE = 120_000;

export class Refused extends Error {
  constructor(
    message: string,
    readonly data: { conflict?: boolean; disk?: string } | undefined,
  ) {
    super(message);
  }
}

/** The connection broke, or the user is looking at something else by now: nothing to report. */
export class Gone extends Error {}

/** What an error says. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export class Server {
  readonly client: LSPClient;
  private readonly waiting = new Set<(reason: Gone) => void>();

  constructor(config: LSPClientConfig) {
    this.client = new LSPClient({ ...config, timeout: PATIENCE });
  }

  /** Send a request, after sending what was typed. */
  ask<M extends keyof Requests>(method: M, params: Requests[M][0]): Promise<Requests[M][1]> {
    return this.request(method, params);
  }

  /** A request of the language server protocol. */
  request<R>(method: string, params: unknown): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      if (this.client.serverCapabilities === null) {
        reject(new Gone());
        return;
      }
      this.client.sync();
      this.waiting.add(reject);
      this.client
        .request<unknown, R>(method, params)
        .then(resolve, (error: { message?: string; data?: Refused["data"] }) =>
          reject(new Refused(error.message ?? String(error), error.data)),
        )
        .finally(() => this.waiting.delete(reject));
    });
  }

  lost(): void {
    this.client.disconnect();
    for (const reject of this.waiting) reject(new Gone());
    this.waiting.clear();
  }
}

/** Only the answer to the last question counts. */
export class Latest {
  private number = 0;

  async of<T>(asked: Promise<T>): Promise<T> {
    const number = (this.number += 1);
    try {
      const answer = await asked;
      if (number !== this.number) throw new Gone();
      return answer;
    } catch (error) {
      throw number === this.number ? error : new Gone();
    }
  }

  /** What is done with the answer, and with the reason why there is none; nothing if it no longer counts. */
  async handle<T>(asked: Promise<T>, done: (answer: T) => void, failed: (why: string) => void): Promise<void> {
    try {
      done(await this.of(asked));
    } catch (error) {
      if (!(error instanceof Gone)) failed(reason(error));
    }
  }

  forget(): void {
    this.number += 1;
  }
}
