// What a page and the worker say to each other besides the texts that are meant for the program.

/** What a worker and a port of a shared one have in common. */
export interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

/** The page begins with this. */
export interface Begin {
  language: string;
}
/** The page is left: what was typed is kept at once. */
export const LEFT = "left";

/** How far the program is; `kept`: whether the browser keeps files. */
export type State =
  | { is: "loading" }
  | { is: "waiting" }
  | { is: "ready"; kept: boolean }
  | { is: "failed"; why: string };
