import { describe, expect, test } from "vitest";
import { SEND_MESSAGE } from "../../../../src/cairn/core/address.ts";
import type { Entry, EntryKind } from "../../../../src/cairn/core/log/entry.ts";
import {
  channelNoticesOf,
  type ChannelNoticeContext,
} from "../../../../src/plugins/channels/session/notices.ts";

/** The messages that an entry makes on channels: to which place or person, after which wait, and whose quiet hours count. */

const AT = 1_700_000_000_000;
const PLACE = { channel: "telegram", place: "7" } as const;
const ID = `ses.5.${AT}`;
const FROM_CHANNEL = { source: "api", actor: "ada", origin: PLACE };

const item = (tool: string) => ({
  call: "r1s1c0",
  tool,
  title: "It",
  verbs: ["create"],
  targets: ["a"],
  state: null,
  reason: null,
});
const receipt = (more: object = {}) => ({ changed: [], failed: [], unknown: [], more: 0, ...more });

interface Given {
  /** what was asked, as its run_queued has it; null where nobody knows */
  readonly asked?: object | null;
  readonly answer?: object | null;
  readonly deciders?: readonly string[];
  readonly owner?: string | null;
  readonly question?: string | null;
  /** questions that are shown with buttons */
  readonly shown?: readonly string[];
}

function noticesOf(kind: EntryKind, body: object, given: Given = {}) {
  const { asked = null, answer = null, deciders = [], owner = "ada", question = null, shown = [] } = given;
  const around = {
    answer: () => answer,
    requestOf: () => asked,
    approval: (id: string) => (id === "gone" ? null : { id }),
    deciders: () => deciders,
    owner: () => owner,
    budgetQuestion: () => question,
    shownQuestions: () => shown,
  } as unknown as ChannelNoticeContext;
  const entry = { seq: 5, at: AT, run: "r1", step: null, kind, body } as unknown as Entry;
  return channelNoticesOf("ses", entry, around);
}

describe("an approval that is asked for", () => {
  const body = { approval: "a" };

  test.each([
    ["from a channel", FROM_CHANNEL, 0],
    ["elsewhere", { source: "web", actor: "ada" }, 10_000],
    ["by nobody that is known", null, 10_000],
  ])("%s goes to each who may decide it", (_, asked, waitMs) => {
    expect(noticesOf("approval_requested", body, { asked, deciders: ["ada", "bob"] })).toEqual(
      ["ada", "bob"].map((subject) => ({
        id: `${ID}.card`,
        target: `person:${subject}`,
        waitMs,
        note: { type: "card", approval: "a", subject },
      })),
    );
  });

  test("by a run that nobody watches waits for the quiet hours of each who may decide it", () => {
    const asked = { source: "schedule", actor: "ada", askedAt: 9 };
    const quietOf = (more: object) =>
      noticesOf("approval_requested", body, { asked: { ...asked, ...more }, deciders: ["bob"] }).map(
        ({ note }) => note.quiet,
      );
    expect(quietOf({})).toEqual([{ subject: "bob", askedAt: 9 }]);
    expect(quietOf({ askedAt: undefined })).toEqual([{ subject: "bob" }]);
    expect(quietOf({ source: "web" })).toEqual([undefined]);
  });

  test("asks nobody where a remembered decision answers it, or it is not there", () => {
    const deciders = ["ada"];
    expect(noticesOf("approval_requested", { ...body, policy: "p" }, { deciders })).toEqual([]);
    expect(noticesOf("approval_requested", { approval: "gone" }, { deciders })).toEqual([]);
  });

  test.each(["approval_decided", "approval_cancelled"] as const)("ends its card at %s", (kind) => {
    expect(noticesOf(kind, body)).toEqual([
      { id: `${ID}.end`, target: "card:a", note: { type: "card_end", approval: "a" }, waitMs: 0 },
    ]);
  });
});

describe("a question whose options are shown", () => {
  const end = (question: string) => ({
    id: `${ID}.question_end`,
    target: `card:${question}`,
    note: { type: "question_end", question },
    waitMs: 0,
  });

  test("ends with its own answer, and no other", () => {
    const shown = ["r1s1c0q1", "r1s2c0q1"];
    expect(noticesOf("human_answered", { question: "r1s2c0q1" }, { shown })).toEqual([end("r1s2c0q1")]);
    expect(noticesOf("human_answered", { question: "r1s3c0q1" }, { shown })).toEqual([]);
  });

  test("ends with its run", () => {
    const body = { class: "stopped", reason: "user" };
    expect(noticesOf("run_ended", body, { shown: ["r1s1c0q1"] })).toEqual([end("r1s1c0q1")]);
    expect(noticesOf("run_ended", body, {})).toEqual([]);
  });
});

