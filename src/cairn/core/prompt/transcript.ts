import { INPUT_CHARS_MIN, INPUT_SHARE, INPUTS_SHARE, OBSERVATION_CHARS_MAX } from "../limits.ts";
import { asKind, type Entry } from "../log/entry.ts";
import type { Json } from "../log/json.ts";
import type { PromptMessage, PromptPart, PromptResult, ReplyPart } from "../log/model.ts";
import { inputName } from "../log/names.ts";
import { OBJECTIVE, type PreviousRun, type RunSpec } from "../log/run-spec.ts";
import { NOBODY } from "../entries/question.ts";
import { estimateMessage, estimateText } from "../state/prompt-size.ts";
import { isStrangers } from "../state/safety.ts";
import { fence } from "../text/untrusted.ts";
import { shownCalls, withCalls } from "./earlier-calls.ts";
import { note, textPart } from "./notes.ts";
import { cutObservation, sliceText } from "./observation.ts";

/** How much of a run a prompt holds. A compaction that was made counts under each of them. */
export type TranscriptPolicy =
  /** at most the newest messages, as the CMS agent did */
  | "window"
  /** the middle is summed up as the run grows */
  | "compact"
  /** the middle is summed up only where it fits no window */
  | "none";

export interface TranscriptBounds {
  /** tokens of one input that are shown as they are; a longer one shows its head and tail, and where the rest is read */
  readonly inputTokensMax?: number;
  /** messages of earlier runs; all of them when left out */
  readonly earlierMax?: number;
  /** tokens of those messages, of which the newest are shown */
  readonly earlierTokensMax?: number;
  /** the entry that requested the run, its template in the prompt, and the run that it continues */
  readonly request?: { readonly seq: number } & Pick<RunSpec, "objectiveTemplate" | "previous">;
}

/**
 * A message. Always in the prompt: messages of the person in this run, and results that stay whole. `earlier`: of an
 * earlier run.
 */
interface Piece {
  readonly message: PromptMessage;
  readonly fromPerson: boolean;
  whole?: true;
  readonly earlier?: true;
}

/** A reply of the model some of whose results are still missing. */
interface OpenReply {
  readonly order: readonly string[];
  readonly results: Map<string, PromptResult>;
  readonly reply: Piece;
  /** one of its results stays whole */
  whole: boolean;
}

export interface Transcript {
  readonly messages: readonly PromptMessage[];
  /** those of earlier runs */
  readonly earlier: readonly PromptMessage[];
}

/**
 * The conversation as the model reads it: earlier runs as messages, answers and calls, the current run in log order. A
 * reply and the results of all its calls stay together, so no result is without its call. Entries covered by the run's
 * last `compacted` entry are replaced by its summary, except those that it preserves.
 */
export function composeTranscript(
  history: readonly Entry[],
  current: readonly Entry[],
  policy: TranscriptPolicy = "compact",
  bounds: TranscriptBounds = {},
): Transcript {
  const earlier = newest(earlierMessages(history, bounds), bounds).map((message): Piece => ({
    message,
    fromPerson: false,
    earlier: true,
  }));
  const all = [...earlier, ...pieces(current, bounds)];
  const shown = policy === "window" ? windowed(all) : all;
  const messages = (of: readonly Piece[]): PromptMessage[] => of.map((piece) => piece.message);
  return { messages: messages(shown), earlier: messages(shown.filter((piece) => piece.earlier)) };
}

/**
 * The last messages that there is room for, from words of the person on. Where they have more tokens than that, a long one shows
 * its head and its tail, so that a few long ones do not take the place of all others.
 */
function newest(
  messages: readonly PromptMessage[],
  { earlierMax = Infinity, earlierTokensMax = Infinity }: TranscriptBounds,
): readonly PromptMessage[] {
  const tokensOf = (all: readonly PromptMessage[]): number =>
    all.reduce((total, message) => total + estimateMessage(message), 0);
  const counted = messages.slice(Math.max(0, messages.length - earlierMax));
  const isLong = tokensOf(counted) > earlierTokensMax;
  const tokensEach = Math.floor(earlierTokensMax / EARLIER_MESSAGES_SHOWN);
  const shown = isLong ? counted.map((message) => headAndTail(message, tokensEach)) : [...counted];
  while (shown.length > 0 && tokensOf(shown) > earlierTokensMax) shown.shift();
  if (shown.length === messages.length) return shown;
  const from = shown.findIndex(({ role }) => role === "user");
  return from < 0 ? [] : shown.slice(from);
}

