import { shortened } from "./cut.ts";
import type { Batch, BatchItem, ShownChange } from "../log/approval.ts";
import { isObject, type Json } from "../log/json.ts";
import { isPlainBlock, visibleLine, visibleString } from "./visible.ts";

/**
 * The text of a decision: everything that a person approves, in the same words on every surface. A surface may lay it out in its
 * own way, but offers no approval unless the text is complete there.
 */

/** An approval as far as its text needs it; an `ApprovalView` is one. */
export interface DecisionRequest {
  readonly title: string;
  readonly summary: string;
  readonly impact: readonly string[];
  readonly changes?: readonly ShownChange[] | null | undefined;
  readonly batch?: BatchRequest | null | undefined;
  /** also among the lines of `impact` */
  readonly warnings?: readonly string[] | null | undefined;
  readonly tainted?: boolean | null | undefined;
  readonly tool: string;
  readonly args: Json;
  /** the agent's arguments, when a person has changed them */
  readonly askedArgs?: Json | undefined;
}

type BatchRequest = Pick<Batch, "name"> & { readonly items: readonly Omit<BatchItem, "draft">[] };

/** A part of the text. Its lines contain no line break and nothing hidden. */
export interface DecisionSection {
  readonly kind: "warnings" | "summary" | "impact" | "changes" | "arguments" | "asked" | "cut";
  readonly heading: string | null;
  readonly lines: readonly string[];
}

export interface DecisionText {
  readonly title: string;
  readonly sections: readonly DecisionSection[];
  /** true: all of it is here, so the surface may offer the approval */
  readonly complete: boolean;
}

/** True when the surface shows all of a text in one piece. */
export type FitsLimit = (text: DecisionText) => boolean;

export const TAINTED_WARNING =
  "This run has read content from outside, which may have influenced it. Read carefully.";
export const CUT_NOTICE =
  "This is not everything: the rest does not fit here. Look at all of it before you decide.";

/** characters of the title, and of the lines of an incomplete text */
const CUT_CHARS = 300;
const CUT_LINES = 5;

/**
 * Builds the text of a decision from the title, the warnings, the summary, the impact, the changes and the canonical arguments.
 * Where that does not fit, the answer is a shorter text with `complete: false` and a notice; it is never cut silently.
 */
export function decisionText(request: DecisionRequest, fits: FitsLimit = () => true): DecisionText {
  const warnings = [...(request.tainted === true ? [TAINTED_WARNING] : []), ...(request.warnings ?? [])];
  const known = new Set(request.warnings ?? []);
  const sections: DecisionSection[] = [
    { kind: "warnings", heading: null, lines: warnings.map(sentence) },
    { kind: "summary", heading: null, lines: [sentence(request.summary)] },
    {
      kind: "impact",
      heading: "What it changes",
      lines: request.impact.filter((line) => !known.has(line)).map(sentence),
    },
    { kind: "changes", heading: "Before and after", lines: changeLines(request) },
    {
      kind: "arguments",
      heading: `Request details: ${visibleLine(request.tool)}`,
      lines: jsonLines(request.args),
    },
    {
      kind: "asked",
      heading: "What the agent asked for, before it was changed",
      lines:
        request.askedArgs === undefined || request.askedArgs === null ? [] : jsonLines(request.askedArgs),
    },
  ];
  const whole: DecisionText = {
    title: sentence(request.title),
    sections: sections.filter(({ lines }) => lines.length > 0),
    complete: true,
  };
  return fits(whole) ? whole : cutText(whole);
}

/**
 * Returns plain-text lines, grouped in sections. Lines of a section are marked so that none can imitate another
 * section.
 */
export function decisionLines({ title, sections }: DecisionText): string[] {
  return [
    title,
    ...sections.flatMap(({ kind, heading, lines }) => [
      "",
      ...(heading === null ? [] : [kind === "arguments" ? heading : `${heading}:`]),
      ...lines.map((line) => `${LEADS[kind]}${line}`),
    ]),
  ];
}

/** The mark before each line of a section: no text of a tool, a model or a page can begin so. */
export const LEADS: Readonly<Record<DecisionSection["kind"], string>> = {
  warnings: "⚠ ",
  summary: "",
  impact: "- ",
  changes: "  ",
  arguments: "  ",
  asked: "  ",
  cut: "",
};

/** The beginning of a text that does not fit: enough to know which decision it is, and that there is more. */
function cutText({ title, sections }: DecisionText): DecisionText {
  const first = sections.filter(({ kind }) => kind === "warnings" || kind === "summary");
  return {
    title: cut(title),
    sections: [
      ...first.map((section) => ({
        ...section,
        lines: [
          ...section.lines.slice(0, CUT_LINES).map(cut),
          ...(section.lines.length > CUT_LINES ? [`… ${section.lines.length - CUT_LINES} more`] : []),
        ],
      })),
      { kind: "cut", heading: null, lines: [CUT_NOTICE] },
    ],
    complete: false,
  };
}

