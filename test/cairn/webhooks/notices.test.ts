import { describe, expect, test } from "vitest";
import type { Scope } from "../../../src/cairn/session/api/session-api.ts";
import { DELIVERY_DELAYS_MS } from "../../../src/cairn/core/limits.ts";
import { afterTry } from "../../../src/cairn/session/background/delivery-retry.ts";
import type { BodyOf, Entry } from "../../../src/cairn/core/log/entry.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import { NO_RECEIPT, type Receipt } from "../../../src/cairn/core/log/receipt.ts";
import type { ApprovalView } from "../../../src/cairn/protocol/approval.ts";
import { readLink } from "../../../src/cairn/protocol/signed/approval-link.ts";
import { noticesOf } from "../../../src/cairn/webhooks/notices.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";
import { queued } from "../protocol/stream/stream-fixture.ts";

const none = { answer: () => null, requestOf: () => null, approval: () => null, links: () => null };
/** A run that has ended, as what asked for it says. */
const ran = (said: BodyOf<"answer">) => {
  const asked = queued("r1", "m1", 1);
  if (asked.kind !== "run_queued") throw new Error("not a run_queued");
  return { ...none, answer: () => said, requestOf: () => asked.body };
};
const entry = (kind: string, body: object, seq = 42): Entry =>
  ({ seq, at: Date.UTC(2026, 0, 1), v: 1, run: "r1", step: "r1s1", kind, body }) as unknown as Entry;
const answer = (text: string, receipt: Receipt = NO_RECEIPT): Entry<"answer">["body"] => ({
  text,
  source: "plain",
  shown: true,
  confidence: null,
  summary: null,
  value: null,
  receipt,
});
const told = (entry: Entry, around: Parameters<typeof noticesOf>[2] = none) =>
  noticesOf("ses_demo", entry, around).map(({ id, type, body }) => ({
    id,
    type,
    body: JSON.parse(body) as unknown,
  }));