describe("a question about a budget", () => {
  const body = { question: "q" };

  test.each([
    [FROM_CHANNEL, 0, undefined],
    [{ source: "web", actor: "ada" }, 10_000, undefined],
    [{ source: "schedule", actor: "ada", askedAt: 9 }, 10_000, { subject: "root", askedAt: 9 }],
  ])("of a run that was asked for like %j goes to the owner", (asked, waitMs, quiet) => {
    expect(noticesOf("budget_asked", body, { asked, owner: "root" })).toEqual([
      {
        id: `${ID}.budget`,
        target: "person:root",
        waitMs,
        note: { type: "budget", question: "q", subject: "root", ...(quiet === undefined ? {} : { quiet }) },
      },
    ]);
  });

  test("goes to nobody while nobody owns the session", () => {
    expect(noticesOf("budget_asked", body, { owner: null })).toEqual([]);
  });
});

describe("the end of a run", () => {
  const end = (outcome: string, given: Given) =>
    noticesOf("run_ended", { class: outcome, outcome: "completed", reason: null }, given);
  const answer = { text: "It is done.", receipt: receipt() };
  const messages = (notices: ReturnType<typeof end>) =>
    notices.flatMap(({ note }) => (note.type === "message" ? [[note.kind, note.text, note.quiet]] : []));

  test("is the answer below its receipt, at the place that it was asked from", () => {
    const [notice, ...others] = end("answered", { asked: { ...FROM_CHANNEL, spec: {} }, answer });
    expect(others).toEqual([]);
    expect(notice).toMatchObject({ id: `${ID}.origin`, target: "place:telegram:7", waitMs: 0 });
    expect(messages(notice === undefined ? [] : [notice])).toEqual([
      ["final", "Answered.  \nNothing was changed.\n\nIt is done.", undefined],
    ]);
  });

  test("is sent for no run that came from no channel, and for none that has nothing to say", () => {
    expect(end("answered", { asked: { source: "web", actor: "ada", spec: {} }, answer })).toEqual([]);
    expect(end("answered", { asked: { ...FROM_CHANNEL, spec: {} }, answer: null })).toEqual([]);
  });

  test.each([
    ["answered", "final", { subject: "ada", askedAt: 9 }],
    ["partial", "final", { subject: "ada", askedAt: 9 }],
    ["failed", "failure", undefined],
    ["cancelled", "failure", undefined],
  ])("(%s) is %s, and waits for quiet hours only where it is no failure", (outcome, kind, quiet) => {
    const asked = { ...FROM_CHANNEL, source: "schedule", askedAt: 9, spec: {} };
    expect(messages(end(outcome, { asked, answer })).map(([what, , waits]) => [what, waits])).toEqual([
      [kind, quiet],
    ]);
  });

  /** A run that answers by messages has sent its text already. */
  test.each([
    ["nothing where a message carried the receipt", { receipt: receipt({ sent: true }) }, null],
    ["the receipt alone where none did", { receipt: receipt() }, "Answered.  \nNothing was changed."],
    ["nothing of an imported log without a receipt", { receipt: undefined }, null],
  ])("of a run that answers by messages is %s", (_, more, text) => {
    const asked = { ...FROM_CHANNEL, spec: { deliver: "tool" } };
    const sent = messages(end("answered", { asked, answer: { text: "It is done.", ...more } }));
    expect(sent.map(([, words]) => words)).toEqual(text === null ? [] : [text]);
    const failed = messages(end("failed", { asked, answer }));
    expect(failed).toEqual([["failure", expect.stringContaining("It is done."), undefined]]);
  });

  test.each([
    [[], 0],
    [[item(SEND_MESSAGE)], 0],
    [[item("page_create")], 1],
    [[item(SEND_MESSAGE), item("page_create")], 1],
  ])("without a word is sent where it did more than send a message: %j", (changed, count) => {
    const asked = { ...FROM_CHANNEL, spec: {} };
    const silent = { text: " ", receipt: receipt({ changed }) };
    expect(messages(end("answered", { asked, answer: silent }))).toHaveLength(count);
  });
});

describe("other words of a run", () => {
  test("a question has its context before it and its options below it", () => {
    const body = {
      question: "r1s1c0",
      text: "Which one?",
      options: ["Red", "Blue"],
      context: "Two are left.",
      expiresAt: 9,
    };
    const [notice] = noticesOf("human_asked", body, { asked: FROM_CHANNEL });
    expect(notice?.note).toEqual({
      type: "message",
      kind: "question",
      text: "Two are left.\n\nWhich one?\n\n- Red\n- Blue",
      address: PLACE,
      asks: { question: "r1s1c0", options: ["Red", "Blue"], subject: "ada", expiresAt: 9 },
    });
    expect(noticesOf("human_asked", body, { asked: { source: "web" } })).toEqual([]);
  });

  test("a digest goes to its place, and a note without one to nobody", () => {
    expect(noticesOf("note", { text: "News.", digest: { place: PLACE } })).toEqual([
      {
        id: `${ID}.digest`,
        target: "place:telegram:7",
        note: { type: "message", kind: "progress", text: "News.", address: PLACE },
        waitMs: 0,
      },
    ]);
    expect(noticesOf("note", { text: "News." })).toEqual([]);
    expect(noticesOf("note", { text: "News.", digest: {} })).toEqual([]);
  });
});
