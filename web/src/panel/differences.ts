// What an edition changes, and a game that shows it.

import type { Differences as Answer } from "../contract";
import { button, el, fill, frame, lines, list } from "../dom";
import { Latest } from "../server";
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
    const done = (): void => this.list.removeAttribute("aria-busy");
    await this.latest.handle(
      this.studio.server.ask("studio/differs", { uri }),
      (found) => (this.show(uri, found), done()),
      (why) => (this.failed(uri, why), done()),
    );
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
      list("differences", found.items, (item) =>
        el(
          "li",
          {},
          // Players know the words; the name of the item is shown below.
          el("h3", {}, item.words[0] ?? item.title),
          item.words.slice(1).map((line) => el("p", {}, line)),
          item.words.length ? el("p", { class: "soft" }, item.title) : null,
          button(words.differences.witness, () => void this.witness(uri, item.item, item.title)),
        ),
      ) ?? (found.problem ? null : el("p", { class: "soft" }, words.differences.none)),
      found.undecided.length ? el("h3", {}, words.differences.undecided) : null,
      lines(found.undecided),
    );
  }

  private async witness(uri: string, item: string, title: string): Promise<void> {
    fill(this.frame, el("p", { class: "soft" }, words.differences.searching));
    this.frame.scrollIntoView({ block: "nearest" });
    await this.game.handle(
      this.studio.server.ask("studio/witness", { uri, item }),
      ({ page, said }) => {
        if (page === null) fill(this.frame, el("p", { class: "soft" }, said));
        else {
          const close = button(words.differences.close, () => fill(this.frame));
          fill(this.frame, close, frame(page, words.differences.frame(title)));
          this.frame.scrollIntoView({ block: "start" });
        }
      },
      (why) => fill(this.frame, el("p", { class: "alarm" }, why)),
    );
  }
}
