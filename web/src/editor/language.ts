// Comments, texts, numbers, pictures and keywords of the language, before the program sends semantic tokens.

import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";
// The keywords have a single source: the grammar for other editors, which a test compares with the language's own.
import { repository } from "../../../editors/vscode/syntaxes/pwtool.tmLanguage.json";

interface State {
  text: boolean;
  picture: boolean;
}

function sticky(pattern: string): RegExp {
  return new RegExp(pattern, "y");
}

const KEYWORD = sticky(repository.keyword.match);
const PHRASE = sticky(repository.phrase.match);
const CONSTANT = sticky(repository.constant.match);
const DECLARATION = sticky(repository.declaration.match.replace(/\[ \\t\]\+\(.*$/, "(?=[ \\t])"));
const OPERATOR = sticky(repository.operator.match);
const PICTURE = /^\[(?:(?=[ \t]*[^\]\s])[#._?A-Za-z0-9+/ \t]*\]|[#._?A-Za-z0-9+/ \t]*$)/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*/;

export const rules = StreamLanguage.define<State>({
  name: "pwtool",
  startState: () => ({ text: false, picture: false }),
  token(stream, state) {
    if (state.text) return text(stream.match.bind(stream), state);
    if (state.picture) {
      if (!stream.match(/^[#._?A-Za-z0-9+/ \t]+/)) stream.next();
      if (stream.match("]") || !stream.eol()) state.picture = false;
      return "picture";
    }
    if (stream.eatSpace()) return null;
    if (stream.peek() === "#") {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match('"')) return text(stream.match.bind(stream), state);
    const picture = stream.match(PICTURE) as RegExpMatchArray | null;
    if (picture) {
      state.picture = !picture[0].endsWith("]");
      return "picture";
    }
    if (stream.match(/^-?[0-9]+(?:x[0-9]+)?\b/)) return "number";
    for (const [pattern, name] of [
      [DECLARATION, "declaration"],
      [PHRASE, "keyword"],
      [CONSTANT, "constant"],
      [KEYWORD, "keyword"],
    ] as const) {
      pattern.lastIndex = stream.pos;
      const found = pattern.exec(stream.string);
      if (found?.[0]) {
        stream.pos += found[0].length;
        return name;
      }
    }
    if (stream.match(NAME)) return null;
    OPERATOR.lastIndex = stream.pos;
    const operator = OPERATOR.exec(stream.string);
    if (operator?.[0]) {
      stream.pos += operator[0].length;
      return "operator";
    }
    stream.next();
    return null;
  },
  languageData: {
    commentTokens: { line: "#" },
    closeBrackets: { brackets: ["(", "[", "{", '"'] },
    indentOnInput: /^\s*[\]})]$/,
  },
  tokenTable: {
    picture: tags.special(tags.string),
    declaration: tags.definitionKeyword,
    constant: tags.atom,
  },
});

function text(match: (pattern: RegExp) => unknown, state: State): string {
  match(/^(?:[^"\\]|\\.)*/);
  state.text = !match(/^"/);
  return "string";
}

export const colors = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.comment, class: "t-comment" },
    { tag: tags.string, class: "t-text" },
    { tag: tags.special(tags.string), class: "t-picture" },
    { tag: tags.number, class: "t-number" },
    { tag: tags.definitionKeyword, class: "t-declares" },
    { tag: tags.keyword, class: "t-keyword" },
    { tag: tags.atom, class: "t-constant" },
    { tag: tags.operator, class: "t-operator" },
  ]),
);
