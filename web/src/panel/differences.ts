// What an edition changes, and a game that shows it.

import type { Differences as Answer } from "../contract";
import { button, el, fill } from "../dom";
import { Gone, Latest } from "../server";
import type { Studio } from "../studio";
import { words } from "../words";
import type { Panel } from "./tabs";

export class Differences implements Panel {
  readonly node = el("section", { class: "panel" });
  private readonly frame = el("div", { class: "witness", "aria-live": "polite" });
  private readonly list = el("div", {}, el("p", { class: "soft" }, words.differences.comparing));
  private known: string | null = null;
  /** The file of which the differences are shown. */
  private told: string | null = null;
  private readonly latest = new Latest();
  private readonly game = new Latest();

  constructor(private readonly studio: Studio) {
    this.node.append(this.list, this.frame);
    studio.on("known", () => (this.known = null));
  }

  refresh(): void {
    const uri = this.studio.current?.uri;
    if (!uri || this.known === uri || !this.studio.online) return;
    this.known = uri;
    void this.compare(uri);
  }

  private async compare(uri: string): Promise<void> {
    this.list.setAttribute("aria-busy", "true");
    try {
      this.show(uri, await this.latest.of(this.studio.server.ask("studio/differs", { uri })));
    } catch (error) {
      if (error instanceof Gone) return;
      this.failed(uri, error instanceof Error ? error.message : String(error));
    }
    this.list.removeAttribute("aria-busy");
  }

  /** At a mistake, the last differences stay. */
  private failed(uri: string, why: string): void {
    this.list.classList.toggle("stale", this.told === uri);
    if (this.told === uri) this.list.querySelector(".alarm")?.remove();
    else fill(this.list);
    this.list.prepend(el("p", { class: "alarm" }, why));
  }

  private show(uri: string, found: Answer): void {
    this.told = uri;
    this.list.classList.remove("stale");
    fill(
      this.list,
      el("h2", {}, words.differences.title(found.base?.title ?? "")),
      found.problem ? el("p", { class: "alarm" }, found.problem) : null,
      found.items.length
        ? el(
            "ul",
            { class: "differences" },
            found.items.map((item) =>
              el(
                "li",
                {},
                // Players know the words; the name of the item is shown below.
                el("h3", {}, item.words[0] ?? item.title),
                item.words.slice(1).map((line) => el("p", {}, line)),
                item.words.length ? el("p", { class: "soft" }, item.title) : null,
                button(words.differences.witness, () => void this.witness(uri, item.item, item.title)),
              ),
            ),
          )
        : found.problem
          ? null
          : el("p", { class: "soft" }, words.differences.none),
      found.undecided.length
        ? [
            el("h3", {}, words.differences.undecided),
            el(
              "ul",
              { class: "lines" },
              found.undecided.map((line) => el("li", {}, line)),
            ),
          ]
        : null,
    );
  }

  private async witness(uri: string, item: string, title: string): Promise<void> {
    fill(this.frame, el("p", { class: "soft" }, words.differences.searching));
    this.frame.scrollIntoView({ block: "nearest" });
    try {
      const { page, said } = await this.game.of(this.studio.server.ask("studio/witness", { uri, item }));
      if (page === null) {
        fill(this.frame, el("p", { class: "soft" }, said));
        return;
      }
      // The page has its own security policy, and cannot access this one.
      const frame = el("iframe", { src: page, sandbox: "allow-scripts", title: words.differences.frame(title) });
      fill(
        this.frame,
        button(words.differences.close, () => fill(this.frame)),
        frame,
      );
      this.frame.scrollIntoView({ block: "start" });
    } catch (error) {
      if (error instanceof Gone) return;
      fill(this.frame, el("p", { class: "alarm" }, error instanceof Error ? error.message : String(error)));
    }
  }
}
