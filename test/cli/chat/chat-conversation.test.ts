import { beforeEach, describe, expect, test } from "vitest";
import type { Acknowledged } from "../../../src/cli/chat/connection.ts";
import { Conversation, type Ending, type TerminalPort } from "../../../src/cli/chat/conversation.ts";
import type { Answered } from "../../../src/cli/chat/session-request.ts";
import { paint } from "../../../src/cli/chat/screen/ansi.ts";

const RUN = "s.r1";

let requests: { readonly type: string; readonly fields: { readonly [name: string]: unknown } }[];
let answers: { [type: string]: Acknowledged };
let follows: string[];
let printed: string;
let notes: string[];
let records: { readonly type: string }[];
let questions: {
  readonly prompt: string;
  readonly prefill: string | undefined;
  readonly signal: AbortSignal;
  readonly answer: (line: string | null) => void;
}[];
let stage: TerminalPort;
let told: string[];
let busy: (string | null)[];
let previews: { readonly approval: string; readonly args: unknown }[];
let previewed: Answered;

beforeEach(() => {
  requests = [];
  answers = { "cairn:send": { ok: true, result: { runId: RUN, seq: 1, queued: 0 } } };
  follows = [];
  printed = "";
  notes = [];
  records = [];
  questions = [];
  told = [];
  busy = [];
  previews = [];
  previewed = {
    ok: true,
    body: {
      title: "Publish page",
      summary: "Publish “Our story”.",
      impact: ["2 links lead to it"],
      args: { name: "Our story" },
      digest: "sha256:changed",
    },
  };
  stage = {
    show: (pieces) => {
      printed += paint(pieces, false);
    },
    showRequest: (pieces) => stage.show(pieces),
    note: (text) => notes.push(text),
    print: (text) => told.push(text),
    busy: (words) => busy.push(words),
    now: () => 0,
    interactive: true,
    editor: null,
    preview: (id, args) => {
      previews.push({ approval: id, args });
      return Promise.resolve(previewed);
    },
    record: (event) => records.push(event),
    ask: (prompt, signal, prefill) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")));
        questions.push({ prompt, prefill, signal, answer: resolve });
      }),
  };
});

function converse(approveAll = false): Conversation {
  const line = {
    request: (type: string, fields: { readonly [name: string]: unknown }): Promise<Acknowledged> => {
      requests.push({ type, fields });
      return Promise.resolve(answers[type] ?? { ok: true, result: {} });
    },
    follow: (runId: string) => void follows.push(runId),
  };
  return new Conversation("s", line, stage, { approveAll });
}

