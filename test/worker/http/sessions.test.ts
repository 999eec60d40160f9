import { describe, expect, test } from "vitest";
import { MEMORY, NOW, openDoors, post, verdictOf, type Doors } from "./routes-fixture.ts";

const S = "/api/sessions/ses_demo";
const say = (doors: Doors, body: unknown, headers: Record<string, string> = {}) =>
  doors.call(`${S}/messages`, post(body, headers));

interface Refusal {
  error: { code: string; issues?: { path: string; code: string }[] };
}
const issuesOf = async (response: Response): Promise<unknown[]> =>
  ((await response.json()) as Refusal).error.issues?.map(({ path, code }) => [path, code]) ?? [];

describe("saying something", () => {
  test("is accepted with the run's id, and reaches the session as a command", async () => {
    const doors = openDoors();
    const response = await say(doors, { text: "hi", id: "m1", mode: "join", model: "rehearsal:" });
    expect([response.status, await response.json()]).toEqual([
      202,
      { runId: "ses_demo.r1", seq: 1, messageId: "m1", mode: "join", queued: 0 },
    ]);
    expect(doors.sessions.heard).toEqual([
      {
        what: "send",
        session: "ses_demo",
        actor: {
          subject: "alice",
          scopes: ["read", "send", "approve"],
          via: "http",
          grant: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        },
        with: {
          id: "m1",
          parts: [{ type: "text", text: "hi" }],
          mode: "join",
          source: "api",
          request: null,
          named: ["model"],
          ask: { model: "rehearsal:", limits: {}, traceId: expect.stringMatching(/^made-id-/) as string },
        },
      },
    ]);
  });

  test("takes parts: text, data in the body, and files of this deployment", async () => {
    const doors = openDoors();
    const parts = [
      { type: "text", text: "look" },
      { type: "file", mediaType: "image/png", url: "data:image/png;base64,AAAA" },
      { type: "file", mediaType: "image/svg+xml", url: "/media/hero%20(1).svg" },
    ];
    expect((await say(doors, { parts })).status).toBe(202);
    expect(doors.sessions.heard[0]?.with).toMatchObject({
      parts,
      id: "msg_made-id-0002",
      mode: null,
      ask: { limits: {} },
    });
  });

  test("with an event stream answers the run's own", async () => {
    const doors = openDoors();
    const response = await say(doors, { text: "hi" }, { accept: "application/json, text/event-stream" });
    expect(Object.fromEntries(response.headers)).toEqual({
      "cache-control": "no-cache",
      "content-type": "text/event-stream",
      "x-accel-buffering": "no",
      "x-cairn-run-id": "ses_demo.r1",
      "x-cairn-seq": "1",
      "x-content-type-options": "nosniff",
      "x-request-id": "made-id-0001",
      "x-vercel-ai-ui-message-stream": "v1",
    });
    expect([response.status, await response.text()]).toEqual([200, "data: [DONE]\n\n"]);
    expect(doors.sessions.heard.map((call) => [call.what, call.with])).toEqual([
      ["send", expect.anything()],
      ["stream", { kind: "run", run: "ses_demo.r1", after: null, part: "first" }],
    ]);
  });

  test.each([
    ["no body at all", {}, 400, "invalid_request"],
    ["text and parts", { text: "a", parts: [{ type: "text", text: "b" }] }, 400, "invalid_request"],
    ["nothing but spaces", { text: " \n" }, 400, "invalid_request"],
    ["no parts", { parts: [] }, 400, "invalid_request"],
    ["text that is none", { text: 7 }, 400, "invalid_request"],
    ["a list", [], 400, "invalid_request"],
    ["an unknown mode", { text: "a", mode: "now" }, 400, "invalid_request"],
    ["an unknown field", { text: "a", role: "system" }, 400, "unknown_field"],
    [
      "an unknown field of a part",
      { parts: [{ type: "text", text: "a", state: "done" }] },
      400,
      "unknown_field",
    ],
    ["an id that is none", { text: "a", id: "a b" }, 400, "invalid_id"],
    [
      "a part that is no input",
      { parts: [{ type: "tool-page_delete", output: {} }] },
      422,
      "unsupported_part",
    ],
    [
      "a file elsewhere",
      { parts: [{ type: "file", mediaType: "a/b", url: "https://a.example/" }] },
      422,
      "unsupported_part",
    ],
    [
      "a file above",
      { parts: [{ type: "file", mediaType: "a/b", url: "/media/../x" }] },
      422,
      "unsupported_part",
    ],
    ["a model that is none", { text: "a", model: "gpt" }, 422, "model_not_allowed"],
    ["a model that is not listed", { text: "a", model: "workers-ai:x" }, 422, "model_not_allowed"],
  ])("%s is refused", async (_, body, status, code) => {
    const doors = openDoors();
    expect(await verdictOf(await say(doors, body))).toEqual([status, code]);
    expect(doors.sessions.opened).toEqual([]);
  });

  test("a model that is listed and cannot be called is unavailable", async () => {
    const doors = openDoors({ MODELS_ALLOWED: "openai-compatible:*" });
    expect(await verdictOf(await say(doors, { text: "a", model: "openai-compatible:x" }))).toEqual([
      503,
      "model_unavailable",
    ]);
  });

  test("every fault of the fields has an issue with its place", async () => {
    const body = {
      parts: [{ type: "text" }, { type: "file", mediaType: "x", url: "" }],
      mode: 1,
      a: 1,
      b: 2,
    };
    const issues = await issuesOf(await say(openDoors(), body));
    expect(issues).toEqual([
      ["parts[0].text", "invalid_type"],
      ["parts[1].mediaType", "invalid_format"],
      ["parts[1].url", "out_of_range"],
      ["mode", "invalid_value"],
      ["a", "unknown_field"],
      ["b", "unknown_field"],
    ]);
  });

  test("an id of a session that is none is refused, whatever the route", async () => {
    const doors = openDoors();
    for (const id of ["a%2Fb", "a.b", "x".repeat(65), "%00", "%E0%A4%A"]) {
      expect(await verdictOf(await doors.call(`/api/sessions/${id}`))).toEqual([400, "invalid_id"]);
      expect(await verdictOf(await doors.call(`/api/sessions/${id}/messages`, post({ text: "a" })))).toEqual([
        400,
        "invalid_id",
      ]);
    }
    expect(doors.sessions.opened).toEqual([]);
  });

  test("a refusal of the session comes through with its status, code and further fields", async () => {
    const doors = openDoors();
    expect(
      await verdictOf(await doors.call(`${S}/messages`, { ...post({ text: "a" }), who: "bob" })),
    ).toEqual([409, "id_taken"]);
    const full = {
      status: 429,
      code: "queue_full",
      message: "Full.",
      retryAfter: 1.2,
      extra: { queued: 20 },
    };
    const client = doors.sessions.open("ses_demo");
    const crowded = openDoors(
      {},
      { sessions: () => ({ ...client, send: async () => ({ ok: false, error: full }) }) },
    );
    const response = await say(crowded, { text: "a" });
    expect([response.status, response.headers.get("retry-after"), await response.json()]).toEqual([
      429,
      "2",
      { error: { code: "queue_full", message: "Full.", hint: null, requestId: "made-id-0001" }, queued: 20 },
    ]);
  });
});

