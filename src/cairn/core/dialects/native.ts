import { wholeDecision } from "./decision.ts";
import { Findings, type ReplyForm, type ReplyReader, type ReplySink } from "./reader.ts";
import { createTagScanner } from "./scan-tags.ts";

/**
 * A reply in the provider's own form: its text is the text. Only a thought in tags, at the beginning of a line, is taken
 * out of it, and the tags around an answer, which models write that were trained on them; and a text that begins as a call does is held until its end, because it may be that call.
 */
export function createNativeReader(form: ReplyForm, sink: ReplySink): ReplyReader {
  const findings = new Findings("native");
  const mayCall = form.takesWritten && form.offers.length > 0;
  let thinking = false;
  let thought = false;
  /** the text so far where it may be a call as a whole; null where it cannot be */
  let held: string | null = mayCall ? "" : null;
  /** the held text begins as a call does */
  let likely = false;
  /** pending blanks: emitted only once other text follows */
  let space: string | null = "";
  let mended = false;
  /** tags of answers that are open */
  let answers = 0;
  /** space behind the opening tag of an answer is not shown */
  let trims = false;
  /** a closing tag that nothing opened: shown only where words follow it */
  let orphan = "";
  /** last character of the words so far that is no space */
  let lastText = "";

  const say = (text: string): void => {
    if (thinking) return sink.say("reasoning", text);
    let words = trims ? text.trimStart() : text;
    if (words === "") return;
    trims = false;
    if (words.trim() === "" && orphan !== "") {
      orphan += words;
      return;
    }
    if (words.trim() !== "") {
      words = orphan + words;
      orphan = "";
      lastText = words.trimEnd().slice(-1);
    }
    if (space !== null) {
      space += words;
      if (words.trim() === "") return;
      // Space between a thought and what follows it is of neither.
      words = thought ? space.trimStart() : space;
      space = null;
    }
    if (held === null) return sink.say("text", words);
    held += words;
    if (likely) return;
    const begun = held.trimStart().toLowerCase();
    likely = BEGINNINGS.some((one) => begun.startsWith(one));
    if (!likely && !BEGINNINGS.some((one) => one.startsWith(begun))) release();
  };
  const release = (): void => {
    const text = held;
    held = null;
    if (text !== null && text !== "") sink.say("text", text);
  };
  const scanner = createTagScanner({
    text: say,
    tag({ tag, closes, raw, fenced, first }) {
      if (tag === "think" && thinking) {
        if (!closes) return;
        thinking = false;
        scanner.leaveFence();
        sink.split();
      } else if (tag === "think" && !closes && !fenced && first) {
        thinking = true;
        thought = true;
        space = "";
        sink.split();
      } else if (tag === "think" && closes && !fenced && first && !thought) {
        // The beginning of the thought is unknown and already emitted: only the tag is left out.
        thought = true;
      } else if (tag === "answer" && !thinking && !fenced) tagOfAnswer(raw, closes, first);
      else say(raw);
    },
  });
  const tagOfAnswer = (raw: string, closes: boolean, first: boolean): void => {
    if (closes && answers > 0) answers -= 1;
    else if (closes && first && lastText === "") return;
    else if (closes) orphan += raw;
    // Within a sentence the words are about the tag.
    else if (first || lastText === "" || ENDS_OF_SENTENCES.includes(lastText)) {
      answers += 1;
      trims = true;
      // An answer is no call, whatever it looks like.
      release();
    } else say(raw);
  };

  return {
    push: (text) => scanner.push(text),
    pause() {
      if (held === null || held === "") scanner.end();
    },
    called() {
      scanner.end();
      release();
    },
    end() {
      scanner.end();
      const decision = held === null ? null : wholeDecision(held, form.offers);
      if (decision !== null) {
        held = null;
        mended = true;
        findings.mend("rescued", ...decision.repairs);
        if (decision.thought !== "") sink.say("reasoning", decision.thought);
        for (const call of decision.calls) sink.call(call);
      }
      release();
      if (thinking) findings.blame("unclosed_tag");
      return mended || thinking ? findings.parse() : undefined;
    },
  };
}

const ENDS_OF_SENTENCES = [".", "!", "?", ":", ">", "。", "！", "？", "：", "…"];

const BEGINNINGS = ["{", "```", "<tool_call"];