/** minimum number of long messages shown from earlier runs: a question and its answer, twice, and some short ones */
const EARLIER_MESSAGES_SHOWN = 5;

function headAndTail(message: PromptMessage, tokensMax: number): PromptMessage {
  if (message.role === "tool" || estimateMessage(message) <= tokensMax) return message;
  const cut = (text: string): string =>
    headAndTailOf(
      text,
      Math.floor((text.length * tokensMax) / Math.max(1, estimateText(text))),
      "\n[shortened]\n",
    );
  if (message.role === "user")
    return {
      ...message,
      parts: message.parts.map((part) => (part.type === "text" ? { ...part, text: cut(part.text) } : part)),
    };
  return {
    ...message,
    parts: message.parts.map((part) => (part.type === "text" ? { ...part, text: cut(part.text) } : part)),
  };
}

const WINDOW_FROM = 20;

const WINDOW_MESSAGES = 10;

/**
 * More than 20 messages: the last 10, widened to whole blocks, and what the person asks in this run, which no window
 * may drop, and results that stay whole, such as skills. Begins with the person's words.
 */
function windowed(all: readonly Piece[]): readonly Piece[] {
  if (all.length <= WINDOW_FROM) return all;
  const roleAt = (index: number): string | undefined => all[index]?.message.role;
  let from = all.length - WINDOW_MESSAGES;
  while (from > 0 && roleAt(from) === "tool") from--;
  if (!all.slice(0, from).some((piece) => piece.fromPerson))
    while (from > 0 && roleAt(from) !== "user") from--;
  return [
    ...all.slice(0, from).filter((piece) => piece.fromPerson || piece.whole === true),
    ...all.slice(from),
  ];
}

/** Messages and answers of earlier runs, with the calls of the newest. */
function earlierMessages(history: readonly Entry[], bounds: TranscriptBounds): readonly PromptMessage[] {
  const calls = shownCalls(history);
  const messages: PromptMessage[] = [];
  for (const entry of history) {
    const lines = calls.get(entry.seq);
    if (entry.kind === "answer" && lines !== undefined) {
      const before = messages.at(-1);
      if (before?.role === "user") messages.pop();
      messages.push(withCalls(before, entry, lines));
    }
    messages.push(...spoken(entry, bounds));
  }
  return messages;
}

/** The person's input and the answer of an earlier run, and what was made of its middle. */
function spoken(entry: Entry, bounds: TranscriptBounds): PromptMessage[] {
  if (entry.kind === "user_message") return [inputMessage(entry, bounds)];
  if (entry.kind === "compacted" && entry.body.summary !== "") return [note(entry.body.summary)];
  if (entry.kind === "answer" && entry.body.text !== "") {
    return [{ role: "assistant", parts: [{ type: "text", text: entry.body.text }] }];
  }
  return [];
}

/** The entry by which a run is compacted now: the last one, because each covers what the one before it did. */
export function lastCompacted(entries: readonly Entry[]): Entry<"compacted"> | null {
  const entry = entries.findLast((entry) => entry.kind === "compacted");
  return entry === undefined ? null : asKind(entry, "compacted");
}

const tokensOfInputs = new WeakMap<Entry, readonly number[]>();

/** The tokens of each text of a message. */
function inputTokens(entry: Entry<"user_message">): readonly number[] {
  const known = tokensOfInputs.get(entry);
  if (known !== undefined) return known;
  const tokens = entry.body.parts.map((part) => (part.type === "text" ? estimateText(part.text) : 0));
  tokensOfInputs.set(entry, tokens);
  return tokens;
}

/** The tokens that each input of a run may have: a part of the window, or an equal share where all of them would be too long. */
export function inputTokensFor(window: number, entries: readonly Entry[]): number {
  const one = Math.floor(window * INPUT_SHARE);
  const tokens = entries.flatMap((entry) =>
    entry.kind === "user_message" ? inputTokens(entry).map((size) => Math.min(one, size)) : [],
  );
  const all = window * INPUTS_SHARE;
  const sum = tokens.reduce((total, item) => total + item, 0);
  return sum <= all ? one : Math.min(one, Math.floor(all / tokens.length));
}

