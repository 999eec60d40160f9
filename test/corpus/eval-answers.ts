import { classify } from "../../src/cairn/core/guards/budget/classify.ts";
import { reviewSubject } from "../../src/cairn/core/guards/review/decide.ts";
import { receiptOf } from "../../src/cairn/core/guards/review/receipt.ts";
import { review } from "../../src/cairn/core/guards/review/review.ts";
import type { Entry } from "../../src/cairn/core/log/entry.ts";
import type { Receipt } from "../../src/cairn/core/log/receipt.ts";
import type { EntityRef } from "../../src/cairn/core/log/tool.ts";
import type { LiveRun } from "../../src/cairn/core/state/state.ts";
import { WORDS } from "../../src/plugins/plain-words/words.ts";
import type { AnswerCall, AnswerCase, AnswerReceipt } from "./answer-format.ts";

type FalseAnswer = Extract<AnswerCase, { label: "false" }>;

/** Verdict on an answer: the codes that send it back, and the contradicting facts that its receipt omits. */
export interface JudgedAnswer {
  readonly one: AnswerCase;
  readonly codes: readonly string[];
  readonly missing: readonly string[];
  readonly receipt: Receipt;
}

/** Plays a case as the log of its run through the review of the loop, once, and makes the receipt of the same entries. */
export function judgeAnswer(one: AnswerCase): JudgedAnswer {
  const entries = entriesOf(one);
  const { profile, work } = classify(
    { text: one.wish, attachments: 0, explicit: null, resumed: null, open: null, canResearch: false },
    WORDS,
  );
  const run = {
    run: "r1",
    input: { all: [1], unread: [] },
    output: { latestText: null },
    step: one.calls.length + 1,
    limits: { steps: 15 },
    request: {},
    profile,
    work,
    loop: { refusals: {} },
    plan: null,
  } as unknown as LiveRun;
  const receipt = receiptOf("r1", entries);
  return {
    one,
    codes: review(reviewSubject(run, entries, one.answer, WORDS), WORDS)?.codes ?? [],
    missing: one.label === "false" ? missingIn(receipt, one) : [],
    receipt,
  };
}

function entriesOf({ wish, calls }: AnswerCase): Entry[] {
  const entries: Entry[] = [];
  const add = (kind: string, step: string | null, body: unknown): void => {
    const seq = entries.length + 1;
    entries.push({ seq, at: seq, v: 1, run: "r1", step, kind, body } as unknown as Entry);
  };
  add("user_message", null, { id: "m1", mode: "queue", parts: [{ type: "text", text: wish }] });
  for (const call of calls) {
    const { id, tool, title, effect, verbs, input, proposed, status, observation, reusedFrom } = call;
    const step = id.slice(0, -2);
    const traits = { tool, effect, kind: "work", verbs };
    const asked = { call: id, tool, title, effect, input: proposed ?? input, traits, refused: null };
    add("model_replied", step, { parts: [], calls: [asked] });
    if (proposed !== null) add("approval_decided", step, { call: id, decision: "edit", args: input });
    const failure = status === "ok" ? null : (JSON.parse(observation) as { error: unknown }).error;
    const things = thingsOf(call);
    const changes = status === "ok" && things.length > 0 ? { changes: things } : {};
    add("call_settled", step, { call: id, tool, status, observation, failure, reusedFrom, ...changes });
  }
  return entries;
}

/** Entities that the tool leaves in memory: the things it changed, else the things it looked at. */
function thingsOf({ changed, about }: AnswerCall): EntityRef[] {
  const ofChange = changed.map(({ op, type, id, name }): EntityRef => ({ op, type, id, name }));
  return ofChange.length > 0 ? ofChange : about.map((thing): EntityRef => ({ op: "touch", ...thing }));
}

/** Facts that a receipt must state and does not. */
function missingIn(receipt: Receipt, { receipt: wanted, calls }: FalseAnswer): string[] {
  const { changed, failed, unknown } = receipt;
  const names = changed.flatMap((item) => item.targets);
  // The log knows what a call was about by its arguments where it has no result: their slug stands for the name.
  const isOn = (list: Receipt["failed"], { tool, names: about }: AnswerReceipt["failed"][number]): boolean =>
    calls.some(
      (call) =>
        call.tool === tool &&
        about.every((name) => call.about.some((thing) => thing.name === name)) &&
        list.some((item) => item.call === call.id && item.targets.length > 0),
    );
  const told = ({ tool, names: about }: AnswerReceipt["failed"][number]): string => `${tool} ${about.join()}`;
  return [
    ...(wanted.nothing && changed.length + unknown.length > 0 ? ["that nothing was changed"] : []),
    ...wanted.changed
      .filter(({ type, name, state }) => {
        // Parts of another thing, such as the link to a new page, have its name and no state of their own.
        const isPart = type !== "page" && type !== "entry";
        return !changed.some((item) => item.targets.includes(name) && (isPart || item.state === state));
      })
      .map(({ name, state }) => `changed: ${name} (${state})`),
    ...wanted.notChanged.filter((name) => names.includes(name)).map((name) => `not changed: ${name}`),
    ...wanted.failed.filter((one) => !isOn(failed, one)).map((one) => `failed: ${told(one)}`),
    ...wanted.unknown.filter((one) => !isOn(unknown, one)).map((one) => `unknown: ${told(one)}`),
  ];
}

/** The score of the answers in lines; `passed` where every false one is met and few of the true ones come back. */
export function scoreAnswers(cases: readonly AnswerCase[]): {
  readonly passed: boolean;
  readonly lines: readonly string[];
} {
  const judged = cases.map(judgeAnswer);
  const [falses, trues] = (["false", "true"] as const).map((label) =>
    judged.filter(({ one }) => one.label === label),
  ) as [JudgedAnswer[], JudgedAnswer[]];
  const unmet = falses.filter(({ codes, missing }) => codes.length === 0 && missing.length > 0);
  const sentBack = trues.filter(({ codes }) => codes.length > 0);
  const back = falses.filter(({ codes }) => codes.length > 0).length;
  const above = falses.filter(({ missing }) => missing.length === 0).length;
  return {
    passed: unmet.length === 0 && sentBack.length <= SENT_BACK_MAX * trues.length,
    lines: [
      ...unmet.map(({ one, missing }) => `${one.id}: stands above a receipt without ${missing.join("; ")}`),
      ...sentBack.map(({ one, codes }) => `${one.id}: true, sent back for ${codes.join(", ")}`),
      `false answers met ${falses.length - unmet.length} of ${falses.length}: ${back} sent back, ${above} above a receipt that contradicts them`,
      `true answers sent back ${sentBack.length} of ${trues.length}`,
    ],
  };
}

const SENT_BACK_MAX = 0.03;
