// What the address of the page says: the file and the language that were chosen.

/** The query of the address. It stays there, so that the page can be reloaded; nothing here links to other sites. */
export const ADDRESSED = location.search;

/** The file to show first, as named in the address. */
export function wanted(): string | null {
  return new URLSearchParams(ADDRESSED).get("file");
}

/** The file that is shown: a page that is loaded again shows it again. */
export function shows(file: string): void {
  const parameters = new URLSearchParams(location.search);
  if (parameters.get("file") === file) return;
  parameters.set("file", file);
  try {
    history.replaceState(null, "", `?${parameters.toString()}${location.hash}`);
  } catch {
    // A page that was opened as a file keeps its address.
  }
}

/** Load the page again in another language. */
export function speak(language: string, file: string | null): void {
  const parameters = new URLSearchParams(location.search);
  parameters.set("lang", language);
  if (file !== null) parameters.set("file", file);
  location.search = parameters.toString();
}
