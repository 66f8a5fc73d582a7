// One stop for the Tab key among many buttons; arrow keys move between them.

/** Keep one of the buttons reachable; arrow keys move over rows of `across` buttons (Infinity if rows do not matter). */
export function roving(
  box: HTMLElement,
  buttons: () => HTMLElement[],
  across: () => number,
): { reach(at: number): void; at(): number } {
  let current = 0;

  function reach(at: number): void {
    const all = buttons();
    current = Math.max(0, Math.min(at, all.length - 1));
    all.forEach((one, index) => (one.tabIndex = index === current ? 0 : -1));
  }

  box.addEventListener("focusin", (event) => {
    const at = buttons().indexOf(event.target as HTMLElement);
    if (at >= 0) reach(at);
  });
  box.addEventListener("keydown", (event) => {
    const all = buttons();
    const row = across();
    const wide = Number.isFinite(row) ? row : 1;
    const column = current % wide;
    const steps: Record<string, number> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: wide,
      ArrowUp: -wide,
      Home: -column,
      End: wide - 1 - column,
    };
    let step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!Number.isFinite(row) && event.key === "Home") step = -current;
    if (!Number.isFinite(row) && event.key === "End") step = all.length - 1 - current;
    event.preventDefault();
    if (
      Number.isFinite(row) &&
      (event.key === "ArrowRight" || event.key === "ArrowLeft") &&
      Math.floor((current + step) / wide) !== Math.floor(current / wide)
    )
      return;
    if (current + step < 0 || current + step >= all.length) return;
    reach(current + step);
    all[current]?.focus();
  });
  reach(0);
  return { reach, at: () => current };
}
