// A recorded game, pasted, and what the rules say of it.

import type { Judged } from "../contract";
import { button, el, fill, told } from "../dom";
import { Gone, Latest } from "../server";
import type { Studio } from "../studio";
import { words } from "../words";
import type { Panel } from "./tabs";

export class Judging implements Panel {
  readonly node = el("section", { class: "panel" });
  private readonly text = el("textarea", {
    class: "record",
    rows: 8,
    spellcheck: "false",
    "aria-label": words.judging.record,
    placeholder: '{"format": "pwtool/3", …}',
  });
  private readonly answer = el("div", { "aria-live": "polite" });
  private readonly latest = new Latest();

  constructor(private readonly studio: Studio) {
    this.text.addEventListener("input", () => void this.judge());
    const check = button(words.judging.check, () => void this.judge(), { class: "primary" });
    this.node.append(el("p", { class: "soft" }, words.judging.intro), this.text, el("p", { class: "tools" }, check), this.answer);
    // The rules have changed: the verdict may have, too.
    studio.on("known", () => void this.judge());
  }

  refresh(): void {
    // It is judged as soon as it is pasted.
  }

  private async judge(): Promise<void> {
    const uri = this.studio.current?.uri;
    const text = this.text.value;
    if (!uri || !text.trim()) {
      this.latest.forget();
      fill(this.answer);
      return;
    }
    try {
      this.show(await this.latest.of(this.studio.server.ask("studio/check", { uri, text })));
    } catch (error) {
      if (error instanceof Gone) return;
      fill(this.answer, el("p", { class: "alarm" }, told(error instanceof Error ? error.message : String(error))));
    }
  }

  private show(found: Judged): void {
    fill(
      this.answer,
      el("p", { class: `verdict ${found.verdict === "clean" ? "yes" : "no"}` }, words.judging.verdicts[found.verdict]),
      el(
        "ol",
        { class: "findings" },
        found.findings.map((one) =>
          el(
            "li",
            { class: one.follows ? "soft" : "" },
            el("strong", {}, one.where ?? (one.line === null ? "" : words.problems.line(one.line))),
            " ",
            told(one.text),
            one.rule ? el("p", { class: "soft" }, el("code", {}, one.rule)) : null,
            one.help ? el("p", { class: "soft" }, told(one.help)) : null,
          ),
        ),
      ),
    );
  }
}
