import type { RunOptions } from "../../../src/cairn/protocol/run-spec/run-options.ts";
import type { Deed, Moment, Script } from "../play.ts";
import type { Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";
import { byStep } from "../platform/fake-model.ts";
import { CHAT } from "./messenger.ts";
import { Chat } from "./chat.ts";

/** Runs whose input came from a chat: their answers, questions and cards go there, whatever dies. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "channel" } as const;

const says = (id: string, ask: RunOptions = {}): Deed => ({
  when: "rest",
  act: (platform) =>
    platform.api.send(ADA, {
      id,
      digest: id,
      parts: [{ type: "text", text: `Words of ${id}.` }],
      mode: null,
      source: "api",
      request: null,
      ask,
      origin: CHAT,
    }),
});

/** One button of the card that asks whether the run may have more. */
const presses = (decision: "extend" | "finish", when: Moment): Deed => ({
  when,
  act: (platform) => platform.api.answerBudget(ADA, { id: decision, question: "r1b1", decision }),
});

/** Four of five are used when the fifth step begins. */
const FEW_CALLS: RunOptions = { profile: "standard", limits: { steps: 8, toolCalls: 5 } };

type Lines =
  | readonly Line[]
  | ((request: { readonly step: string; readonly tools: readonly unknown[] }) => Line);

const inChat =
  (lines: Lines, answers: Chat["answers"] = () => []) =>
  (): FakePlatform => {
    const platform = new FakePlatform(typeof lines === "function" ? lines : byStep(...lines));
    platform.chat = new Chat(
      (where) => platform.cross(where),
      () => platform.now,
    );
    platform.chat.answers = answers;
    platform.restart();
    return platform;
  };

/** The same, where each call to D1 may fail, and a run may write to the chat itself. */
const whereD1Fails = (lines: Lines, answers?: Chat["answers"]) => (): FakePlatform => {
  const platform = inChat(lines, answers)();
  if (platform.chat !== null) platform.chat.d1.fails = true;
  return platform;
};

/** A person decides on a channel only after the card arrived there. */
const decidesOnceSeen: Deed = {
  when: "rest",
  act: (platform) =>
    platform.chat?.seen.some(({ type }) => type === "card") === true
      ? decides.act(platform, new Map())
      : false,
};

const decides: Deed = {
  when: "rest",
  act: (platform) =>
    platform.state.run?.phase.at === "waiting_approval" ? platform.decide("approve") : false,
};

export const CHANNEL_SCRIPTS: readonly Script[] = [
  {
    name: "an answer that goes to a chat",
    platform: inChat([{ calls: [["look", { name: "a" }]] }, { text: "It is there." }]),
    deeds: [says("m1")],
  },
  {
    name: "two answers to a chat that is busy at first, then away",
    platform: inChat([{ text: "It is there." }], (type) =>
      type === "message" ? [{ status: 429, retryAfterMs: 20_000 }, { status: 503 }] : [],
    ),
    deeds: [says("m1"), says("m2")],
    most: 1,
  },
  {
    name: "an answer to a chat that takes it and says nothing",
    platform: inChat([{ text: "It is there." }], () => [{ status: null, lost: true }]),
    deeds: [says("m1")],
    most: 1,
  },
  {
    name: "an answer to a chat that has shut us out",
    platform: inChat([{ text: "It is there." }], () => [{ status: 403 }]),
    deeds: [says("m1")],
    most: 1,
  },
  {
    name: "a question in a chat, answered by words",
    platform: inChat(({ step }) =>
      step === "r1s1" ? { calls: [["ask_human", { question: "Which colour?" }]] } : { text: "Red it is." },
    ),
    // Where the second comes before the question, the third answers it.
    deeds: [says("m1"), says("m2"), says("m3")],
    most: 1,
    ends: "by chance",
  },
  {
    name: "a question with options in a chat, answered by words",
    platform: inChat(({ step }) =>
      step === "r1s1"
        ? { calls: [["ask_human", { question: "Which colour?", options: ["red", "green"] }]] }
        : { text: "Red it is." },
    ),
    deeds: [says("m1"), says("m2"), says("m3")],
    most: 1,
    ends: "by chance",
  },
  {
    name: "a card in a chat, decided while it is shown",
    platform: inChat([{ calls: [["publish", { name: "a" }]] }, { text: "It is public." }]),
    deeds: [says("m1"), decides],
    most: 1,
  },
  {
    name: "an answer to a chat while D1 fails",
    platform: whereD1Fails([{ text: "It is there." }]),
    deeds: [says("m1")],
  },
  {
    name: "a long answer to a chat that takes two of its parts, while D1 fails",
    platform: whereD1Fails([{ text: "It is there." }], (type) =>
      type === "message" ? [{ status: 503, parts: 2 }] : [],
    ),
    deeds: [says("m1")],
    most: 1,
  },
  {
    name: "a card in a chat, decided by whoever saw it, while D1 fails",
    platform: whereD1Fails([{ calls: [["publish", { name: "a" }]] }, { text: "It is public." }]),
    deeds: [says("m1"), decidesOnceSeen],
    most: 1,
  },
  {
    name: "a card in a chat that takes it and says nothing",
    platform: inChat([{ calls: [["publish", { name: "a" }]] }, { text: "It is public." }], (type) =>
      type === "card" ? [{ status: null, lost: true }] : [],
    ),
    deeds: [says("m1"), decidesOnceSeen],
    most: 1,
  },
  {
    name: "a run in a chat that asks for more while D1 fails",
    platform: whereD1Fails(({ step }) =>
      step === "r1s7" ? { text: "It is all there." } : { calls: [["look", { name: step }]] },
    ),
    deeds: [says("m1", FEW_CALLS), presses("extend", "model r1s6")],
    most: 1,
    ends: "by chance",
  },
  {
    name: "a run in a chat that is given more by one of two presses",
    platform: inChat(({ step }) =>
      step === "r1s7" ? { text: "It is all there." } : { calls: [["look", { name: step }]] },
    ),
    deeds: [says("m1", FEW_CALLS), presses("extend", "model r1s5"), presses("finish", "model r1s6")],
    most: 1,
    // A press that is lost with its isolate is made again, and the other may come first.
    ends: "by chance",
  },
  {
    name: "a run in a chat that asks for more and gets no answer",
    platform: inChat((request) =>
      request.tools.length === 0
        ? { text: "As far as I got." }
        : { calls: [["look", { name: request.step }]] },
    ),
    deeds: [says("m1", FEW_CALLS)],
    most: 1,
  },
];
