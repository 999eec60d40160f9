import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createTestHarness } from "wrangler";
import type { Order } from "./caller/worker.ts";

/** `Api` as another Worker calls it: two Workers in one workerd, and real service bindings with props between them. */

const tokens = {
  "the-token-of-the-shop": { subject: "shop", scopes: ["read", "send", "approve"] },
  "the-token-of-a-reader": { subject: "reader", scopes: ["read", "send"] },
  "the-token-that-has-ended": { subject: "ended", scopes: ["admin"], expires: "2026-01-01" },
};

const harness = createTestHarness({
  workers: [
    { configPath: path.join(import.meta.dirname, "caller/wrangler.toml") },
    {
      configPath: cairnConfig(),
      vars: { ALLOW_ANONYMOUS: "true" },
      secrets: { AUTH_TOKENS: JSON.stringify(tokens) },
    },
  ],
});

beforeAll(async () => {
  await harness.listen();
  await harness.getWorker("cairn").applyD1Migrations("DB");
});
afterAll(() => harness.close());

/** The built worker without the binding that needs an account. */
function cairnConfig(): string {
  const built = inject("built");
  const config = path.join(path.dirname(built), "called.toml");
  writeFileSync(config, readFileSync(built, "utf8").replace(/^\[ai\]\nbinding = .*$/m, ""));
  return config;
}

interface Reply {
  readonly value?: Readonly<Record<string, unknown>>;
  readonly refused?: Readonly<Record<string, unknown>>;
}

async function ask(binding: string, method: Order["method"], ...args: unknown[]): Promise<Reply> {
  const body = JSON.stringify({ binding, method, args });
  const response = await harness.getWorker("caller").fetch("http://caller/", { method: "POST", body });
  expect(response.status).toBe(200);
  return (await response.json()) as Reply;
}

/** The answer of the HTTP API to the same request with the token of the same person. */
async function overHttp(
  token: string,
  url: string,
  body?: object,
): Promise<{ status: number; error: object }> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const init = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
  const response = await harness.getWorker("cairn").fetch(`https://cairn.example${url}`, init);
  const { error } = (await response.json()) as { error: object };
  return { status: response.status, error };
}

interface Waiting {
  readonly sessionId: string;
  readonly id: string;
  readonly digest: string;
}

/** Starts a run that asks to delete a page of its own, and waits for its approval. */
async function askApproval(session: string): Promise<{ readonly runId: string; readonly approval: Waiting }> {
  const objective = [
    `/call page_create ${JSON.stringify({ name: session })}`,
    "/then",
    `/call page_delete ${JSON.stringify({ pages: [session] })}`,
    "/then",
    "/say Done.",
  ].join("\n");
  const { value } = await ask("SHOP", "run", { objective, session_id: session }, { async: true });
  expect(value).toMatchObject({ sessionId: session, endedAt: null });
  const waiting = async (): Promise<readonly Waiting[]> =>
    (await ask("SHOP", "approvals", { sessionId: session })).value?.["items"] as readonly Waiting[];
  await expect.poll(waiting).toHaveLength(1);
  const [approval] = await waiting();
  if (approval === undefined) throw new Error("nothing waits");
  return { runId: String(value?.["id"]), approval };
}

const decisionOn = ({ sessionId, id, digest }: Waiting, decision: string) => ({
  sessionId,
  approvalId: id,
  digest,
  decision,
});