describe("bodies", () => {
  const send = (doors: Doors, body: BodyInit, headers: Record<string, string>) =>
    doors.call(`${S}/messages`, { method: "POST", body, headers });
  const json = { "content-type": "application/json; charset=utf-8" };

  test("must be JSON by type and by syntax", async () => {
    const doors = openDoors();
    const text = JSON.stringify({ text: "a" });
    expect(await verdictOf(await send(doors, text, json))).toEqual([202, null]);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"])
      expect(await verdictOf(await send(doors, text, { "content-type": type }))).toEqual([
        415,
        "unsupported_media_type",
      ]);
    expect(await verdictOf(await send(doors, new TextEncoder().encode(text), {}))).toEqual([
      415,
      "unsupported_media_type",
    ]);
    for (const body of ["", "{", '{"text":"a"}}', new Uint8Array([0x22, 0xff, 0x22])])
      expect(await verdictOf(await send(doors, body, json))).toEqual([400, "invalid_json"]);
  });

  test("end at their limit to the byte, whether or not they announce their length", async () => {
    const doors = openDoors({ LIMITS: { bodyBytes: 100 } });
    const body = (bytes: number) => JSON.stringify({ text: "x".repeat(bytes - '{"text":""}'.length) });
    const streamed = (text: string) => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      void writer.write(new TextEncoder().encode(text)).catch(() => {});
      void writer.close().catch(() => {});
      return readable;
    };
    for (const form of [(text: string) => text, streamed]) {
      expect(await verdictOf(await send(doors, form(body(100)), json))).toEqual([202, null]);
      expect(await verdictOf(await send(doors, form(body(101)), json))).toEqual([413, "body_too_large"]);
    }
  });

  test("hold at most so much text, counted in bytes over all parts", async () => {
    const doors = openDoors();
    const parts = (text: string) => ({
      parts: [
        { type: "text", text: "é".repeat(32_768 - 5) },
        { type: "text", text },
      ],
    });
    expect(await verdictOf(await say(doors, parts("x".repeat(10))))).toEqual([202, null]);
    expect(await verdictOf(await say(doors, parts("x".repeat(11))))).toEqual([413, "message_too_large"]);
    expect(await verdictOf(await say(doors, { text: "x".repeat(65_537) }))).toEqual([
      413,
      "message_too_large",
    ]);
  });
});

