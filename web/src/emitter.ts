// Tells those who listen that something has changed.

/** Events: the files or their list; a text or its saved state; what is known; the chosen objective; the connection;
 * what was measured. */
export type Event = "files" | "text" | "known" | "focus" | "line" | "measured";

export class Emitter {
  private readonly listeners = new Map<Event, (() => void)[]>();

  on(event: Event | Event[], what: () => void): void {
    for (const one of [event].flat()) this.listeners.set(one, [...(this.listeners.get(one) ?? []), what]);
  }

  protected emit(event: Event): void {
    for (const what of this.listeners.get(event) ?? []) what();
  }
}