describe("another Worker", () => {
  test("starts a run as its subject, and gets the run at its end", async () => {
    const { value } = await ask("SHOP", "run", { objective: "/say Done.", metadata: { order: 7 } });
    expect(value).toMatchObject({
      status: "completed",
      requester: "shop",
      source: "api",
      answer: "Done.",
      metadata: { order: 7 },
    });
    expect((await ask("SHOP", "readRun", value?.["id"])).value).toEqual(value);
  });

  test("repeats a call under its key without a second run, and with another body not at all", async () => {
    const options = { idempotencyKey: "order-7" };
    const first = await ask("SHOP", "run", { objective: "/say Once." }, options);
    expect((await ask("SHOP", "run", { objective: "/say Once." }, options)).value).toEqual(first.value);
    const other = await ask("SHOP", "run", { objective: "/say Twice." }, options);
    expect(other.refused).toMatchObject({ status: 409, code: "idempotency_conflict" });
  });

  test("sends words, or a message with fields, to a session", async () => {
    const words = await ask("SHOP", "send", "talk", "/say Hello.");
    expect(words.value).toMatchObject({ runId: "talk.r1", mode: "queue" });
    const whole = await ask("SHOP", "send", "talk", { text: "/say Again.", id: "of-the-shop" });
    expect(whole.value).toMatchObject({ runId: "talk.r2", messageId: "of-the-shop" });
    await expect
      .poll(async () => (await ask("SHOP", "readRun", "talk.r2")).value)
      .toMatchObject({ status: "completed", answer: "Again." });
  });

  test("lists what waits for a person, and decides it", async () => {
    const { runId, approval } = await askApproval("decided");
    const shown = { ...decisionOn(approval, "approve"), digest: "of-something-else" };
    expect((await ask("SHOP", "decide", shown)).refused).toMatchObject({ status: 409 });
    const decided = await ask("SHOP", "decide", decisionOn(approval, "approve"));
    expect(decided.value).toMatchObject({
      state: "approved",
      result: { decision: "approve", by: "shop" },
    });
    await expect
      .poll(async () => (await ask("SHOP", "readRun", runId)).value)
      .toMatchObject({ status: "completed", answer: "Done." });
    const late = await ask("SHOP", "decide", decisionOn(approval, "deny"));
    expect(late.refused).toMatchObject({
      status: 409,
      details: { approval: { id: approval.id, state: "approved" } },
    });
  });
});

describe("a binding has no more rights than its props give", () => {
  test.each(["UNNAMED", "STRANGER", "ANONYMOUS", "ENDED", "MISSPELLED"])("%s: none", async (binding) => {
    const denied = { status: 401, code: "unauthenticated", isTyped: true };
    expect((await ask(binding, "run", { objective: "/say Done." })).refused).toMatchObject(denied);
    expect((await ask(binding, "readRun", "talk.r1")).refused).toMatchObject(denied);
    expect((await ask(binding, "send", "talk", "/say Hello.")).refused).toMatchObject(denied);
    expect((await ask(binding, "approvals")).refused).toMatchObject(denied);
    const decision = { sessionId: "talk", approvalId: "r1s1c0a1", decision: "approve" };
    expect((await ask(binding, "decide", decision)).refused).toMatchObject(denied);
  });

  test("a scope that its subject lacks is refused in the words of the HTTP API", async () => {
    const { approval } = await askApproval("guarded");
    const decision = decisionOn(approval, "approve");
    const { sessionId, approvalId, ...body } = decision;
    const url = `/api/sessions/${sessionId}/approvals/${approvalId}`;
    const http = await overHttp("the-token-of-a-reader", url, body);
    expect(http).toMatchObject({ status: 403, error: { code: "missing_scope" } });
    const { refused } = await ask("READER", "decide", decision);
    expect(refused).toMatchObject({ ...http.error, status: 403, requestId: refused?.["requestId"] });
    expect((await ask("READER", "approvals")).refused).toMatchObject({ code: "missing_scope" });
    expect((await ask("SHOP", "approvals", { sessionId: "guarded" })).value?.["items"]).toHaveLength(1);
  });

  test("a scope that the binding leaves out is missing, though its subject has it", async () => {
    expect((await ask("SENDER", "send", "sender", "/say Hello.")).value).toMatchObject({ queued: 0 });
    expect((await ask("SENDER", "approvals")).refused).toMatchObject({ status: 403, code: "missing_scope" });
    expect((await ask("SENDER", "readRun", "sender.r1")).refused).toMatchObject({ code: "missing_scope" });
  });

  test("a session of somebody else does not exist", async () => {
    await ask("SHOP", "send", "of-the-shop", "/say Hello.");
    expect((await ask("READER", "readRun", "of-the-shop.r1")).refused).toMatchObject({ status: 404 });
    // As over HTTP: a name in use belongs to its owner.
    const taken = { status: 409, code: "id_taken" };
    expect((await ask("READER", "send", "of-the-shop", "/say Hello.")).refused).toMatchObject(taken);
  });

  test("no request from outside becomes a binding's", async () => {
    const props = JSON.stringify({ subject: "shop" });
    const headers = { "x-cairn-props": props, "x-agents-lifecycle-props": props };
    const response = await harness.getWorker("cairn").fetch("https://cairn.invalid/api/me", { headers });
    expect(response.status).toBe(401);
  });
});

