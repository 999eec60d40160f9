/**
 * Finds the tags of a reply while it streams, character by character, so that it finds the same however the text was cut.
 * A tail that could begin a tag is held back.
 */

/** The tags that have a meaning. */
export type Tag = "think" | "tool_call" | "tool_response" | "answer";

const TAGS: Readonly<Record<string, Tag>> = {
  think: "think",
  thinking: "think",
  tool_call: "tool_call",
  tool_response: "tool_response",
  answer: "answer",
  final_answer: "answer",
  "final-answer": "answer",
  finalanswer: "answer",
  final_response: "answer",
};
const NAMES = Object.keys(TAGS);
const FENCE = "```";

export interface FoundTag {
  readonly tag: Tag;
  readonly closes: boolean;
  /** as it was written */
  readonly raw: string;
  /** inside a code fence, or right behind a backtick */
  readonly fenced: boolean;
  /** first on its line, but for spaces */
  readonly first: boolean;
}

export interface TagListener {
  text(text: string): void;
  tag(found: FoundTag): void;
}

export interface TagScanner {
  push(text: string): void;
  /** what was held back is text */
  end(): void;
  /** forgets that a code fence is open */
  leaveFence(): void;
}

export function createTagScanner(listener: TagListener): TagScanner {
  let held = "";
  /** The backticks of the line where it has only space before them; null where it can no longer open or close a fence. */
  let line: string | null = "";
  let fenced = false;
  let last = "";
  let out = "";

  const flush = (): void => {
    if (out !== "") listener.text(out);
    out = "";
  };
  const add = (char: string): void => {
    out += char;
    last = char;
    if (char === "\n") line = "";
    else if (line !== null) {
      if (char === "`") line += char;
      else if (line !== "" || /\S/u.test(char)) line = null;
      if (line === FENCE) {
        fenced = !fenced;
        line = null;
      }
    }
  };
  const take = (char: string): void => {
    if (held === "") {
      if (char === "<") held = char;
      else add(char);
      return;
    }
    const longer = held + char;
    const found = readTag(longer);
    if (found === "none") {
      const text = held;
      held = "";
      for (const one of text) add(one);
      take(char);
    } else if (found === "open") held = longer;
    else {
      held = "";
      flush();
      listener.tag({
        ...found,
        raw: longer,
        fenced: fenced || last === "`",
        first: line === "",
      });
    }
  };

  return {
    push(text) {
      if (text === "") return;
      if (held === "" && !/[<`]/u.test(text)) {
        const newline = text.lastIndexOf("\n");
        if (newline >= 0) line = "";
        if (line !== "" || /\S/u.test(text.slice(newline + 1))) line = null;
        last = text.slice(-1);
        listener.text(text);
        return;
      }
      for (const char of text) take(char);
      flush();
    },
    end() {
      out += held;
      held = "";
      flush();
    },
    leaveFence() {
      fenced = false;
    },
  };
}

/** Classifies a text that begins with `<`: a whole tag, the beginning of one, or none. */
function readTag(text: string): { readonly tag: Tag; readonly closes: boolean } | "open" | "none" {
  const match = /^<(\/?)([a-z_-]*)(\s{0,3})(>?)$/iu.exec(text);
  if (match === null) return "none";
  const [, slash, name = "", space, end] = match;
  const lower = name.toLowerCase();
  const tag = Object.hasOwn(TAGS, lower) ? TAGS[lower] : undefined;
  if (end === ">") return tag === undefined ? "none" : { tag, closes: slash === "/" };
  if (space !== "") return tag === undefined ? "none" : "open";
  return NAMES.some((known) => known.startsWith(lower)) ? "open" : "none";
}