describe("what is told of a row", () => {
  test("the end of a run, with its outcome, its answer and the receipt of what it came to", () => {
    const item = { tool: "put", title: "Put", verbs: ["create"], targets: ["About"], state: "draft" };
    const receipt: Receipt = {
      changed: [{ ...item, call: "r1s1c0", reason: null }],
      failed: [{ ...item, call: "r1s2c0", state: null, reason: "It is taken" }],
      unknown: [],
      more: 0,
    };
    const ended = { outcome: "completed_partial", class: "partial", reason: "completed_partial", steps: 2 };
    const said = { ...answer("Half of it.", receipt), confidence: 0.5, summary: "Half." };
    expect(told(entry("run_ended", ended), ran(said))).toEqual([
      {
        id: `ses_demo.42.${Date.UTC(2026, 0, 1)}`,
        type: "run.ended",
        body: {
          type: "run.ended",
          timestamp: "2026-01-01T00:00:00.000Z",
          data: {
            sessionId: "ses_demo",
            traceId: null,
            runId: "ses_demo.r1",
            status: "completed",
            outcome: "partial",
            reason: "completed_partial",
            answer: "Half of it.",
            result: { result: { answer: "Half of it.", confidence: 0.5, summary: "Half." } },
            receipt: {
              ...receipt,
              lines: [
                { about: "status", text: "Partly answered." },
                { about: "changed", text: "Changed: Put: “About” (draft). Nothing else was changed." },
                { about: "failed", text: "Failed: Put: “About”: It is taken." },
              ],
            },
          },
        },
      },
    ]);
    const statuses = ["answered", "failed", "cancelled"].map((of) =>
      told(entry("run_ended", { class: of, reason: null })),
    );
    const dataOf = (status: string) => ({ data: { status } });
    expect(statuses.map(([one]) => one?.body)).toMatchObject(
      ["completed", "failed", "cancelled"].map(dataOf),
    );
  });

  test("no more of an answer than 4 KiB, and no half of a character", () => {
    const long = "é".repeat(3_000);
    const [notice] = noticesOf(
      "s",
      entry("run_ended", { class: "answered", reason: null }),
      ran(answer(long)),
    );
    const { data } = JSON.parse(notice?.body ?? "{}") as {
      data: { answer: string; result: { result: { answer: string } } };
    };
    expect([data.answer, data.result.result.answer]).toEqual(Array(2).fill("é".repeat(2_048)));
    const odd = noticesOf("s", entry("run_ended", { class: "answered", reason: null }), {
      ...none,
      answer: () => answer(`a${long}`),
    });
    expect((JSON.parse(odd[0]?.body ?? "{}") as typeof JSON & { data: { answer: string } }).data.answer).toBe(
      `a${"é".repeat(2_047)}`,
    );
  });

  test("the value that it was asked for, as long as it is no larger than a text may be", () => {
    const of = (value: Json) => {
      const said = { ...answer("In words."), value };
      const [notice] = told(entry("run_ended", { class: "answered", reason: null }), ran(said));
      const body = notice?.body as { data: { result: { result: { answer: Json } } } } | undefined;
      return body?.data.result.result.answer;
    };
    expect(of({ pages: 2 })).toEqual({ pages: 2 });
    expect(of("x".repeat(4_094))).toBe("x".repeat(4_094));
    expect(of("x".repeat(4_095))).toBe("In words.");
    expect(of(null)).toBe("In words.");
  });

  test("no receipt before the run has ended, nor of an answer that an older log was imported with", () => {
    const { receipt: _none, ...older } = answer("As before.");
    const around = { ...none, answer: () => older as Entry<"answer">["body"] };
    const receipts = [entry("run_started", {}), entry("run_ended", { class: "answered", reason: null })].map(
      (entry) => told(entry, around)[0]?.body,
    );
    expect(receipts).toMatchObject([
      { data: { answer: null, receipt: null } },
      { data: { answer: "As before.", receipt: null } },
    ]);
  });

  test("the beginning of a run, and a question that it waits for", () => {
    expect(told(entry("run_started", {})).map(({ id, type }) => [id, type])).toEqual([
      [`ses_demo.42.${Date.UTC(2026, 0, 1)}`, "run.started"],
    ]);
    expect(told(entry("human_asked", {})).map(({ id, type }) => [id, type])).toEqual([
      [`ses_demo.42.${Date.UTC(2026, 0, 1)}`, "run.waiting"],
    ]);
  });

  test("an approval without its arguments, asked for and decided, each notice with an id of its own", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: "Public." }]);
    platform.receiver.listen("run.*", "approval.*");
    platform.say("Publish it.");
    await platform.settle();
    platform.decide("approve");
    await platform.settle();
    const bodies = platform.receiver.told.map(
      ({ body }) => JSON.parse(body) as { type: string; data: ApprovalView },
    );
    expect(bodies.map(({ type }) => type).toSorted()).toEqual([
      "approval.decided",
      "approval.requested",
      "run.ended",
      "run.started",
      "run.waiting",
    ]);
    const approvals = bodies.filter(({ type }) => type.startsWith("approval.")).map(({ data }) => data);
    expect(approvals.map(({ id, state }) => [id, state])).toEqual([
      ["r1s1c0a1", "pending"],
      ["r1s1c0a1", "approved"],
    ]);
    expect(
      approvals.map((data) => [["args", "askedArgs", "changes"].some((field) => field in data), data.result]),
    ).toEqual([
      [false, null],
      [false, { decision: "approve", by: "ada", reason: null, digest: approvals[0]?.digest }],
    ]);
    expect(approvals[0]).toMatchObject({
      sessionId: "ses",
      runId: "ses.r1",
      title: "Publish a",
      digest: expect.any(String),
    });
    const ids = platform.receiver.told.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("an approval that is asked of more people, with them; a remembered decision asks nobody", async () => {
    const platform = new FakePlatform([
      { calls: [["publish", { name: "a" }]] },
      { calls: [["publish", { name: "b" }]] },
      { text: "Public." },
    ]);
    platform.approvals = { publish: { onExpiry: "escalate", escalateTo: ["eve"], expiresMs: 600_000 } };
    platform.restart();
    const ada = { subject: "ada", scopes: ["send", "approve"], via: "http" } as const;
    platform.service.admitOrCreate(ada);
    platform.receiver.listen("run.waiting", "approval.*");
    platform.say("Publish it.");
    await platform.settle();
    platform.now += 600_000;
    await platform.settle();
    const remember = { match: "tool", seconds: 60 } as const;
    const command = {
      approval: "r1s1c0a1",
      decision: "approve",
      args: null,
      reason: null,
      digest: null,
    } as const;
    expect((await platform.api.decide(ada, { ...command, remember })).ok).toBe(true);
    await platform.settle();
    const bodies = platform.receiver.told.map(
      ({ body }) => JSON.parse(body) as { type: string; data: ApprovalView },
    );
    const ofCall = (call: string) =>
      bodies.filter(({ data }) => data.callId === call).map(({ type }) => type);
    expect(ofCall("r1s1c0")).toEqual(["approval.requested", "approval.escalated", "approval.decided"]);
    expect(ofCall("r1s2c0")).toEqual(["approval.decided"]);
    expect(bodies.filter(({ type }) => type === "run.waiting")).toHaveLength(1);
    const escalated = bodies.find(({ type }) => type === "approval.escalated");
    expect(escalated?.data).toMatchObject({ state: "pending", escalated: true, approvers: ["owner", "eve"] });
  });

  test("an open approval with a link for each person whom it names, the same on every try", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: "Public." }]);
    platform.links = { secrets: ["0123456789abcdef0123456789abcdef"], origin: "https://cairn.example" };
    platform.restart();
    platform.receiver.listen("approval.*");
    platform.receiver.answers = (type) => (type === "approval.requested" ? [{ status: 503 }] : []);
    const words = { parts: [{ type: "text", text: "Publish it." }], mode: null, ask: {} } as const;
    const said = { id: "m1", ...words, source: "api", request: null } as const;
    const ada = { subject: "ada", scopes: ["send"], via: "http" } as const;
    await platform.api.send(ada, { ...said, ask: { approvers: ["owner", "bob", "*", "hook:github"] } });
    await platform.settle();
    platform.decide("approve");
    await platform.settle();
    type Told = { data: ApprovalView & { link?: Record<string, string> } };
    const bodies = platform.receiver.told.map(({ body }) => (JSON.parse(body) as Told).data);
    const [asked] = bodies;
    expect(asked?.argsSchema).toMatchObject({ type: "object", required: ["name"] });
    expect(Object.keys(asked?.link ?? {})).toEqual(["ada", "bob"]);
    for (const [subject, url] of Object.entries(asked?.link ?? {})) {
      const token = url.replace("https://cairn.example/a/", "");
      expect(readLink(platform.links.secrets, token)).toEqual({
        approval: asked?.id,
        digest: asked?.digest,
        ends: Math.ceil(Date.parse(asked?.expiresAt ?? "") / 1_000),
        session: "ses",
        asked: Date.parse(asked?.createdAt ?? ""),
        subject,
      });
    }
    expect(platform.receiver.told[1]?.body).toBe(platform.receiver.told[0]?.body);
    expect(bodies.at(-1)).toMatchObject({ state: "approved" });
    expect(bodies.at(-1)).not.toHaveProperty("link");
  });

  test("nothing of any other row", () => {
    expect(told(entry("note", {}))).toEqual([]);
    expect(told(entry("call_settled", {}))).toEqual([]);
  });
});

