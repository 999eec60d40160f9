import { isObject } from "../log/json.ts";
import type { Fault, RawCall } from "../log/model.ts";
import { readMarker } from "../text/markers.ts";
import { isLikeDecision, readDecision, readInput, wholeDecision } from "./decision.ts";
import { readValue } from "./read-value.ts";
import { codeBehind, isCodeOpen, isCodeTool, pythonCall, researchTool } from "./research-calls.ts";
import { Findings, type ReplyForm, type ReplyReader, type ReplySink } from "./reader.ts";
import { createTagScanner, type FoundTag } from "./scan-tags.ts";

/**
 * Reads a reply in tags: `<think>`, `<tool_call>`, `<answer>`. Only a tag at the top level acts: nothing inside a
 * thought or a code fence does. Thoughts and answers are streamed; text outside of tags follows once its role is known.
 */
export function createTagsReader(form: ReplyForm, sink: ReplySink): ReplyReader {
  return new TagsReader(form, sink);
}

type At = "top" | "call" | "answer" | "leaked";

/**
 * At each tag inside a call, the call is read from its start, to detect a tag inside a string. Later tags are plain
 * text.
 */
const TAGS_IN_CALL_MAX = 200;

class TagsReader implements ReplyReader {
  readonly #form: ReplyForm;
  readonly #sink: ReplySink;
  readonly #findings = new Findings("tags");
  readonly #scanner = createTagScanner({
    text: (text) => this.#text(text),
    tag: (found) => this.#tag(found),
  });
  #at: At = "top";
  #thinking = false;
  #depth = 0;
  #prose = "";
  #call = "";
  /** length of the call up to the first tag that closed it inside one of its strings */
  #firstClose: number | null = null;
  /** tags inside the call so far */
  #tagsInCall = 0;
  readonly #calls: RawCall[] = [];
  readonly #answers: string[] = [];
  #answer = "";
  #acted = false;
  #isBroken = false;

  constructor(form: ReplyForm, sink: ReplySink) {
    this.#form = form;
    this.#sink = sink;
  }

  push(text: string): void {
    this.#scanner.push(text);
  }

  pause(): void {}

  called(): void {}

  end() {
    this.#scanner.end();
    if (this.#thinking) this.#findings.blame("unclosed_tag");
    else if (this.#at === "call") this.#endCall();
    else if (this.#at === "answer") {
      this.#findings.mend("unclosed_tag");
      this.#closeAnswer();
    } else this.#endTop();
    if (this.#calls.length > 0 && this.#answers.length > 0) this.#findings.blame("call_and_answer");
    this.#sink.split();
    for (const call of this.#calls) this.#sink.call(call);
    return this.#findings.parse(this.#answers.at(-1));
  }

  #text(text: string): void {
    if (this.#thinking) this.#sink.say("reasoning", text);
    else if (this.#at === "top") this.#prose += text;
    else if (this.#at === "call") this.#call += text;
    else if (this.#at === "answer") this.#sayAnswer(text);
  }

  #tag(found: FoundTag): void {
    const { tag, closes, raw, fenced } = found;
    if (this.#at === "leaked") return;
    if (this.#thinking) {
      if (tag !== "think" || !closes) return;
      this.#thinking = false;
      this.#scanner.leaveFence();
      this.#sink.split();
      return;
    }
    switch (this.#at) {
      case "call":
        return this.#tagInCall(found);
      case "answer":
        return this.#tagInAnswer(found);
      case "top":
        if (fenced) {
          this.#prose += raw;
          return;
        }
        if (tag === "think" && closes && this.#acted) return;
        if (tag === "think") {
          this.#sayProse();
          this.#thinking = !closes;
          this.#acted = true;
        } else if (tag === "tool_response") this.#leak();
        else if (closes) return;
        else {
          this.#sayProse();
          this.#acted = true;
          this.#at = tag === "answer" ? "answer" : "call";
          this.#depth = 1;
          this.#call = "";
          this.#firstClose = null;
          this.#tagsInCall = 0;
        }
    }
  }

  #tagInCall({ tag, closes, raw }: FoundTag): void {
    this.#tagsInCall += 1;
    if (this.#tagsInCall > TAGS_IN_CALL_MAX) {
      this.#call += raw;
      return;
    }
    const read = readValue(this.#call, 0);
    if (tag === "tool_call" && closes) {
      if (read.ok ? isCodeOpen(this.#call, read.end) : read.inString) {
        this.#firstClose ??= this.#call.length;
        this.#call += raw;
        return;
      }
      this.#takeCall(this.#call);
      this.#at = "top";
      this.#scanner.leaveFence();
    } else if (read.ok && !closes && tag !== "think" && !isCodeOpen(this.#call, read.end)) {
      // The next thing begins where the call was not closed.
      this.#findings.mend("unclosed_tag");
      this.#takeCall(this.#call);
      this.#at = "top";
      this.#scanner.leaveFence();
      this.#tag({ tag, closes, raw, fenced: false, first: true });
    } else this.#call += raw;
  }

  #tagInAnswer({ tag, closes, raw, fenced }: FoundTag): void {
    if (tag === "answer" && (closes || !fenced)) {
      this.#depth += closes ? -1 : 1;
      if (this.#depth > 0) return;
      this.#closeAnswer();
      this.#at = "top";
      this.#scanner.leaveFence();
    } else if (fenced) this.#sayAnswer(raw);
    else if (tag === "think" && !closes) {
      this.#sink.split();
      this.#thinking = true;
    } else if (tag === "tool_response" && !closes) {
      this.#closeAnswer();
      this.#leak();
    }
  }

  #leak(): void {
    this.#sayProse();
    this.#findings.blame("leaked_observation");
    this.#at = "leaked";
  }

  #sayAnswer(text: string): void {
    const words = this.#answer === "" ? text.trimStart() : text;
    if (words === "") return;
    this.#answer += words;
    this.#sink.say("text", words);
  }

  #closeAnswer(): void {
    this.#answers.push(this.#answer.trim());
    this.#answer = "";
    this.#sink.split();
  }

  /** Prose outside of tags before the first one is a thought. */
  #sayProse(): void {
    const prose = this.#prose.trim();
    this.#prose = "";
    if (prose === "") return;
    if (readMarker(prose).candidate !== null) this.#sink.say("text", prose);
    else this.#sink.say("reasoning", prose);
    this.#sink.split();
  }

  #endTop(): void {
    const prose = this.#prose.trim();
    if (this.#at === "leaked" || this.#calls.length > 0 || this.#answers.length > 0) return this.#sayProse();
    this.#prose = "";
    const { offers } = this.#form;
    const decision = offers.length === 0 ? null : wholeDecision(prose, offers);
    if (decision !== null) {
      this.#findings.mend("untagged", ...decision.repairs);
      if (decision.thought !== "") this.#sink.say("reasoning", decision.thought);
      this.#calls.push(...decision.calls);
      return;
    }
    if (prose !== "") this.#sink.say("text", prose);
    if (offers.length === 0 || this.#isBroken || readMarker(prose).candidate !== null) return;
    this.#findings.blame(prose === "" && !this.#acted ? "empty" : "no_tag");
  }

  /** A call that nothing closed. */
  #endCall(): void {
    const read = readValue(this.#call, 0);
    // A program that nothing closed may be half of one.
    const isWhole = read.ok && !isCodeOpen(this.#call, read.end);
    if (isWhole) this.#findings.mend("unclosed_tag");
    if (isWhole) this.#takeCall(this.#call);
    else if (this.#firstClose !== null) this.#takeCall(this.#call.slice(0, this.#firstClose));
    else this.#findings.blame(read.ok || read.cut ? "truncated" : "bad_json");
  }

  /** A call that cannot be read. */
  #blame(...faults: readonly Fault[]): void {
    this.#findings.blame(...faults);
    this.#isBroken ||= faults.length > 0;
  }

  #takeCall(text: string): void {
    const { offers } = this.#form;
    const bare = text.trim().replace(/^```\w*\s*/u, "");
    const read = readValue(bare, 0);
    if (!read.ok) return this.#takeUnread(bare);
    if (read.repaired) this.#findings.mend("loose_json");
    if (!isLikeDecision(read.value)) return this.#blame("missing_field");
    const decision = readDecision(read.value, offers);
    // Here the fields are called name and arguments.
    const strict = read.value["name"] !== undefined && read.value["arguments"] !== undefined;
    this.#findings.mend(...decision.repairs.filter((repair) => repair !== "field_names" || !strict));
    this.#blame(...decision.faults);
    const code = codeBehind(bare, read.end);
    this.#calls.push(
      ...decision.calls.map((call) =>
        isCodeTool(call.tool) && code !== undefined ? withCode(call, code, this.#form) : call,
      ),
    );
  }

  /** The code is outside of the JSON, so it can run even if the JSON is broken. */
  #takeUnread(text: string): void {
    const python = pythonCall(text);
    const { offers } = this.#form;
    const tool = python === null ? null : researchTool(python.name, offers);
    if (python === null || tool === null) return this.#blame("bad_json");
    this.#findings.mend("loose_json", "tool_name");
    this.#calls.push(readInput(tool, { code: python.code }, offers, new Set(), python.name));
  }
}

function withCode(call: RawCall, code: string, { offers }: ReplyForm): RawCall {
  const input = isObject(call.input) ? { ...call.input, code } : { code };
  return readInput(call.tool, input, offers, new Set());
}
