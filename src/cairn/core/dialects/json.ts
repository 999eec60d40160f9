import { isObject, type Json } from "../log/json.ts";
import type { RawCall } from "../log/model.ts";
import { readMarker } from "../text/markers.ts";
import { isComplete, isLikeDecision, readDecision } from "./decision.ts";
import { readString, readValue } from "./read-value.ts";
import { Findings, type ReplyForm, type ReplyReader, type ReplySink } from "./reader.ts";
import { createTagScanner } from "./scan-tags.ts";

/**
 * Reads a reply that is an object with a thought, an action and its input. The thought streams if it comes first; the
 * rest is known when the reply has ended.
 */
export function createJsonReader(form: ReplyForm, sink: ReplySink): ReplyReader {
  const findings = new Findings("json");
  let body = "";
  let isBlank = true;
  let hasBrace = false;
  let thinking = false;
  /** The text that may still be shown as the thought: the body until its opening quote is found, then the unread rest of the string. */
  let unread: string | null = "";
  let begun = false;
  let shown = 0;

  const showThought = (text: string): void => {
    if (unread === null) return;
    unread += text;
    if (!begun) {
      const opening = THOUGHT_FIRST.exec(unread);
      if (opening === null) {
        if (!mayBeginThought(unread)) unread = null;
        return;
      }
      begun = true;
      unread = unread.slice(opening[0].length);
    }
    const read = readString(unread, 0, '"');
    if (read.text !== "") sink.say("reasoning", read.text);
    shown += read.text.length;
    unread = read.closed ? null : unread.slice(read.end);
  };
  const add = (text: string): void => {
    body += text;
    isBlank &&= text.trim() === "";
    hasBrace ||= text.includes("{");
    showThought(text);
  };
  const scanner = createTagScanner({
    text(text) {
      if (thinking) return sink.say("reasoning", text);
      add(text);
    },
    tag({ tag, closes, raw, fenced, first }) {
      if (tag === "think" && thinking) {
        if (!closes) return;
        thinking = false;
        scanner.leaveFence();
        sink.split();
      } else if (tag === "think" && !closes && !fenced && (first || isBlank)) {
        thinking = true;
        sink.split();
      } else if (tag === "think" && closes && !fenced && !hasBrace) {
        // The tag closes a thought that began with the reply.
        if (!isBlank) sink.say("reasoning", body.trim());
        sink.split();
        body = "";
        isBlank = true;
        unread = "";
      } else add(raw);
    },
  });

  return {
    push: (text) => scanner.push(text),
    pause() {},
    called() {},
    end() {
      scanner.end();
      if (thinking && body.trim() === "") {
        findings.blame("unclosed_tag");
        return findings.parse();
      }
      const found = readBody(body, form, findings);
      const [thought = "", ...thoughts] = found.thoughts;
      if (shown > 0 && thought.length > shown) sink.say("reasoning", thought.slice(shown));
      sink.split();
      for (const one of [...(shown > 0 ? [] : [thought]), found.prose, ...thoughts]) {
        if (one !== "") sink.say("reasoning", one);
        sink.split();
      }
      if (found.text !== "") sink.say("text", found.text);
      sink.split();
      for (const call of found.calls) sink.call(call);
      return findings.parse(found.answer);
    },
  };
}

const THOUGHT_FIRST = /^\s*(?:```\w{0,10}\s*)?\{\s*"thought"\s*:\s*"/u;
const THOUGHT_CHARS = /^\s*(?:`{0,3}|```\w{0,10}\s*|(?:```\w{0,10}\s*)?\{\s*(?:"[a-z]*"?\s*:?\s*)?)$/u;
const mayBeginThought = (body: string): boolean => body.length < 200 && THOUGHT_CHARS.test(body);

interface Body {
  readonly thoughts: readonly string[];
  /** what stood around the decisions */
  readonly prose: string;
  readonly text: string;
  readonly calls: readonly RawCall[];
  readonly answer?: string;
}