describe("after a try", () => {
  const at = 1_000_000;
  const after = (tries: number, status: number | null, retryAfterMs: number | null = null) =>
    afterTry(tries, { status, retryAfterMs }, at);

  test("2xx is success, at any try", () => {
    for (const status of [200, 202, 204, 299]) expect(after(8, status)).toEqual({ then: "delivered" });
  });

  test.each([300, 301, 304, 400, 401, 404, 409, 410, 422, 101])("%d is final", (status) => {
    expect(after(1, status)).toEqual({ then: "failed" });
  });

  test.each([null, 408, 425, 429, 500, 502, 503, 504, 599])(
    "%d is tried again after 5 s … 8 h, seven times",
    (status) => {
      const waits = Array.from({ length: 8 }, (_, n) => after(n + 1, status)).map((then) =>
        then.then === "retry" ? then.at - at : then.then,
      );
      expect(waits).toEqual([...DELIVERY_DELAYS_MS, "failed"]);
      expect(DELIVERY_DELAYS_MS.map((ms) => ms / 1_000)).toEqual([5, 30, 120, 600, 3_600, 10_800, 28_800]);
    },
  );

  test("who asks to be left alone is, for a day at most", () => {
    expect(after(1, 429, 60_000)).toEqual({ then: "retry", at: at + 60_000 });
    expect(after(2, 503, 1_000)).toEqual({ then: "retry", at: at + 30_000 });
    expect(after(1, 503, 1e12)).toEqual({ then: "retry", at: at + 86_400_000 });
  });
});