describe("Idempotency-Key", () => {
  const key = { "idempotency-key": "order-1" };

  test("sent 50 times at once makes one run, one body, and 49 replays", async () => {
    const doors = openDoors();
    const responses = await Promise.all(Array.from({ length: 50 }, () => say(doors, { text: "hi" }, key)));
    const bodies = await Promise.all(responses.map((response) => response.text()));
    expect(new Set(bodies).size).toBe(1);
    expect(responses.every((response) => response.status === 202)).toBe(true);
    expect(
      responses.filter((response) => response.headers.get("idempotent-replayed") === "true").length,
    ).toBe(49);
  });

  test("with another body is a conflict", async () => {
    const doors = openDoors();
    await say(doors, { text: "hi" }, key);
    expect(await verdictOf(await say(doors, { text: "ho" }, key))).toEqual([409, "idempotency_conflict"]);
    expect((await say(doors, { text: "ho" }, { "idempotency-key": "order-2" })).status).toBe(202);
  });

  test("is one's own: another subject or session with the same key is another message", async () => {
    const doors = openDoors();
    await say(doors, { text: "hi" }, key);
    await doors.call(`${S}/messages`, { ...post({ text: "hi" }, key), who: "admin" });
    await doors.call("/api/sessions/other/messages", post({ text: "hi" }, key));
    const ids = doors.sessions.heard.map((call) => (call.with as { id: string }).id);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => /^idem_[0-9a-f]{40}$/.test(id))).toBe(true);
  });

  test("beside an id leaves the id in charge", async () => {
    const doors = openDoors();
    await say(doors, { text: "hi", id: "m1" }, key);
    const repeat = await say(doors, { text: "hi", id: "m1" }, key);
    expect([repeat.status, repeat.headers.get("idempotent-replayed")]).toEqual([202, "true"]);
    expect(await verdictOf(await say(doors, { text: "ho", id: "m1" }, key))).toEqual([409, "message_exists"]);
  });

  test("of a streaming request brings the same run's stream again", async () => {
    const doors = openDoors();
    const stream = { ...key, accept: "text/event-stream" };
    const first = await say(doors, { text: "hi" }, stream);
    const again = await say(doors, { text: "hi" }, stream);
    expect(again.headers.get("x-cairn-run-id")).toBe(first.headers.get("x-cairn-run-id"));
    expect([first, again].map((response) => response.headers.get("idempotent-replayed"))).toEqual([
      null,
      "true",
    ]);
  });

  test("that is none is refused", async () => {
    for (const bad of ["", "a b", "x".repeat(129)])
      expect(await verdictOf(await say(openDoors(), { text: "hi" }, { "idempotency-key": bad }))).toEqual([
        400,
        "invalid_request",
      ]);
  });
});

