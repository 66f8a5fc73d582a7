// People leave the page, and come back.

import type { Studio } from "./studio";

export function watchLeaving(studio: Studio): void {
  // Those who switch away may not come back: send what was typed at once.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") studio.push.now();
  });
  window.addEventListener("focus", () => void studio.lookAgain());
  window.addEventListener("beforeunload", (event) => {
    if (studio.documents.files.some((doc) => doc.dirty && !doc.kept)) event.preventDefault();
  });
}