describe("the log of deliveries", () => {
  test("says what waits and what has ended, the newest first, by pages", async () => {
    const platform = new FakePlatform([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
    platform.receiver.listen("run.ended");
    platform.receiver.answers = () =>
      platform.state.runs === 2 ? [{ status: 400 }] : platform.state.runs === 3 ? [{ status: 503 }] : [];
    for (const text of ["a", "b", "c"]) {
      platform.say(text);
      await platform.settle(2_000);
    }
    const entries = platform.outbox
      .page(10, null)
      .items.map(({ state, tries, lastStatus }) => [state, tries, lastStatus]);
    expect(entries).toEqual([
      ["pending", 1, 503],
      ["failed", 1, 400],
      ["delivered", 1, 200],
    ]);
    const first = platform.outbox.page(2, null);
    expect(first.items).toHaveLength(2);
    const second = platform.outbox.page(2, Number(first.nextCursor));
    expect([second.items.map(({ state }) => state), second.nextCursor]).toEqual([["delivered"], null]);
  });

  test("shows whoever is no admin what went to people alone, with the entry that it tells of", async () => {
    const platform = new FakePlatform([{ text: "One." }]);
    platform.receiver.listen("run.ended");
    platform.service.admitOrCreate({ subject: "ada", scopes: ["send"], via: "http" });
    platform.say("a");
    await platform.settle(2_000);
    const told = "INSERT INTO deliveries (id, target, type, at, tries, status, outcome, ended_at)";
    for (const [id, target] of [
      ["ses_demo.7.1700000000000.origin", "place:telegram:801"],
      ["ses_demo.9.1700000000000.card", "person:ada"],
      ["of another form", "card:r1s1c0a1"],
    ])
      platform.disk.exec(
        `${told} VALUES (?, ?, 'message', 1, 1, 200, 'delivered', 2)`,
        id ?? "",
        target ?? "",
      );
    const page = async (scopes: readonly Scope[]) => {
      const seen = await platform.api.deliveries({ subject: "ada", scopes, via: "http" }, 10, null);
      return seen.ok ? seen.value.items.map(({ target, seq }) => [target.split(":")[0], seq]) : seen.error;
    };
    const people = [
      ["card", null],
      ["person", 9],
      ["place", 7],
    ];
    expect(await page(["read"])).toEqual(people);
    expect(await page(["admin"])).toEqual([...people, ["ops", 8]]);
  });

  test("a target that is configured no more is given up, and the run never knew", async () => {
    const platform = new FakePlatform([{ text: "One." }]);
    platform.receiver.listen("run.ended");
    platform.receiver.answers = () => [{ status: 503 }];
    platform.say("a");
    await platform.settle(2_000);
    platform.receiver.targets = [];
    platform.restart();
    await platform.settle();
    expect(platform.outbox.page(10, null).items).toMatchObject([
      { state: "failed", tries: 2, lastStatus: 404 },
    ]);
    expect([platform.disk.alarm, platform.outbox.due()]).toEqual([null, null]);
  });

  test("a receiver that never answers is tried eight times in half a day, and the session rests then", async () => {
    const platform = new FakePlatform([{ text: "One." }]);
    platform.receiver.listen("run.ended");
    platform.receiver.answers = () => Array.from({ length: 9 }, () => ({ status: null }));
    const began = platform.now;
    platform.say("a");
    await platform.settle(9 * 3_600_000);
    expect(platform.receiver.told).toHaveLength(8);
    expect(new Set(platform.receiver.told.map(({ id }) => id)).size).toBe(1);
    expect(Math.round((platform.now - began) / 3_600_000)).toBe(12);
    expect(platform.disk.alarm).toBeNull();
  });
});