describe("reading", () => {
  test("messages are a bare list, and say when there are older ones", async () => {
    const doors = openDoors();
    const all = await doors.call(`${S}/messages`);
    expect([all.headers.get("x-cairn-more"), await all.json()]).toEqual([
      null,
      [{ id: "m1", role: "user", parts: [] }],
    ]);
    const page = await doors.call(`${S}/messages?limit=1&before=ses_demo.r2`);
    expect(page.headers.get("x-cairn-more")).toBe("true");
    expect(doors.sessions.heard.map((call) => call.with)).toEqual([
      { limit: 200, before: null },
      { limit: 1, before: "ses_demo.r2" },
    ]);
  });

  test("events are rows with their time in ISO 8601", async () => {
    const doors = openDoors();
    const response = await doors.call(`${S}/events?after=4&limit=1000`);
    expect(await response.json()).toEqual({
      items: [
        {
          seq: 1,
          at: new Date(NOW).toISOString(),
          v: 1,
          run: null,
          step: null,
          kind: "note",
          body: { code: "hello", text: "hi" },
        },
      ],
      nextAfter: 1,
      lastSeq: 1,
      more: false,
    });
    expect(doors.sessions.heard[0]?.with).toEqual({ after: 4, limit: 1_000 });
  });

  test("a page that was read is asked for by place or by evidence, and no further than it may be", async () => {
    const doors = openDoors();
    expect((await doors.call(`${S}/pages/p7?evidence=e12`)).status).toBe(200);
    expect((await doors.call(`${S}/pages/p7?offset=0&limit=20`)).status).toBe(200);
    expect(doors.sessions.heard.map((heard) => [heard.what, heard.with])).toEqual([
      ["sourcePage", { page: "p7", evidence: "e12", offset: null, limit: 1_200 }],
      ["sourcePage", { page: "p7", evidence: null, offset: 0, limit: 20 }],
    ]);
    for (const query of ["limit=0", "limit=100001", "offset=-1", "offset=x"])
      expect((await doors.call(`${S}/pages/p7?${query}`)).status, query).toBe(400);
    expect(doors.sessions.heard).toHaveLength(2);
  });

  test("working memory comes as the session has it, and takes no POST", async () => {
    const doors = openDoors();
    expect(await (await doors.call(`${S}/memory`)).json()).toEqual(MEMORY);
    expect(doors.sessions.heard.map(({ what, session }) => [what, session])).toEqual([
      ["memory", "ses_demo"],
    ]);
    const posted = await doors.call(`${S}/memory`, post({}));
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, DELETE, HEAD"]);
  });

  test("an event stream starts after Last-Event-ID, else after the query, and may end when idle", async () => {
    const doors = openDoors();
    const accept = { accept: "text/event-stream" };
    const response = await doors.call(`${S}/events?after=4&until=idle`, {
      headers: { ...accept, "last-event-id": "7" },
    });
    expect([
      response.status,
      response.headers.get("content-type"),
      response.headers.get("cache-control"),
    ]).toEqual([200, "text/event-stream", "no-cache"]);
    expect([
      response.headers.get("x-internal"),
      response.headers.get("x-vercel-ai-ui-message-stream"),
    ]).toEqual([null, null]);
    await doors.call(`${S}/events?after=4`, { headers: accept });
    expect(doors.sessions.heard.map((call) => call.with)).toEqual([
      { kind: "events", after: 7, until: "idle" },
      { kind: "events", after: 4, until: null },
    ]);
  });

  test("numbers out of their range are refused, not bent", async () => {
    const doors = openDoors();
    const queries = [
      "messages?limit=0",
      "messages?limit=1001",
      "events?after=-1",
      "events?after=x",
      "events?limit=1001",
    ];
    for (const query of queries)
      expect(await verdictOf(await doors.call(`${S}/${query}`))).toEqual([400, "invalid_request"]);
    expect(await verdictOf(await doors.call(`${S}/messages?before=a%20b`))).toEqual([400, "invalid_id"]);
    const stream = { headers: { accept: "text/event-stream" } };
    expect(await verdictOf(await doors.call(`${S}/events?until=later`, stream))).toEqual([
      400,
      "invalid_request",
    ]);
    expect(doors.sessions.opened).toEqual([]);
  });

  test("a foreign session reads exactly as a missing one on every path", async () => {
    const doors = openDoors();
    const same = { headers: { "x-request-id": "same-request" }, who: "bob" as const };
    const stream = { ...same, headers: { ...same.headers, accept: "text/event-stream" } };
    const asks: [string, object][] = [
      ["", same],
      ["/messages", same],
      ["/events", same],
      ["/memory", same],
      ["/events", stream],
      ["/cancel", { ...post({}, same.headers), who: "bob" }],
      ["/approvals/r1s1c0a1", same],
      ["/approvals/r1s1c0a1", { ...post({ decision: "approve" }, same.headers), who: "bob" }],
    ];
    for (const [path, init] of asks) {
      const foreign = await doors.call(`${S}${path}`, init);
      const missing = await doors.call(`/api/sessions/none${path}`, init);
      expect([foreign.status, await foreign.text()]).toEqual([404, await missing.text()]);
    }
  });

  test("the session and the tools have their shapes", async () => {
    const doors = openDoors();
    expect(await (await doors.call(S)).json()).toMatchObject({
      id: "ses_demo",
      owner: "alice",
      status: "idle",
    });
    expect(await (await doors.call("/api/tools")).json()).toEqual({
      items: [
        {
          name: "page_delete",
          title: "Delete pages",
          description: "Deletes pages.",
          effect: "keyed",
          inputSchema: { type: "object" },
          approval: { mode: "ask" },
          pack: "cms",
          available: true,
          why: null,
        },
        {
          name: "web_search",
          title: null,
          description: null,
          effect: null,
          inputSchema: null,
          approval: null,
          pack: null,
          available: false,
          why: "no key",
        },
      ],
    });
  });
});

