// What is different between two texts.

import type { Text } from "@codemirror/state";

/** The smallest replacement that turns one text into another. */
export function change(before: Text, after: string): { from: number; to: number; insert: string } | null {
  const old = before.toString();
  const now = after.replace(/\r\n?/g, "\n");
  if (old === now) return null;
  let start = 0;
  const shorter = Math.min(old.length, now.length);
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  return { from: start, to: old.length - end, insert: now.slice(start, now.length - end) };
}

/** The whole lines in which two texts differ, for each of them. */
export function differing(one: Text, other: Text): [string, string] {
  const found = change(one, other.toString());
  if (!found) return ["", ""];
  const from = one.lineAt(found.from).from;
  const ends = [found.to, found.from + found.insert.length] as const;
  return [one.sliceString(from, one.lineAt(ends[0]).to), other.sliceString(from, other.lineAt(ends[1]).to)];
}