const cut = (line: string): string => shortened(line, CUT_CHARS);

/** Puts a tool's sentence on one line, so that it cannot add lines to the card. */
const sentence = (text: string): string => {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return visibleLine(lines.filter((line) => line !== "").join(" "));
};

function changeLines({ changes, batch }: DecisionRequest): string[] {
  if (batch === null || batch === undefined) return (changes ?? []).flatMap((one) => changeOf(one));
  return batch.items.flatMap(({ what, becomes, changes: own }) => [
    `${visibleLine(what)} (${becomes})`,
    ...own
      .flatMap((one) => changeOf({ ...one, what: withoutPrefix(one.what, `${what} · `) }))
      .map((line) => `  ${line}`),
  ]);
}

const withoutPrefix = (text: string, prefix: string): string =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text;

/**
 * Right-to-left letters. Two of them on one line reorder the text between them: `1` and `2` of `["א",1,2,"ב"]` would be
 * shown in the other order.
 */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A change on one line where it is short, else before and after as lines of a difference. */
function changeOf({ what, before, after }: ShownChange): string[] {
  const name = visibleLine(what);
  const [old, next] = [sideOf(before), sideOf(after)];
  const [was = "", ...moreOld] = old;
  const [becomes = "", ...moreNext] = next;
  const isShort = moreOld.length + moreNext.length === 0 && was.length + becomes.length <= LINE_CHARS;
  if (isShort && !RIGHT_TO_LEFT.test(name + was + becomes)) return [`${name}: ${was} → ${becomes}`];
  return [name, ...old.map((line) => `− ${line}`), ...next.map((line) => `+ ${line}`)];
}

/** Quoted, or line by line behind bars. */
function sideOf(text: string | null): string[] {
  if (text === null) return ["nothing"];
  if (!text.includes("\n")) return [`“${visibleLine(text)}”`];
  return isPlainBlock(text) ? text.split("\n").map((line) => `│ ${line}`) : [visibleString(text)];
}

/** characters of a line that holds a whole value */
const LINE_CHARS = 100;
/** deeper levels are not indented further: the text would leave the screen */
const INDENTS_MAX = 8;

/**
 * Formats a value as canonical JSON (keys sorted by UTF-16 code unit), one line for each scalar if it is long or has
 * right-to-left letters. Multi-line text is shown behind bars, unless part of it would be invisible.
 */
export function jsonLines(value: Json): string[] {
  const short = compact(value);
  if (short.length <= LINE_CHARS && !holdsBlock(value) && !RIGHT_TO_LEFT.test(short)) return [short];
  const lines: string[] = [];
  write(value, "", "", 0, lines);
  return lines;
}

function write(value: Json, lead: string, end: string, depth: number, lines: string[]): void {
  const indent = "  ".repeat(Math.min(depth, INDENTS_MAX));
  if (typeof value === "string" && isBlock(value)) {
    lines.push(`${indent}${lead}│`);
    for (const line of value.split("\n")) lines.push(`${indent}  │ ${line}`);
    return;
  }
  const entries: readonly (readonly [lead: string, item: Json])[] = Array.isArray(value)
    ? value.map((item: Json) => ["", item] as const)
    : isObject(value)
      ? sorted(value).map(([key, item]) => [`${visibleString(key)}: `, item] as const)
      : [];
  if (entries.length === 0) {
    if (RIGHT_TO_LEFT.test(lead)) {
      lines.push(`${indent}${lead.trimEnd()}`, `${indent}  ${compact(value)}${end}`);
      return;
    }
    lines.push(`${indent}${lead}${compact(value)}${end}`);
    return;
  }
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  lines.push(`${indent}${lead}${open}`);
  for (const [at, [name, item]] of entries.entries())
    write(item, name, at === entries.length - 1 ? "" : ",", depth + 1, lines);
  lines.push(`${indent}${close}${end}`);
}

/** On one line. Not normalized: what is shown is what runs, sign by sign. */
function compact(value: Json): string {
  if (typeof value === "string") return visibleString(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => compact(item)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${sorted(value)
    .map(([key, item]) => `${visibleString(key)}:${compact(item)}`)
    .join(",")}}`;
}

const sorted = (value: { readonly [key: string]: Json }): [string, Json][] =>
  Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

const isBlock = (text: string): boolean => text.includes("\n") && isPlainBlock(text);

function holdsBlock(value: Json): boolean {
  if (typeof value === "string") return isBlock(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((item: Json) => holdsBlock(item));
}