describe("cancelling and deciding", () => {
  const decide = (doors: Doors, body: unknown, approval = "r1s1c0a1") =>
    doors.call(`${S}/approvals/${approval}`, post(body));

  test("a cancel needs no body, and says what it stopped", async () => {
    const doors = openDoors();
    const bare = await doors.call(`${S}/cancel`, { method: "POST" });
    expect([bare.status, await bare.json()]).toEqual([202, { cancelled: ["ses_demo.r1"] }]);
    await doors.call(`${S}/cancel`, post({ runId: "ses_demo.r1", all: true, hold: true, reason: "enough" }));
    expect(doors.sessions.heard.map((call) => call.with)).toEqual([
      { id: expect.stringMatching(/./), runId: null, all: false, hold: false, reason: null, digest: null },
      {
        id: expect.stringMatching(/./),
        runId: "ses_demo.r1",
        all: true,
        hold: true,
        reason: "enough",
        digest: null,
      },
    ]);
    const ids = doors.sessions.heard.map((call) => (call.with as { id: string }).id);
    expect(new Set(ids).size).toBe(2);
    expect(await verdictOf(await doors.call(`${S}/cancel`, post({ run: "r1" })))).toEqual([
      400,
      "unknown_field",
    ]);
  });

  test("a queue that was held goes on, for who may write", async () => {
    const doors = openDoors();
    const answer = await doors.call(`${S}/continue`, { method: "POST" });
    expect([answer.status, await answer.json()]).toEqual([200, { continued: true }]);
    expect(doors.sessions.heard.map(({ what }) => what)).toEqual(["continueQueue"]);
    expect(await verdictOf(await doors.call(`${S}/continue`, post({ now: true })))).toEqual([
      400,
      "unknown_field",
    ]);
  });

  test("a decision reaches the session as it was made; the same one again is a replay", async () => {
    const doors = openDoors();
    const first = await decide(doors, { decision: "edit", args: { pages: [] }, digest: "sha256:aa" });
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([200, null]);
    expect(await first.json()).toMatchObject({ id: "r1s1c0a1", state: "approved" });
    expect(
      (await decide(doors, { decision: "deny", reason: "again" })).headers.get("idempotent-replayed"),
    ).toBe("true");
    expect(doors.sessions.heard.map((call) => call.with)).toEqual([
      {
        approval: "r1s1c0a1",
        decision: "edit",
        args: { pages: [] },
        reason: null,
        digest: "sha256:aa",
        remember: null,
      },
      { approval: "r1s1c0a1", decision: "deny", args: null, reason: "again", digest: null, remember: null },
    ]);
  });

  test("a yes that shall hold for later calls reaches the session with its scope and time; it is taken back by its id", async () => {
    const doors = openDoors();
    const remember = { match: "tool", seconds: 3_600 };
    expect((await decide(doors, { decision: "approve", remember })).status).toBe(200);
    const revoked = await doors.call(`${S}/policies/r1s1c0a1p`, { method: "DELETE" });
    expect([revoked.status, await revoked.text()]).toEqual([204, ""]);
    expect(doors.sessions.heard.map((call) => [call.what, call.with])).toEqual([
      [
        "decide",
        { approval: "r1s1c0a1", decision: "approve", args: null, reason: null, digest: null, remember },
      ],
      ["revoke", "r1s1c0a1p"],
    ]);
  });

  test.each([
    ["no decision", {}, 400, "invalid_request"],
    ["time's decision", { decision: "expired" }, 400, "invalid_request"],
    [
      "a yes for ever",
      { decision: "approve", remember: { match: "tool", seconds: 86_401 } },
      400,
      "invalid_request",
    ],
    [
      "a yes for all tools",
      { decision: "approve", remember: { match: "all", seconds: 60 } },
      400,
      "invalid_request",
    ],
    [
      "a changed one remembered",
      { decision: "edit", args: {}, remember: { match: "args", seconds: 60 } },
      400,
      "invalid_request",
    ],
    ["an edit without args", { decision: "edit" }, 422, "invalid_args"],
    ["an approval of other args", { decision: "approve", args: {} }, 400, "invalid_request"],
    ["an unknown field", { decision: "approve", subject: "root" }, 400, "unknown_field"],
  ])("%s is refused", async (_, body, status, code) => {
    const doors = openDoors();
    expect(await verdictOf(await decide(doors, body))).toEqual([status, code]);
    expect(doors.sessions.opened).toEqual([]);
  });

  test("a name that no approval can have is not found, and wakes nothing", async () => {
    const doors = openDoors();
    for (const name of ["x", "r1", "r1s1c0", "r1s1c0q1", "r0s1c0a1"]) {
      expect(await verdictOf(await decide(doors, { decision: "deny" }, name))).toEqual([404, "not_found"]);
      expect(await verdictOf(await doors.call(`${S}/approvals/${name}`))).toEqual([404, "not_found"]);
    }
    expect(doors.sessions.opened).toEqual([]);
  });
});

