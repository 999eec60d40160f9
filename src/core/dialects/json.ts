import { isObject, type Json } from "../log/json.ts";
import type { RawCall } from "../log/model.ts";
import { readMarker } from "../text/markers.ts";
import { isComplete, isLikeDecision, readDecision } from "./decision.ts";
import { readString, readValue } from "./read-value.ts";
import { Findings, type ReplyForm, type ReplyReader, type ReplySink } from "./reader.ts";
import { createTagScanner } from "./scan-tags.ts";

/**
 * A reply that is an object of a thought, an action and its input. The thought is shown while it streams where it stands
 * first; all else is known when the reply has ended.
 */
export function createJsonReader(form: ReplyForm, sink: ReplySink): ReplyReader {
  const findings = new Findings("json");
  let body = "";
  let thinking = false;
  /** index behind the opening quote of the thought; null before it is found, -1 where none comes first */
  let thoughtAt: number | null = null;
  let shown = 0;

  const showThought = (): void => {
    if (thoughtAt === null) {
      const begun = THOUGHT_FIRST.exec(body);
      if (begun !== null) thoughtAt = begun[0].length;
      else if (!mayBeginThought(body)) thoughtAt = -1;
    }
    if (thoughtAt === null || thoughtAt < 0) return;
    const { text } = readString(body, thoughtAt, '"');
    if (text.length > shown) sink.say("reasoning", text.slice(shown));
    shown = Math.max(shown, text.length);
  };
  const scanner = createTagScanner({
    text(text) {
      if (thinking) return sink.say("reasoning", text);
      body += text;
      showThought();
    },
    tag({ tag, closes, raw, fenced, first }) {
      const bare = body.trim();
      if (tag === "think" && thinking) {
        if (!closes) return;
        thinking = false;
        scanner.leaveFence();
        sink.split();
      } else if (tag === "think" && !closes && !fenced && (first || bare === "")) {
        thinking = true;
        sink.split();
      } else if (tag === "think" && closes && !fenced && !bare.includes("{")) {
        // It closes a thought that began with the reply.
        if (bare !== "") sink.say("reasoning", bare);
        sink.split();
        body = "";
        thoughtAt = null;
      } else {
        body += raw;
        showThought();
      }
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
  let around = "";
  let decided = false;
  let rest = body;
  for (;;) {
    if (decided) {
      const leak = /(?:^|\n)[ \t`]*Observation:/u.exec(rest);
      const next = rest.indexOf("{");
      if (leak !== null && (next < 0 || leak.index < next)) {
        findings.blame("leaked_observation");
        rest = rest.slice(0, leak.index);
      }
    }
    const at = rest.indexOf("{");
    if (at < 0) break;
    const read = readValue(rest, at);
    if (read.ok && isLikeDecision(read.value)) {
      around += rest.slice(0, at);
      rest = rest.slice(read.end).replace(/^\s*[,\]]/u, "");
      decided = true;
      if (read.repaired) findings.mend("loose_json");
      const decision = readDecision(read.value, offers);
      thoughts.push(decision.thought);
      calls.push(...decision.calls);
      findings.mend(...decision.repairs);
      findings.blame(...decision.faults);
    } else if (read.ok) {
      around += rest.slice(0, read.end);
      rest = rest.slice(read.end);
    } else if (BEGINS_OBJECT.test(rest.slice(at, at + 100))) {
      // What was broken is never read in part.
      findings.blame(read.cut ? "truncated" : "bad_json");
      around += rest.slice(0, at);
      if (forced && !decided) return { thoughts, prose: "", text: bareProse(body, false), calls: [] };
      rest = "";
      decided = true;
    } else {
      around += rest.slice(0, at + 1);
      rest = rest.slice(at + 1);
    }
  }
  around += rest;
  return close({ thoughts, calls, around: bareProse(around, decided), decided, forced }, findings);
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
  const said = decided && calls.length > 0 && around !== "";
  if (said) findings.mend("prose");
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

/** What stands around decisions, without the fences and tags that held them. */
function bareProse(text: string, decided: boolean): string {
  const words = text.replace(TAGS, "");
  return (decided ? words.replace(/^[ \t]*```\w*[ \t]*$/gmu, "") : words).trim();
}