/** Returns a person's message, each part unchanged unless it is longer than a prompt should hold. */
export function inputMessage(
  entry: Entry<"user_message">,
  { inputTokensMax = Infinity }: TranscriptBounds,
): PromptMessage {
  return once(entry, inputTokensMax, () => ({ role: "user", parts: inputParts(entry, inputTokensMax) }));
}

function inputParts({ seq, body }: Entry<"user_message">, inputTokensMax: number): readonly PromptPart[] {
  return body.parts.map((part, index) => {
    const name = inputName(seq, index);
    const shown = bounded(part, name, inputTokensMax);
    if (shown.type !== "text") return shown;
    return textPart(isStrangers(body.source, part) ? fence(shown.text, name) : shown.text);
  });
}

/** Messages that were made of an entry, which never changes, under what else they depend on: their size is known by them. */
const made = new WeakMap<Entry, { readonly under: number; readonly message: PromptMessage }>();

function once(entry: Entry, under: number, make: () => PromptMessage): PromptMessage {
  const known = made.get(entry);
  if (known?.under === under) return known.message;
  const message = make();
  made.set(entry, { under, message });
  return message;
}

function pieces(entries: readonly Entry[], bounds: TranscriptBounds): Piece[] {
  const compacted = lastCompacted(entries);
  const verbatim = new Set(compacted?.body.verbatim);
  const isCovered = ({ seq }: Entry): boolean =>
    compacted !== null && seq >= compacted.body.from && seq <= compacted.body.to && !verbatim.has(seq);
  let summary = compacted === null || compacted.body.summary === "" ? null : note(compacted.body.summary);
  const messages: Piece[] = [];
  /** arguments that were put in place of the asked ones, and that others have to agree to */
  const edits = new Map<string, Json>();
  /** what came while the results of a reply were still missing */
  let later: Piece[] = [];
  let open: OpenReply | null = null;
  const say = (message: PromptMessage, asked = false): void =>
    void (open === null ? messages : later).push({ message, fromPerson: asked });
  for (const entry of entries) {
    if (summary !== null && entry.seq >= (compacted?.body.from ?? 0)) {
      say(summary);
      summary = null;
    }
    if (isCovered(entry)) continue;
    switch (entry.kind) {
      case "user_message":
        if (isCallAnswer(entry.body)) break;
        if (entry.seq === bounds.request?.seq) {
          if (bounds.request.previous !== null) say(previously(bounds.request.previous), true);
          say(framed(inputMessage(entry, bounds), bounds.request.objectiveTemplate), true);
        } else say(inputMessage(entry, bounds), true);
        break;
      case "model_replied": {
        const parts = entry.body.parts.filter(isPrompted);
        if (!parts.some((part) => part.type !== "reasoning")) break;
        const { calls } = entry.body;
        const reply: Piece = {
          message: once(entry, 0, () => ({ role: "assistant", parts })),
          fromPerson: false,
        };
        messages.push(reply);
        if (calls.length > 0)
          open = { order: calls.map((call) => call.call), results: new Map(), reply, whole: false };
        break;
      }
      case "call_settled": {
        if (open === null) break;
        const { call, tool, status, whole = false } = entry.body;
        const max = compacted !== null && entry.seq < compacted.seq ? compacted.body.observationChars : null;
        const isCut = max !== null && !whole;
        const observation = isCut ? shortened(entry.body.observation, max, call) : entry.body.observation;
        open.whole ||= whole;
        open.results.set(call, { call, tool, observation, failed: status !== "ok" });
        if (open.results.size < open.order.length) break;
        const { order, results } = open;
        const message = (): PromptMessage => ({
          role: "tool",
          results: order.map((name) => results.get(name)).filter((result) => result !== undefined),
        });
        const result: Piece = { message: once(entry, max ?? -1, message), fromPerson: false };
        if (open.whole) for (const piece of [open.reply, result]) piece.whole = true;
        messages.push(result, ...later);
        open = null;
        later = [];
        break;
      }
      case "approval_voted":
        if (entry.body.decision === "edit") edits.set(entry.body.approval, entry.body.args);
        break;
      case "approval_decided": {
        const { approval, call, decision, args } = entry.body;
        const put = decision === "edit" ? args : decision === "approve" ? edits.get(approval) : undefined;
        if (put === undefined) break;
        const words = `Before approving it, the person changed the arguments of ${call} to ${JSON.stringify(put)}.`;
        say(note(words));
        break;
      }
      case "human_answered":
        // The answer to a call's question is that call's result.
        if (entry.body.call !== null) break;
        if (entry.body.expired) say(note(NOBODY));
        else say({ role: "user", parts: [textPart(String(entry.body.value))] }, true);
        break;
      case "review":
        if (!entry.body.accept) say(note(entry.body.text));
        break;
      case "child_reported":
        // The report that a call waits for is that call's result.
        if (entry.body.observation !== undefined)
          say(note(reportOf(entry.body.call, entry.body.observation)));
        break;
      case "note":
        if (entry.body.digest !== undefined) say(note(digestText(entry)));
        break;
      case "verdict":
        // A one-time hint is in the last block of one request (core/prompt/prompt.ts).
        if (entry.body.act === "reask" || entry.body.act === "force") say(note(entry.body.hint));
        break;
      default:
        break;
    }
  }
  // A block that is still open is never shown: the loop calls no model before its last result.
  return messages;
}

