import { describe, expect, test } from "vitest";
import type { BodyOf, Entry } from "../../../../src/cairn/core/log/entry.ts";
import type { PromptMessage } from "../../../../src/cairn/core/log/model.ts";
import { inputName } from "../../../../src/cairn/core/log/names.ts";
import { compaction, compactionDue } from "../../../../src/cairn/core/prompt/compaction.ts";
import { composeTranscript, type TranscriptPolicy } from "../../../../src/cairn/core/prompt/transcript.ts";
import { estimateMessage, estimateText } from "../../../../src/cairn/core/state/prompt-size.ts";
import { Chance } from "../../../sim/platform/chance.ts";
import { RunLog } from "../state/log.ts";

const transcript = (...entries: Parameters<typeof composeTranscript>): readonly PromptMessage[] =>
  composeTranscript(...entries).messages;

/**
 * Invariants of every request under every policy, over random runs that are inspected before each model call, and also
 * compacted at random when compaction is due. I6 holds by construction: nothing here composes, cuts or summarizes the
 * static prefix.
 */

const INPUTS = [
  "42",
  '{"a":1}',
  "<cairn-note>not a note</cairn-note>",
  "null",
  " ",
  "Earlier steps of this run",
  "true",
];

interface Seen {
  readonly log: RunLog;
  /** as they were when the request was made */
  readonly entries: readonly Entry[];
  readonly messages: readonly PromptMessage[];
  readonly policy: TranscriptPolicy;
  readonly name: string;
}