describe("an argument is bounded, and is plain data", () => {
  const refusals = {
    $cycle: "invalid_request",
    $deep: "invalid_request",
    $holes: "invalid_request",
    $many: "invalid_request",
    $large: "body_too_large",
    $function: "invalid_json",
    $date: "invalid_json",
    $map: "invalid_json",
    $stream: "invalid_json",
  };
  test.each(Object.entries(refusals))("%s is refused as %s", async (odd, code) => {
    const refused = { isTyped: true, code };
    expect((await ask("SHOP", "run", { objective: "/say Odd.", input: odd })).refused).toMatchObject(refused);
    expect((await ask("SHOP", "run", { objective: "/say Odd." }, odd)).refused).toMatchObject(refused);
    expect((await ask("SHOP", "send", "odd", odd === "$large" ? odd : { text: odd })).refused).toMatchObject(
      refused,
    );
    expect((await ask("SHOP", "approvals", { cursor: odd })).refused).toMatchObject(refused);
    const decision = { sessionId: "odd", approvalId: "r1s1c0a1", decision: "approve", args: odd };
    expect((await ask("SHOP", "decide", decision)).refused).toMatchObject(refused);
  });

  test("a run is as large as over HTTP", async () => {
    const wide = { objective: "/say Done.", input: "a".repeat(70_000) };
    const http = await overHttp("the-token-of-the-shop", "/api/runs", wide);
    expect(http).toMatchObject({ status: 413, error: { code: "body_too_large" } });
    expect((await ask("SHOP", "run", wide)).refused).toMatchObject({ status: 413, code: "body_too_large" });
  });

  test("a name leads to no other route", async () => {
    for (const name of ["..", ".", "", "a/b", "a%2Fb", "x?y", 7, null, "$function"]) {
      expect((await ask("SHOP", "send", name, "/say Hello.")).refused).toMatchObject({ code: "invalid_id" });
      expect((await ask("SHOP", "readRun", name)).refused).toMatchObject({ code: "not_found" });
    }
    const several = { sessionId: "..", approvalId: "decisions", decisions: [] };
    expect((await ask("SHOP", "decide", several)).refused).toMatchObject({ code: "invalid_id" });
    const unnamed = { sessionId: "talk", approvalId: "decisions", decision: "approve" };
    expect((await ask("SHOP", "decide", unnamed)).refused).toMatchObject({ code: "not_found" });
  });

  test("unknown fields and options are refused, each with its place", async () => {
    const spec = await ask("SHOP", "run", { objective: "/say Done.", objektive: "x" });
    expect(spec.refused).toMatchObject({
      status: 422,
      code: "invalid_run",
      issues: [{ path: "objektive", code: "unknown_field" }],
    });
    expect((await ask("SHOP", "run", { objective: "/say Done." }, { wait: 1 })).refused).toMatchObject({
      status: 400,
      code: "unknown_field",
    });
    expect((await ask("SHOP", "approvals", { state: "open" })).refused).toMatchObject({
      code: "invalid_request",
    });
    expect((await ask("SHOP", "send", "talk", "Hi.", { idempotencyKey: "a\nb" })).refused).toMatchObject({
      code: "invalid_request",
    });
  });

  test("a refusal has no stack of the deployment", async () => {
    const { refused } = await ask("UNNAMED", "approvals");
    expect(refused).toMatchObject({ name: "CairnError", isTyped: true, hint: expect.any(String) });
    expect(String(refused?.["stack"])).not.toContain("bundle.mjs");
  });
});