const reportOf = (call: string, observation: string): string =>
  `The run that you started by ${call} has ended. Its report:\n${observation}`;

/** Notes that the person was shown with their message. Unattended runs wrote them, so they are data. */
const digestText = ({ seq, body }: Entry<"note">): string =>
  `The person has been shown this with their message. It was kept for them while they were away; it is done.\n${fence(body.text, `note${seq}`)}`;

/** The words that asked for the run, in the frame that its agent has for them. */
function framed(message: PromptMessage, template: string | null): PromptMessage {
  if (template === null || message.role !== "user") return message;
  const at = template.indexOf(OBJECTIVE);
  const around = [template.slice(0, at), template.slice(at + OBJECTIVE.length)];
  const [before, after] = around.map((text) => (text.trim() === "" ? [] : [textPart(text.trim())]));
  return { ...message, parts: [...(before ?? []), ...message.parts, ...(after ?? [])] };
}

/** Summary of the run that this one continues: data, no matter what it contains. */
function previously({ run, objective, answer, outcome, memory }: PreviousRun): PromptMessage {
  const lines = [
    `objective: ${objective}`,
    `ended: ${outcome}`,
    `answer: ${answer === "" ? "(none)" : answer}`,
    ...(memory.length === 0 ? [] : ["memory:", ...memory]),
  ];
  return note(`This run goes on from an earlier one.\n${fence(lines.join("\n"), run)}`);
}

/**
 * True if a message answered a call of ask_human and thus is that call's result. A message with a file stays a message.
 */
function isCallAnswer({ mode, parts }: Entry<"user_message">["body"]): boolean {
  return mode === "answer" && parts.every((part) => part.type === "text" && part.foreign !== true);
}

function bounded(part: PromptPart, name: string, tokensMax: number): PromptPart {
  if (part.type !== "text" || tokensMax === Infinity) return part;
  const tokens = estimateText(part.text);
  if (tokens <= tokensMax) return part;
  const chars = Math.max(INPUT_CHARS_MIN, Math.floor((tokensMax / tokens) * part.text.length));
  return textPart(cutObservation(part.text, Math.min(OBSERVATION_CHARS_MAX, chars), name));
}

/** An observation from an earlier prompt, shortened: its own cut marks tell how to read the whole. */
const shortened = (observation: string, max: number, call: string): string =>
  headAndTailOf(observation, max, `\n[shortened; read_observation("${call}") returns the whole]\n`);

/** The text, or its head and its tail with a mark between them, of at most so many characters where the mark leaves room. */
function headAndTailOf(text: string, max: number, mark: string): string {
  if (text.length <= max) return text;
  const space = Math.max(0, max - mark.length);
  const head = sliceText(text, 0, Math.max(1, Math.floor(space * 0.7)))?.text ?? "";
  const tail = sliceText(text, text.length - Math.floor(space * 0.3), space)?.text ?? "";
  return head + mark + tail;
}

/**
 * True for a part that the prompt needs. A thought without text is needed if its provider wants something back:
 * encrypted reasoning, or a redacted thought.
 */
function isPrompted(part: ReplyPart): boolean {
  return (
    part.type === "call" || part.text !== "" || (part.type === "reasoning" && part.options !== undefined)
  );
}