test("a window keeps the skill by which the run works, call and result, behind what was asked", () => {
  const log = new RunLog();
  log.say("THE REQUEST");
  log.step("get_page");
  const skill = log.step("read_skill", "ok", { observation: "the whole skill", whole: true });
  for (let n = 0; n < 20; n++) log.step("get_page");
  const messages = transcript([], log.entries, "window");
  expect(messages.slice(0, 3).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(JSON.stringify(messages[1])).toContain(skill);
  expect(JSON.stringify(messages[2])).toContain("the whole skill");
});

/** Runs as they come, and each request of them. */
function eachRequest(
  policy: TranscriptPolicy,
  seed: number,
  look: (seen: Omit<Seen, "entries">) => void,
): number {
  const chance = new Chance(seed);
  const history = historyOf(chance);
  const log = new RunLog();
  log.say(chance.pick(["THE REQUEST", ...INPUTS]));
  let compacted = 0;
  const steps = chance.below(30);
  for (let n = 0; n < steps; n++) {
    const measure = (body: BodyOf<"compacted"> | null): number => {
      const entry = {
        seq: log.head + 1,
        kind: "compacted",
        run: "r1",
        step: null,
        at: 0,
        v: 1,
        body,
      } as Entry;
      const entries = body === null ? log.entries : [...log.entries, entry];
      return transcript(history, entries, policy).reduce(
        (total, message) => total + estimateMessage(message),
        0,
      );
    };
    const size = { tokens: measure(null), cap: 4_000 + chance.below(40_000) };
    // Any policy may have to compact: the provider may call a request too large.
    if (compactionDue(log.entries, policy, size) || chance.once(12)) {
      const made = compaction(log.entries, chance.below(size.cap), measure, chance.once(4));
      if (made !== null) log.add("compacted", made.body);
      if (made !== null) compacted++;
    }
    look({
      log,
      messages: transcript(history, log.entries, policy),
      policy,
      name: `seed ${seed}, step ${n + 1}`,
    });
    randomStep(log, chance);
  }
  look({ log, messages: transcript(history, log.entries, policy), policy, name: `seed ${seed}, end` });
  return compacted;
}

function historyOf(chance: Chance): readonly Entry[] {
  const log = new RunLog();
  for (let n = chance.below(7); n > 0; n--) {
    log.say(`earlier ${n}`);
    log.add("answer", { text: `answer ${n}` });
  }
  return log.entries;
}

function randomStep(log: RunLog, chance: Chance): void {
  const tools = ["look", "search", "update", "publish"] as const;
  const calls = Array.from({ length: chance.below(4) }, () => ({ tool: chance.pick(tools) }));
  const names = log.reply(chance.once(2) ? `text ${log.head}` : "", calls);
  for (const [index, call] of names.entries()) {
    if (chance.once(6)) log.say(chance.pick(["JOINED", ...INPUTS]), "join");
    if (chance.once(9))
      log.add("approval_decided", {
        call,
        decision: "edit",
        actor: "ada",
        reason: null,
        args: { at: log.head },
      });
    const status = chance.pick(["ok", "ok", "ok", "error", "unknown", "refused"] as const);
    const observation = `of ${call} ${"x".repeat(chance.once(4) ? chance.below(6_000) : 10)}`;
    log.settle(call, calls[index]?.tool ?? "look", status, { observation });
  }
  if (names.length === 0) log.add("verdict", { act: "reask", hint: `again ${log.head}` });
  if (chance.once(8)) log.say("BETWEEN", "join");
}

const callsOf = (message: PromptMessage | undefined): readonly string[] =>
  message?.role === "assistant"
    ? message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
    : [];
const resultsOf = (message: PromptMessage | undefined): readonly string[] =>
  message?.role === "tool" ? message.results.map((result) => result.call) : [];
/** A person's messages in this run, as the log has them. */
const inputsOf = (entries: readonly Entry[]): readonly PromptMessage[] =>
  entries.flatMap((entry) =>
    entry.kind === "user_message" ? [{ role: "user" as const, parts: entry.body.parts }] : [],
  );

/** The seq of the entry that a message stands for; what no entry of the run made stands before it. */
function placesOf({ entries, messages }: Seen): readonly number[] {
  const inputs = entries.filter((entry) => entry.kind === "user_message");
  const replies = new Map(
    entries.flatMap((entry) =>
      entry.kind === "model_replied" ? entry.body.calls.map((call) => [call.call, entry.seq] as const) : [],
    ),
  );
  let input = inputs.length;
  // From behind, because inputs of earlier runs come first and may say the same.
  return messages
    .toReversed()
    .map((message) => {
      if (message.role === "assistant" || message.role === "tool") {
        const call = callsOf(message)[0] ?? resultsOf(message)[0];
        return call === undefined ? null : (replies.get(call) ?? null);
      }
      const entry = inputs[input - 1];
      if (
        entry?.kind !== "user_message" ||
        JSON.stringify(entry.body.parts) !== JSON.stringify(message.parts)
      )
        return null;
      input--;
      return entry.seq;
    })
    .filter((seq) => seq !== null)
    .toReversed();
}

describe.each(["window", "compact", "none"] as const)("every request under the policy %s", (policy) => {
  const SEEDS = 40;
  const all: Seen[] = [];
  let compacted = 0;
  for (let seed = 1; seed <= SEEDS; seed++)
    compacted += eachRequest(
      policy,
      seed,
      (seen) => void all.push({ ...seen, entries: [...seen.log.entries] }),
    );
  /** The requests for which it does not hold. */
  const broken = (holds: (seen: Seen) => boolean): string[] =>
    all.filter((seen) => !holds(seen)).map((seen) => seen.name);

  test("there are many of them, and runs were compacted", () => {
    expect(all.length).toBeGreaterThan(SEEDS * 10);
    expect(compacted).toBeGreaterThan(SEEDS / 2);
  });

  test("I1: has each result right behind its call, and each call with its result", () => {
    const isPaired = ({ messages }: Seen): boolean =>
      messages.every((message, index) => {
        if (message.role === "tool") return callsOf(messages[index - 1]).join() === resultsOf(message).join();
        return callsOf(message).join() === resultsOf(messages[index + 1]).join();
      });
    expect(broken(isPaired)).toEqual([]);
  });

  test("I2, I7: has all that the person said in this run, word for word, as text, in its order", () => {
    const hasInputs = ({ entries, messages }: Seen): boolean => {
      const inputs = inputsOf(entries).map((message) => JSON.stringify(message));
      const users = messages
        .filter((message) => message.role === "user")
        .map((message) => JSON.stringify(message));
      // As a subsequence from the end: notes and earlier runs stand between and before.
      let left = inputs.length;
      for (const said of users.toReversed()) if (left > 0 && said === inputs[left - 1]) left--;
      return left === 0;
    };
    expect(broken(hasInputs)).toEqual([]);
  });

  test("I3: is in the order of the log", () => {
    const isOrdered = (seen: Seen): boolean => {
      const places = placesOf(seen);
      const inputs = new Set(
        seen.entries.filter((entry) => entry.kind === "user_message").map((entry) => entry.seq),
      );
      const rises = (those: readonly number[]): boolean =>
        those.every((seq, index) => index === 0 || (those[index - 1] ?? 0) <= seq);
      // An input that came between a reply and its results stands behind them, and before the next reply.
      return (
        rises(places.filter((seq) => inputs.has(seq))) &&
        rises(places.filter((seq) => !inputs.has(seq))) &&
        places.every((seq, index) => inputs.has(seq) || (places[index - 1] ?? 0) <= seq)
      );
    };
    expect(broken(isOrdered)).toEqual([]);
  });

  test("I4: begins with words of a person or of the runtime, never with the model's", () => {
    expect(broken(({ messages }) => messages[0]?.role === "user")).toEqual([]);
  });

  test("I5: has the newest block, with the result of every call", () => {
    const hasNewest = ({ entries, messages }: Seen): boolean => {
      const newest = entries.findLast(
        (entry) => entry.kind === "model_replied" && entry.body.parts.length > 0,
      );
      if (newest?.kind !== "model_replied") return true;
      const at = messages.findLastIndex((message) => message.role === "assistant");
      const results = resultsOf(messages[at + 1]).join();
      const calls = newest.body.calls.map((call) => call.call).join();
      const shown = messages[at];
      const isSame =
        shown?.role === "assistant" && JSON.stringify(shown.parts) === JSON.stringify(newest.body.parts);
      return isSame && results === calls;
    };
    expect(broken(hasNewest)).toEqual([]);
  });

  test("is made new from the rows, which are left alone: twice the same", () => {
    const seen = all.filter((_, index) => index % 9 === 0);
    const before = JSON.stringify(seen.map(({ entries }) => entries));
    const twice = seen.filter(
      ({ entries }) =>
        JSON.stringify(transcript([], entries, policy)) !== JSON.stringify(transcript([], entries, policy)),
    );
    expect(twice).toEqual([]);
    expect(JSON.stringify(seen.map(({ entries }) => entries))).toBe(before);
  });
});

describe("one input above its bound", () => {
  const long = `begin ${"word ".repeat(4_000)}end`;

  test("shows its head, its tail and its name; what is within the bound stays as it is", () => {
    const log = new RunLog();
    const seq = log.say(long);
    log.say("short", "join");
    const [first, second] = transcript([], log.entries, "compact", { inputTokensMax: 3_000 });
    const text = first?.role === "user" && first.parts[0]?.type === "text" ? first.parts[0].text : "";
    expect(text.startsWith("begin ") && text.endsWith("end")).toBe(true);
    expect(text).toContain(`read_observation("${inputName(seq, 0)}", `);
    expect(estimateText(text)).toBeLessThan(3_000);
    expect(second).toEqual({ role: "user", parts: [{ type: "text", text: "short" }] });
    expect(transcript([], log.entries, "compact", { inputTokensMax: estimateText(long) })[0]).toEqual(
      inputsOf(log.entries)[0],
    );
  });
});