function readBody(body: string, form: ReplyForm, findings: Findings): Body {
  const { offers } = form;
  const forced = offers.length === 0;
  const thoughts: string[] = [];
  const calls: RawCall[] = [];
  const leakBehind = createLeakSearch(body);
  let around = "";
  let decided = false;
  let from = 0;
  let end = body.length;
  let wasted = 0;
  for (;;) {
    const at = body.indexOf("{", from);
    const leak = decided ? leakBehind(from) : -1;
    if (leak >= 0 && (at < 0 || leak < at)) {
      findings.blame("leaked_observation");
      end = leak;
      break;
    }
    if (at < 0 || wasted > WASTED_CHARS_MAX) break;
    const read = readValue(body, at);
    if (read.ok && isLikeDecision(read.value)) {
      around += body.slice(from, at);
      SEPARATOR.lastIndex = read.end;
      from = SEPARATOR.test(body) ? SEPARATOR.lastIndex : read.end;
      decided = true;
      if (read.repaired) findings.mend("loose_json");
      const decision = readDecision(read.value, offers);
      thoughts.push(decision.thought);
      calls.push(...decision.calls);
      findings.mend(...decision.repairs);
      findings.blame(...decision.faults);
    } else if (read.ok) {
      around += body.slice(from, read.end);
      from = read.end;
    } else if (BEGINS_OBJECT.test(body.slice(at, at + 100))) {
      // A broken block is never read in part.
      findings.blame(read.cut ? "truncated" : "bad_json");
      around += body.slice(from, at);
      if (forced && !decided) return { thoughts, prose: "", text: bareProse(body, false), calls: [] };
      from = end;
      decided = true;
    } else {
      around += body.slice(from, at + 1);
      from = at + 1;
      wasted += read.end - at + FAILURE_CHARS;
    }
  }
  around += body.slice(from, end);
  return close({ thoughts, calls, around: bareProse(around, decided), decided, forced }, findings);
}

/** characters read again behind braces that begin no value, before the rest counts as prose */
const WASTED_CHARS_MAX = 1_000_000;
/** a failure costs as much as reading so many characters */
const FAILURE_CHARS = 50;
const SEPARATOR = /\s*[,\]]/uy;

/** Finds the next observation that a model made up: at the index, or at the start of a later line. Asked with rising indexes. */
function createLeakSearch(body: string): (from: number) => number {
  const here = /[ \t`]*Observation:/uy;
  const line = /\n[ \t`]*Observation:/gu;
  let next = -1;
  let isOver = false;
  return (from) => {
    here.lastIndex = from;
    if (here.test(body)) return from;
    if (next < from && !isOver) {
      line.lastIndex = from;
      next = line.exec(body)?.index ?? -1;
      isOver = next < 0;
    }
    return next;
  };
}

const BEGINS_OBJECT = /^\{\s*(?:["'“‘]?[A-Za-z_]{1,40}["'”’]?\s*:|["'“‘][A-Za-z_]{0,40}$)/u;

function close(
  read: {
    readonly thoughts: readonly string[];
    readonly calls: readonly RawCall[];
    readonly around: string;
    readonly decided: boolean;
    readonly forced: boolean;
  },
  findings: Findings,
): Body {
  const { thoughts, calls, around, decided, forced } = read;
  const hasText = decided && calls.length > 0 && around !== "";
  if (hasText) findings.mend("prose");
  if (forced && calls.length > 0) {
    const answer = answerIn(calls);
    if (answer !== null) return { thoughts, prose: "", text: answer, calls: [], answer };
    return { thoughts, prose: "", text: around, calls };
  }
  if (readMarker(around).candidate !== null) {
    const text = around.slice(around.search(/^[ \t]*FINAL_ANSWER:/mu));
    if (calls.length > 0) findings.blame("call_and_answer");
    return { thoughts, prose: around.slice(0, around.length - text.length).trim(), text, calls };
  }
  if (calls.length > 0) return { thoughts, prose: around, text: "", calls };
  if (!decided) {
    if (!forced) findings.blame(around === "" ? "empty" : "no_json");
    return { thoughts, prose: "", text: around, calls };
  }
  return { thoughts, prose: "", text: around, calls };
}

/** The answer that a call of `complete` carries. */
function answerIn(calls: readonly RawCall[]): string | null {
  const call = calls.find(({ tool }) => isComplete(tool));
  const input: Json = call?.input ?? null;
  if (typeof input === "string") return input;
  const answer = isObject(input) ? input["answer"] : undefined;
  return typeof answer === "string" && answer.trim() !== "" ? answer : null;
}

const TAGS = /<\/?(?:think|thinking|tool_call|tool_response|answer)\s*>/giu;

/** Returns the prose around decisions, without the fences and tags that enclosed them. */
function bareProse(text: string, decided: boolean): string {
  const words = text.replace(TAGS, "");
  return (decided ? words.replace(/^[ \t]*```\w*[ \t]*$/gmu, "") : words).trim();
}
