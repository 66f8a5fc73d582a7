// The messages of the page in the reader's language: they are delivered with the page, in one language or in all.

interface Spoken {
  language: string;
  /** The available languages, each by its own name. */
  languages: Record<string, string>;
  /** By the English messages; those with a count have a text for each plural form. */
  messages: Record<string, string | string[]>;
  /** Which plural form is used for 0, for 1, and so on; after the end, the second half repeats. */
  forms: string;
}

/** The placeholders of a message: all of them have to be filled. */
type Gaps<M extends string> = M extends `${string}{${infer Name}}${infer Rest}` ? Name | Gaps<Rest> : never;
type Values<Names extends string> = Record<Names, string | number>;
type Filled<Names extends string> = [Names] extends [never] ? [] : [values: Values<Names>];

const delivered = JSON.parse(document.getElementById("speech")?.textContent ?? "") as [Spoken, ...Spoken[]];
const wished = [new URLSearchParams(location.search).get("lang"), ...navigator.languages.map((name) => name.split("-")[0])];

/** The first of the wished languages that is there. */
export const spoken =
  wished.map((code) => delivered.find((one) => one.language === code)).find((one) => one !== undefined) ?? delivered[0];
document.documentElement.lang = spoken.language;

function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (gap, name: string) => String(values[name] ?? gap));
}

/** A message. */
export function say<M extends string>(message: M, ...[values]: Filled<Gaps<M>>): string {
  const text = spoken.messages[message];
  return filled(typeof text === "string" ? text : message, values ?? {});
}

/** A message with a number, `{count}`. */
export function many<O extends string, M extends string>(
  one: O,
  more: M,
  count: number,
  ...[values]: Filled<Exclude<Gaps<O | M>, "count">>
): string {
  const half = spoken.forms.length / 2;
  const form = Number(spoken.forms[count < spoken.forms.length ? count : half + (count % half)]);
  const texts = spoken.messages[one] ?? [one, more];
  return filled(texts[form] ?? more, { ...values, count });
}

/** Several things as one enumeration. */
export function list(names: string[]): string {
  return new Intl.ListFormat(spoken.language).format(names);
}

/** A percentage; not quite all is not shown as all. */
export function percent(share: number): string {
  if (share > 0.99 && share < 1) {
    const cut = Math.floor(share * 1000) / 1000;
    return new Intl.NumberFormat(spoken.language, { style: "percent", minimumFractionDigits: 1 }).format(cut);
  }
  const digits = share >= 0.1 || share === 0 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 2 };
  return new Intl.NumberFormat(spoken.language, { style: "percent", ...digits }).format(share);
}