describe("the trace", () => {
  const TRACE = `${S}/trace`;

  test("is records, or lines of JSON, of all runs or of one by either of its names", async () => {
    const doors = openDoors();
    const records = await doors.call(TRACE);
    expect([records.status, await records.json()]).toEqual([200, { items: [{ iteration: 1 }] }]);
    const lines = await doors.call(`${TRACE}?format=jsonl&run=r2`);
    expect([lines.headers.get("content-type"), await lines.text()]).toEqual([
      "application/x-ndjson",
      '{"line":"run"}\n{"line":"end"}\n',
    ]);
    await doors.call(`${TRACE}?run=ses_demo.r3`);
    expect(doors.sessions.heard.map((one) => one.with)).toEqual([
      { run: null, format: "json" },
      { run: "r2", format: "jsonl" },
      { run: "r3", format: "json" },
    ]);
  });

  test.each(["format=csv", "run=two", "run=r0", "run=ses_other.r1", "limit=3"])(
    "refuses ?%s before it wakes the session",
    async (query) => {
      const doors = openDoors();
      expect(await verdictOf(await doors.call(`${TRACE}?${query}`))).toEqual([400, "invalid_request"]);
      expect(doors.sessions.heard).toEqual([]);
    },
  );
});

describe("answering a question", () => {
  const resume = (doors: Doors, body: unknown, run = "ses_demo.r1") =>
    doors.call(`/api/runs/${run}/resume`, post(body));

  test("reaches the session of the run, by the question's name or without it", async () => {
    const doors = openDoors();
    const response = await resume(doors, { questionId: "r1s1c0q1", value: "green" });
    expect([response.status, await response.json()]).toEqual([
      202,
      expect.objectContaining({ id: "ses_demo.r1", sessionId: "ses_demo" }),
    ]);
    await resume(doors, { value: "blue" });
    expect(doors.sessions.heard.map((heard) => [heard.what, heard.session, heard.with])).toEqual([
      ["answer", "ses_demo", { runId: "ses_demo.r1", question: "r1s1c0q1", value: "green" }],
      ["answer", "ses_demo", { runId: "ses_demo.r1", question: null, value: "blue" }],
    ]);
  });

  test("is refused where it is no text, names no run, or is another's", async () => {
    const doors = openDoors();
    const cases: [unknown, string, number, string][] = [
      [{ value: { colour: "green" } }, "ses_demo.r1", 422, "invalid_answer"],
      [{ value: "x".repeat(65_537) }, "ses_demo.r1", 422, "invalid_answer"],
      [{}, "ses_demo.r1", 400, "invalid_request"],
      [{ value: "green", retry: true }, "ses_demo.r1", 400, "invalid_request"],
      [{ questionId: "r1s1c0q1", retry: true }, "ses_demo.r1", 400, "invalid_request"],
      [{ retry: false }, "ses_demo.r1", 400, "invalid_request"],
      [{ retry: true }, "ses_other.r1", 404, "not_found"],
      [{ value: "green", answer: "blue" }, "ses_demo.r1", 400, "unknown_field"],
      [{ value: "green" }, "nonsense", 404, "not_found"],
      [{ value: "green" }, "ses_other.r1", 404, "not_found"],
    ];
    for (const [body, run, status, code] of cases) {
      const response = await resume(doors, body, run);
      expect([response.status, ((await response.json()) as Refusal).error.code]).toEqual([status, code]);
    }
  });
});