/** Lets everything that is due run; no time passes. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

let pos = 0;
function chunk(
  conversation: Conversation,
  raw: { readonly type: string; readonly [name: string]: unknown },
): void {
  conversation.handle({ kind: "chunk", runId: RUN, pos: (pos += 1), chunk: raw });
}

function approval(
  id: string,
  state = "pending",
): { readonly type: string; readonly [name: string]: unknown } {
  const data = {
    id,
    callId: id.slice(0, -2),
    tool: "page_publish",
    title: "Publish page",
    summary: "Publish it.",
    impact: [],
    args: {},
    digest: `sha256:${id}`,
    state,
    result: state === "pending" ? null : { by: "bob", reason: null },
  };
  return { type: "data-approval", id, data };
}

const ended = {
  kind: "entry",
  entry: {
    seq: 9,
    run: "r1",
    kind: "run_ended",
    body: {
      outcome: "completed",
      class: "answered",
      reason: null,
      steps: 2,
      activeMs: 10,
      usage: { inputTokens: 1, outputTokens: 2 },
    },
  },
} as const;

async function started(conversation: Conversation): Promise<{ readonly ending: Promise<Ending> }> {
  const ending = conversation.send("do it", "m1");
  await settle();
  conversation.handle({ kind: "caught_up", runId: RUN });
  return { ending };
}

const decisions = () => requests.filter((each) => each.type === "cairn:approve").map((each) => each.fields);

describe("a wish", () => {
  test("carries the fields of a run that the terminal was started with", async () => {
    const fields = { model: "a:b", metadata: { ticket: 7 } };
    const line = {
      request: (type: string, sent: { readonly [name: string]: unknown }): Promise<Acknowledged> => {
        requests.push({ type, fields: sent });
        return Promise.resolve({ ok: true, result: { runId: RUN } });
      },
      follow: () => undefined,
    };
    void new Conversation("s", line, stage, { approveAll: false, fields }).send("Hello.", "m1");
    await settle();
    expect(requests.at(-1)).toEqual({ type: "cairn:send", fields: { ...fields, text: "Hello.", id: "m1" } });
  });

  test("is sent under the client's id, followed, and over when message and log have ended", async () => {
    const conversation = converse();
    const { ending } = await started(conversation);
    expect(requests).toEqual([{ type: "cairn:send", fields: { text: "do it", id: "m1" } }]);
    expect(follows).toEqual([RUN]);
    chunk(conversation, { type: "text-delta", id: "t", delta: "Done." });
    chunk(conversation, { type: "finish", finishReason: "stop" });
    conversation.handle(ended);
    await expect(ending).resolves.toMatchObject({ kind: "ended", ended: { class: "answered", steps: 2 } });
    expect(printed).toBe("Done.\n");
  });

  test("ends with its answer, and its receipt is printed first", async () => {
    const conversation = converse();
    const { ending } = await started(conversation);
    chunk(conversation, { type: "text-delta", id: "t", delta: "I published it." });
    expect(printed).toBe("");
    stage.print = (text) => void (printed += `${text}\n`);
    const lines = [{ about: "nothing", text: "Nothing was changed." }];
    const receipt = { changed: [], failed: [], unknown: [], more: 0, lines };
    chunk(conversation, { type: "finish", finishReason: "stop", messageMetadata: { receipt } });
    conversation.handle(ended);
    await ending;
    expect(printed).toBe("  – Nothing was changed.\nI published it.\n");
  });

  test("prints no text that the review sent back, and the text beside calls before them", async () => {
    const conversation = converse();
    const { ending } = await started(conversation);
    chunk(conversation, { type: "start-step" });
    chunk(conversation, { type: "text-delta", id: "a", delta: "Let me look." });
    chunk(conversation, { type: "tool-input-available", toolCallId: "c0", toolName: "look", input: {} });
    expect(printed).toContain("Let me look.");
    chunk(conversation, { type: "start-step" });
    chunk(conversation, { type: "text-delta", id: "b", delta: "I published it." });
    chunk(conversation, { type: "text-end", id: "b" });
    const data = { source: "review", level: "block", accepted: false, codes: ["CLAIM_UNBACKED"] };
    chunk(conversation, { type: "data-verdict", id: "v1", data });
    chunk(conversation, { type: "start-step" });
    chunk(conversation, { type: "text-delta", id: "c", delta: "It is not published." });
    chunk(conversation, { type: "finish", finishReason: "stop" });
    conversation.handle(ended);
    await ending;
    expect(printed).not.toContain("I published it.");
    expect(printed).toContain("It is not published.");
  });

  test("whose end the log knows first waits for the rest of its message", async () => {
    const conversation = converse();
    const { ending } = await started(conversation);
    conversation.handle(ended);
    expect(follows).toEqual([RUN, RUN]);
    chunk(conversation, { type: "text-delta", id: "t", delta: "Late." });
    conversation.handle({ kind: "caught_up", runId: RUN });
    await expect(ending).resolves.toMatchObject({ kind: "ended" });
    expect(printed).toBe("Late.\n");
  });

  test("that is over before its receipt is read is shown whole all the same", async () => {
    const conversation = converse();
    const ending = conversation.send("do it", "m1");
    conversation.handle(ended);
    await settle();
    chunk(conversation, { type: "text-delta", id: "t", delta: "Quick." });
    conversation.handle({ kind: "caught_up", runId: RUN });
    await expect(ending).resolves.toMatchObject({ kind: "ended" });
    expect(printed).toBe("Quick.\n");
  });

  test("is not over when only a segment ends, or another run does", async () => {
    const conversation = converse();
    const { ending } = await started(conversation);
    chunk(conversation, { type: "finish", finishReason: "tool-calls" });
    conversation.handle({ kind: "entry", entry: { ...ended.entry, run: "r0" } });
    let over = false;
    void ending.then(() => (over = true));
    await settle();
    expect(over).toBe(false);
  });

  test("that the door refuses ends with the refusal", async () => {
    answers["cairn:send"] = { ok: false, error: { code: "queue_full", message: "Too many." } };
    await expect(converse().send("x", "m")).resolves.toEqual({
      kind: "refused",
      error: { code: "queue_full", message: "Too many." },
    });
  });
});

describe("an approval", () => {
  test("is shown, asked, and decided with the digest that was shown", async () => {
    const conversation = converse();
    await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    expect(printed).toContain("May I? Publish page");
    questions[0]?.answer("y");
    await settle();
    expect(decisions()).toEqual([{ approvalId: "r1s1c0a1", digest: "sha256:r1s1c0a1", decision: "approve" }]);
  });

  const withArgs = (args: object) => {
    const card = approval("r1s1c0a1");
    return { ...card, data: { ...(card["data"] as object), args } };
  };

  test("is edited value by value, and what it would do then is shown before the yes", async () => {
    const conversation = converse();
    await started(conversation);
    chunk(conversation, withArgs({ name: "About", content: { lines: ["a\nb"], size: 2 } }));
    questions[0]?.answer("e");
    for (const [at, line] of ["Our story", '"a\\nc"', "3"].entries()) {
      await settle();
      questions[at + 1]?.answer(line);
    }
    await settle();
    expect(questions.slice(1, 4).map(({ prompt, prefill }) => [prompt, prefill])).toEqual([
      ["name: ", "About"],
      ["content.lines[0]: ", '"a\\nb"'],
      ["content.size: ", "2"],
    ]);
    const args = { name: "Our story", content: { lines: ["a\nc"], size: 3 } };
    expect(previews).toEqual([{ approval: "r1s1c0a1", args }]);
    expect(decisions()).toEqual([]);
    expect(printed).toContain(
      "Changed: may I? Publish page\n│ Publish “Our story”.\n│ What it changes\n│ - 2 links lead to it\n",
    );
    expect(questions[4]?.prompt).toContain("like this?");
    questions[4]?.answer("y");
    await settle();
    expect(decisions()).toEqual([
      {
        approvalId: "r1s1c0a1",
        digest: "sha256:r1s1c0a1",
        decision: "edit",
        args: { name: "Our story" },
      },
    ]);
  });

  test("is edited in the person's own editor, where there is one", async () => {
    const opened: string[] = [];
    const editor = (text: string) => {
      opened.push(text);
      return Promise.resolve('{"name":"Our story"}');
    };
    stage = { ...stage, editor };
    const conversation = converse();
    await started(conversation);
    chunk(conversation, withArgs({ name: "About" }));
    questions[0]?.answer("e");
    await settle();
    expect([opened, previews]).toEqual([
      ['{\n  "name": "About"\n}'],
      [{ approval: "r1s1c0a1", args: { name: "Our story" } }],
    ]);
  });

  test("is asked as before after a no to the changed arguments", async () => {
    const conversation = converse();
    await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    questions[0]?.answer('e {"name":"Our story"}');
    await settle();
    questions[1]?.answer("");
    await settle();
    expect([decisions(), questions[2]?.prompt]).toEqual([[], questions[0]?.prompt]);
    questions[2]?.answer("y");
    await settle();
    expect(decisions()).toEqual([{ approvalId: "r1s1c0a1", digest: "sha256:r1s1c0a1", decision: "approve" }]);
  });

  test("whose edited arguments do not fit is asked about again, with what is wrong, and what was typed stays", async () => {
    previewed = {
      ok: false,
      why: { text: "They do not fit.", issues: [{ path: "args.name", message: "too short" }] },
    };
    const conversation = converse();
    await started(conversation);
    chunk(conversation, withArgs({ name: "About" }));
    questions[0]?.answer('e {"name":"x"}');
    await settle();
    expect(told).toEqual(["They do not fit.\nargs.name: too short"]);
    questions[1]?.answer("e");
    await settle();
    expect(questions[2]?.prefill).toBe("x");
  });

  test("goes on when the edit is no JSON object, or nothing", async () => {
    const conversation = converse();
    await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    questions[0]?.answer("e");
    await settle();
    questions[1]?.answer("a new name");
    await settle();
    expect(told.at(-1)).toContain("no JSON object");
    questions[2]?.answer("n");
    await settle();
    expect(decisions()).toMatchObject([{ decision: "deny" }]);
  });

  test("is denied with the reason that was typed", async () => {
    const conversation = converse();
    await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    questions[0]?.answer("n because it is Sunday");
    await settle();
    expect(decisions()).toMatchObject([{ decision: "deny", reason: "it is Sunday" }]);
  });

  test("is asked again after an answer that is neither yes nor no", async () => {
    const conversation = converse();
    await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    questions[0]?.answer("hm");
    await settle();
    expect(decisions()).toEqual([]);
    questions[1]?.answer("");
    await settle();
    expect(decisions()).toMatchObject([{ decision: "deny" }]);
  });

  test("is remembered for an hour where it may be, and else asked again", async () => {
    const conversation = converse();
    await started(conversation);
    const card = approval("r1s1c0a1");
    chunk(conversation, { ...card, data: { ...(card["data"] as object), remember: ["tool"] } });
    questions[0]?.answer("y remember");
    await settle();
    expect(decisions()).toEqual([]);
    expect(told.at(-1)).toBe("This approval can be remembered as: y remember tool. Or type y for this once.");
    questions[1]?.answer("y remember tool");
    await settle();
    expect(decisions()).toEqual([
      {
        approvalId: "r1s1c0a1",
        digest: "sha256:r1s1c0a1",
        decision: "approve",
        remember: { match: "tool", seconds: 3_600 },
      },
    ]);
    expect(told.at(-1)).toBe(
      "Remembered for an hour: in this session every call of this tool (page_publish) is approved without asking. /forget revokes this.",
    );
    chunk(conversation, approval("r1s2c0a1"));
    questions[2]?.answer("y remember");
    await settle();
    expect(told.at(-1)).toBe("This approval cannot be remembered. Type y to approve once.");
    expect(decisions()).toHaveLength(1);
  });

  test("stays as it is when nobody is there", async () => {
    const conversation = converse();
    const { ending } = await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    expect(conversation.waitsFor()).toBe("a decision");
    questions[0]?.answer(null);
    await expect(ending).resolves.toEqual({ kind: "waits", for: "a decision" });
    expect(decisions()).toEqual([]);
  });

  test("that is denied is told with the end of its run", async () => {
    const conversation = converse();
    const { ending } = await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    chunk(conversation, approval("r1s1c0a1", "denied"));
    chunk(conversation, { type: "finish", finishReason: "stop" });
    conversation.handle(ended);
    await expect(ending).resolves.toMatchObject({ kind: "ended", denied: true });
  });

  test("is approved loudly with --yes", async () => {
    const conversation = converse(true);
    await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    await settle();
    expect(decisions()).toMatchObject([{ decision: "approve" }]);
    expect(printed).toContain("without review (--yes)");
    expect(questions).toEqual([]);
  });

  test("that a replay shows as decided is not asked about", async () => {
    const conversation = converse();
    void conversation.follow(RUN);
    chunk(conversation, approval("r1s1c0a1"));
    chunk(conversation, approval("r1s1c0a1", "approved"));
    chunk(conversation, approval("r1s2c0a1"));
    expect(questions).toHaveLength(0);
    conversation.handle({ kind: "caught_up", runId: RUN });
    expect(questions).toHaveLength(1);
    questions[0]?.answer("y");
    await settle();
    expect(decisions()).toMatchObject([{ approvalId: "r1s2c0a1" }]);
  });

  test("that somebody else decides takes the question off the table", async () => {
    const conversation = converse();
    await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    chunk(conversation, approval("r1s1c0a1", "denied"));
    expect(questions[0]?.signal.aborted).toBe(true);
    await settle();
    expect(decisions()).toEqual([]);
    expect(printed).toContain("denied by bob");
  });

  test("that was decided a moment before ours is no failure", async () => {
    answers["cairn:approve"] = { ok: false, error: { code: "already_decided", message: "Decided before." } };
    const conversation = converse();
    await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    questions[0]?.answer("y");
    await settle();
    expect(told).toEqual(["Decided before."]);
  });

  test("that is other people's waits for them, and ends where nobody sits here", async () => {
    answers["cairn:approve"] = { ok: false, error: { code: "not_an_approver", message: "Not yours." } };
    const conversation = converse();
    const { ending } = await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    questions[0]?.answer("y");
    await settle();
    expect(told).toEqual(["Not yours."]);
    // Somebody has voted: the card comes again.
    chunk(conversation, approval("r1s1c0a1"));
    expect(questions).toHaveLength(1);
    chunk(conversation, approval("r1s1c0a1", "denied"));
    chunk(conversation, { type: "finish", finishReason: "stop" });
    conversation.handle(ended);
    await expect(ending).resolves.toMatchObject({ kind: "ended" });

    const alone = converse();
    const left = await started(alone);
    chunk(alone, approval("r1s1c0a1"));
    questions[1]?.answer(null);
    await expect(left.ending).resolves.toEqual({ kind: "waits", for: "a decision" });
  });

  test("that this person may not decide ends the wait with the reason", async () => {
    answers["cairn:approve"] = { ok: false, error: { code: "missing_scope", message: "You may not." } };
    const conversation = converse();
    const { ending } = await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    questions[0]?.answer("y");
    await expect(ending).resolves.toEqual({
      kind: "refused",
      error: { code: "missing_scope", message: "You may not." },
    });
  });

  test("that others must agree to is voted on once, and again when somebody has changed it", async () => {
    const conversation = converse();
    await started(conversation);
    const card = (digest: string, votes: readonly string[]) => {
      const { data, ...rest } = approval("r1s1c0a1") as { type: string; data: object };
      const shown = votes.map((subject) => ({ subject, decision: "approve" }));
      return { ...rest, data: { ...data, digest, needed: 2, votes: shown } };
    };
    answers["cairn:approve"] = { ok: true, result: { digest: "sha256:1" } };
    chunk(conversation, card("sha256:1", []));
    questions[0]?.answer("y");
    // The vote itself arrives before its receipt.
    chunk(conversation, card("sha256:1", ["ann"]));
    await settle();
    chunk(conversation, card("sha256:1", ["ann"]));
    expect([questions.length, decisions().length]).toEqual([1, 1]);
    chunk(conversation, card("sha256:2", ["bob"]));
    expect(questions).toHaveLength(2);
    // Changed while the question stands: what was shown is not what is asked.
    chunk(conversation, card("sha256:3", ["dan"]));
    await settle();
    expect([questions[1]?.signal.aborted, questions.length]).toEqual([true, 3]);
    questions[2]?.answer("y");
    await settle();
    expect(decisions().map(({ digest }) => digest)).toEqual(["sha256:1", "sha256:3"]);
  });

  test("shows its card once, however often it is sent", async () => {
    const conversation = converse();
    await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    chunk(conversation, approval("r1s1c0a1"));
    expect(printed.split("May I?")).toHaveLength(2);
    expect(questions).toHaveLength(1);
  });
});

describe("/stop", () => {
  test("stops the live run once, and withdraws the question", async () => {
    const conversation = converse();
    await started(conversation);
    chunk(conversation, approval("r1s1c0a1"));
    expect([conversation.stop(), conversation.stop()]).toEqual([true, false]);
    await settle();
    expect(questions[0]?.signal.aborted).toBe(true);
    expect(requests.filter((each) => each.type === "cairn:cancel")).toMatchObject([
      { fields: { runId: RUN } },
    ]);
    expect([questions.length, decisions().length]).toEqual([1, 0]);
  });

  test("has nothing to stop before a run", () => {
    expect(converse().stop()).toBe(false);
  });
});

describe("what goes on", () => {
  test("is told while nobody is asked: the thought, the call, the lost connection", async () => {
    const conversation = converse();
    const { ending } = await started(conversation);
    expect(busy.at(-1)).toBe("thinking");
    chunk(conversation, { type: "tool-input-available", toolCallId: "c", toolName: "page_get", input: {} });
    expect(busy.at(-1)).toBe("page_get");
    const progress = (note: string | null, percent: number | null) => ({
      type: "data-step",
      id: "r1s1",
      transient: true,
      data: { phase: "acting", note, percent },
    });
    chunk(conversation, progress("12 pages", 40));
    expect(busy.at(-1)).toBe("page_get: 12 pages, 40 %");
    chunk(conversation, progress(null, null));
    expect(busy.at(-1)).toBe("page_get");
    expect(printed).not.toContain("12 pages");
    chunk(conversation, { type: "start-step" });
    expect(busy.at(-1)).toBe("thinking");
    for (const retryMs of [250, 500]) conversation.handle({ kind: "lost", retryMs });
    expect(busy.at(-1)).toContain("connection is lost");
    const hello = { type: "cairn:hello", sessionId: "s", lastSeq: 0 } as const;
    conversation.handle({ kind: "hello", hello, again: true });
    expect([busy.at(-1), notes]).toEqual(["thinking", ["Connected again."]]);
    conversation.handle({ kind: "caught_up", runId: RUN });
    chunk(conversation, approval("r1s1c0a1"));
    expect(busy.at(-1)).toBeNull();
    questions[0]?.answer("y");
    await settle();
    expect(busy.at(-1)).toBe("thinking");
    chunk(conversation, { type: "finish", finishReason: "stop" });
    conversation.handle(ended);
    await ending;
    expect(busy.at(-1)).toBeNull();
  });

  test("is one remark in a pipe, however often the connection is tried", async () => {
    stage = { ...stage, interactive: false };
    const conversation = converse();
    await started(conversation);
    for (const retryMs of [250, 500, 1_000]) conversation.handle({ kind: "lost", retryMs });
    expect(notes).toHaveLength(1);
  });
});

test("the answer of a run is known with its end, by its log", async () => {
  const conversation = converse();
  const { ending } = await started(conversation);
  const answer = { seq: 8, run: "r1", kind: "answer", body: { text: "Done." } };
  conversation.handle({ kind: "entry", entry: answer });
  chunk(conversation, { type: "finish", finishReason: "stop" });
  conversation.handle(ended);
  await expect(ending).resolves.toMatchObject({ kind: "ended", answer: "Done.", denied: false });
});

test("a script gets every chunk and the end, as one record each", async () => {
  const conversation = converse();
  const { ending } = await started(conversation);
  chunk(conversation, { type: "data-plan", id: "plan", data: {} });
  chunk(conversation, { type: "finish", finishReason: "stop" });
  conversation.handle(ended);
  await ending;
  expect(records.map((each) => each.type)).toEqual(["accepted", "chunk", "chunk", "ended"]);
});

describe("a question", () => {
  const asked = (state = "open", options: readonly string[] = []) => ({
    type: "data-question",
    id: "r1s1c0q1",
    data: {
      questionId: "r1s1c0q1",
      callId: "r1s1c0",
      question: "Which colour?",
      kind: options.length > 0 ? "choice" : "text",
      options,
      context: "For the hero.",
      expiresAt: new Date(2026, 0, 8).toISOString(),
      default: "green",
      state,
      by: state === "answered" ? "ada" : null,
    },
  });
  const sent = () => requests.filter((each) => each.type === "cairn:answer").map((each) => each.fields);

  test("is shown with what one needs to know, and the typed line is its answer", async () => {
    const conversation = converse();
    const { ending } = await started(conversation);
    chunk(conversation, asked("open", ["green", "blue"]));
    expect(printed).toBe(
      "┌ Which colour?\n│ For the hero.\n│ 1. green\n│ 2. blue\n└ without an answer: green · until 8 Jan 2026, 00:00\n",
    );
    questions[0]?.answer("2");
    await settle();
    expect(sent()).toEqual([{ questionId: "r1s1c0q1", value: "2" }]);
    chunk(conversation, asked("answered"));
    chunk(conversation, { type: "finish", finishReason: "stop" });
    conversation.handle(ended);
    await expect(ending).resolves.toMatchObject({ kind: "ended" });
    expect(questions).toHaveLength(1);
    expect(printed).toContain("answered by ada");
  });

  test("is asked again after nothing and after what is none of the options", async () => {
    const conversation = converse();
    await started(conversation);
    chunk(conversation, asked("open", ["green", "blue"]));
    questions[0]?.answer("  ");
    await settle();
    answers["cairn:answer"] = {
      ok: false,
      error: { code: "invalid_answer", message: "No.", hint: "One of: green, blue." },
    };
    questions[1]?.answer("red");
    await settle();
    expect(told.at(-1)).toBe("No. One of: green, blue.");
    answers["cairn:answer"] = { ok: true, result: { runId: RUN } };
    questions[2]?.answer("blue");
    await settle();
    expect(sent().map((each) => each["value"])).toEqual(["red", "blue"]);
    expect(questions).toHaveLength(3);
  });

  test("that another person answers is off the table", async () => {
    const conversation = converse();
    await started(conversation);
    chunk(conversation, asked());
    chunk(conversation, asked("answered"));
    await settle();
    expect(questions[0]?.signal.aborted).toBe(true);
    expect(sent()).toEqual([]);
  });

  test("is left open where nobody sits at the terminal, also with --yes", async () => {
    const conversation = converse(true);
    const { ending } = await started(conversation);
    chunk(conversation, asked());
    questions[0]?.answer(null);
    await expect(ending).resolves.toEqual({ kind: "waits", for: "an answer" });
    expect(sent()).toEqual([]);
  });
});

describe("a run that asks for more", () => {
  test("asks no more once it was answered here, also before the chunk that reports it", async () => {
    const conversation = converse();
    await started(conversation);
    const data = {
      id: "q1",
      what: "toolCalls",
      used: 10,
      limit: 12,
      adds: { toolCalls: 6 },
      askedAt: "2026-03-01T12:00:00.000Z",
      costUsd: { used: 0, limit: 1 },
      state: "open",
      by: null,
    };
    chunk(conversation, { type: "data-budget-question", data });
    expect(conversation.asksForMore()?.id).toBe("q1");
    conversation.answeredMore("q0");
    expect(conversation.asksForMore()?.id).toBe("q1");
    conversation.answeredMore("q1");
    expect(conversation.asksForMore()).toBeNull();
    chunk(conversation, { type: "data-budget-question", data: { ...data, state: "extended", by: "ada" } });
    expect(conversation.asksForMore()).toBeNull();
    chunk(conversation, { type: "data-budget-question", data: { ...data, id: "q2" } });
    expect(conversation.asksForMore()?.id).toBe("q2");
  });
});
