import { beforeAll, describe, expect, test } from "vitest";
import { ask, expectAlive, log, post, untilIdle, verdict, work } from "./bad-input-doors.ts";
import { makeSite } from "../cms/fixture.ts";
import { openDoors } from "../http/routes-fixture.ts";

/** Nonsense at the HTTP doors of the real worker: a typed refusal and nothing done, or a clean answer. */

beforeAll(makeSite);

const say = (fields: object): string => JSON.stringify(fields);
const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const parts = (count: number): object => ({
  parts: Array.from({ length: count }, () => ({ type: "text", text: "a" })),
});
const file = (url: string): object => ({ parts: [{ type: "file", mediaType: "image/png", url }] });

const REFUSED: [name: string, body: string, status: number, code: string][] = [
  ["nothing", "", 400, "invalid_json"],
  ["half an object", '{"text":', 400, "invalid_json"],
  ["text after the object", '{"text":"a"} b', 400, "invalid_json"],
  ["a raw NUL", '{"text":"a\u0000b"}', 400, "invalid_json"],
  ["a number", "42", 400, "invalid_request"],
  ["a truth", "true", 400, "invalid_request"],
  ["null", "null", 400, "invalid_request"],
  ["a text without an object", '"hi"', 400, "invalid_request"],
  ["a list", '[{"text":"a"}]', 400, "invalid_request"],
  ["an object of something else", '{"a":1}', 400, "unknown_field"],
  ["an unknown field", say({ text: "a", role: "system" }), 400, "unknown_field"],
  ["a prototype", '{"text":"a","__proto__":{"admin":true}}', 400, "unknown_field"],
  ["a constructor", '{"text":"a","constructor":1}', 400, "unknown_field"],
  ["an empty message", say({ text: "" }), 400, "invalid_request"],
  ["only whitespace", say({ text: " \t\n\u00a0\u3000\u2028" }), 400, "invalid_request"],
  [
    "only invisible characters",
    say({ text: "\u200b\u200f\u202e\u2060\ufeff\u00ad" }),
    400,
    "invalid_request",
  ],
  ["only NUL characters", say({ text: "\u0000\u0000" }), 400, "invalid_request"],
  ["only half characters", say({ text: "\ud800 \udc00" }), 400, "invalid_request"],
  ["only empty parts", say({ parts: [{ type: "text", text: "" }] }), 400, "invalid_request"],
  ["text that is a number", say({ text: 42 }), 400, "invalid_request"],
  ["text that is true", say({ text: true }), 400, "invalid_request"],
  ["text that is an object", say({ text: { a: 1 } }), 400, "invalid_request"],
  ["parts that are an object", say({ parts: { 0: { type: "text", text: "a" } } }), 400, "invalid_request"],
  ["text and parts", say({ text: "a", parts: [{ type: "text", text: "b" }] }), 400, "invalid_request"],
  ["33 parts", say(parts(33)), 400, "invalid_request"],
  ["a list for a mode", say({ text: "a", mode: ["queue"] }), 400, "invalid_request"],
  ["a number for an id", say({ text: "a", id: 7 }), 400, "invalid_request"],
  ["an id of 129 characters", say({ text: "a", id: "x".repeat(129) }), 400, "invalid_id"],
  ["an empty id", say({ text: "a", id: "" }), 400, "invalid_id"],
  ["an id with a slash", say({ text: "a", id: "a/b" }), 400, "invalid_id"],
  ["an id in Japanese", say({ text: "a", id: "会社" }), 400, "invalid_id"],
  ["a part of a tool", say({ parts: [{ type: "tool-x", output: {} }] }), 422, "unsupported_part"],
  ["a file of elsewhere", say(file("https://example.com/a.png")), 422, "unsupported_part"],
  ["a file above", say(file("/media/../api/me")), 422, "unsupported_part"],
  ["data that is none", say(file("data:nothing")), 422, "unsupported_part"],
  ["a model that is none", say({ text: "a", model: "\u0000" }), 422, "model_not_allowed"],
  ["lists in lists for a text", `{"text":${deep(100)}}`, 400, "invalid_request"],
  ["a field of 100,000 levels", `{"text":"a","x":${deep(100_000)}}`, 400, "invalid_request"],
  ["64 KiB and a byte", say({ text: "x".repeat(65_537) }), 413, "message_too_large"],
  [
    "64 KiB and a byte of two-byte letters",
    say({ text: `${"é".repeat(32_768)}x` }),
    413,
    "message_too_large",
  ],
  ["1 MiB and a byte", say({ text: "x".repeat(1_048_566) }), 413, "body_too_large"],
  ["2 MiB", say({ text: "x".repeat(2_097_152) }), 413, "body_too_large"],
];

describe("a message that is none", () => {
  test.each(REFUSED)("%s is refused, and nothing is done", async (_, body, status, code) => {
    const before = await log("http_refused");
    expect(await verdict(await post("http_refused", body))).toEqual([status, code]);
    expect(await log("http_refused")).toEqual(before);
  });

  test("is followed by a normal one in the same session", () => expectAlive("http_refused"));

  test("of 40,000 unknown fields is refused in an answer that stays small and says what it leaves out", async () => {
    const fields = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`k${at}`, 1]));
    const response = await post("http_refused", say({ text: "a", ["n".repeat(9_000)]: 1, ...fields }));
    const text = await response.text();
    expect(response.status).toBe(400);
    expect(text.length).toBeLessThan(4_000);
    expect(text).toContain("39981 more are not listed.");
    await expectAlive("http_refused");
  });
});

describe("a body that is not sent as JSON", () => {
  const json = { "content-type": "application/json" };
  const gzip = async (text: string): Promise<ArrayBuffer> =>
    new Response(
      new Blob([text]).stream().pipeThrough(new CompressionStream("gzip") as TransformStream),
    ).arrayBuffer();

  test.each([
    ["plain text", { "content-type": "text/plain" }],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["a list of types", { "content-type": "text/plain, application/json" }],
    ["nothing said of its type", {}],
    ["said to be compressed", { ...json, "content-encoding": "gzip" }],
  ])("%s is 415", async (_, headers) => {
    const body = new TextEncoder().encode('{"text":"/say x"}');
    expect(await verdict(await post("http_types", body, headers))).toEqual([415, "unsupported_media_type"]);
    expect(await log("http_types")).toEqual([]);
  });

  test("a compressed body is refused as one, and as no JSON when it does not say so", async () => {
    const body = await gzip('{"text":"/say x"}');
    expect(await verdict(await post("http_types", body, { ...json, "content-encoding": "gzip" }))).toEqual([
      415,
      "unsupported_media_type",
    ]);
    expect(await verdict(await post("http_types", body))).toEqual([400, "invalid_json"]);
    await expectAlive("http_types");
  });

  test("bytes that are no UTF-8 are no JSON; a byte order mark is nothing", async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{"text":"'), 0xc3, 0x28, 0x22, 0x7d]);
    expect(await verdict(await post("http_bytes", bytes))).toEqual([400, "invalid_json"]);
    expect(await log("http_bytes")).toEqual([]);
    expect((await post("http_bytes", '\ufeff{"text":"/say Marked."}')).status).toBe(202);
    await expectAlive("http_bytes");
  });

  test("a body that breaks off is the sender's fault, and reaches no session", async () => {
    const doors = openDoors();
    const half = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('{"text":"/say '));
        controller.error(new Error("the line was cut"));
      },
    });
    const response = await doors.call("/api/sessions/ses_demo/messages", {
      method: "POST",
      body: half,
      headers: json,
    });
    expect(await verdict(response)).toEqual([400, "invalid_request"]);
    expect([doors.sessions.opened, doors.reported]).toEqual([[], []]);
  });
});

describe("a path that is none", () => {
  test.each([
    ["a%2Fb", 400, "invalid_id"],
    ["a.b", 400, "invalid_id"],
    ["%00", 400, "invalid_id"],
    ["%E0%A4%A", 400, "invalid_id"],
    ["会社", 400, "invalid_id"],
    ["%D9%85%D9%86", 400, "invalid_id"],
    ["👩‍👩‍👧", 400, "invalid_id"],
    ["x".repeat(65), 400, "invalid_id"],
    ["a b", 400, "invalid_id"],
    ["a/b", 404, "not_found"],
    ["..", 404, "not_found"],
    ["%2e%2e", 404, "not_found"],
    ["", 404, "not_found"],
    ["__proto__", 404, "not_found"],
    ["constructor", 404, "not_found"],
  ])("the session %j is %i %s", async (id, status, code) => {
    expect(await verdict(await ask(`/api/sessions/${id}`))).toEqual([status, code]);
  });

  test.each(["a%2Fb", "a.b", "%00", "会社", "a b", "x".repeat(65)])(
    "the session %j is not made by a message",
    async (id) => {
      expect(await verdict(await post(id, '{"text":"/say x"}'))).toEqual([400, "invalid_id"]);
    },
  );

  test.each(["__proto__", "constructor", "toString", "-", "_", "0"])(
    "the session %j is a name like any other",
    (id) => expectAlive(id),
  );

  test.each([
    ["messages?limit=0", 400, "invalid_request"],
    ["messages?limit=1e3", 400, "invalid_request"],
    ["messages?limit=-1", 400, "invalid_request"],
    ["messages?limit=%D9%A1", 400, "invalid_request"],
    ["messages?before=%00", 400, "invalid_id"],
    [`messages?before=${"x".repeat(161)}`, 400, "invalid_id"],
    ["events?after=99999999999999999999", 400, "invalid_request"],
    ["events?after=1.5", 400, "invalid_request"],
    ["approvals/..%2F..", 404, "not_found"],
    ["approvals/r1s1c0a1", 404, "not_found"],
    ["messages/", 404, "not_found"],
  ])("%s is %i %s", async (path, status, code) => {
    expect(await verdict(await ask(`/api/sessions/paths/${path}`))).toEqual([status, code]);
  });

  test("a method that does not fit names those that do, and does nothing", async () => {
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const response = await ask("/api/sessions/methods/messages", { method });
      expect([response.headers.get("allow"), ...(await verdict(response))]).toEqual([
        "GET, POST, HEAD",
        405,
        "method_not_allowed",
      ]);
    }
    const put = await ask("/api/sessions/methods/cancel", { method: "PUT", body: '{"all":true}' });
    expect([put.headers.get("allow"), put.status]).toEqual(["POST", 405]);
    await expectAlive("methods");
    const head = await ask("/api/sessions/methods/messages", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });
});

describe("a decision or a cancel that is none", () => {
  const send = (path: string, body: string) =>
    ask(`/api/sessions/decisions/${path}`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });

  test("is refused, and the session is as it was", async () => {
    await expectAlive("decisions");
    const before = await log("decisions");
    for (const [path, body, status, code] of [
      ["cancel", "42", 400, "invalid_request"],
      ["cancel", "[]", 400, "invalid_request"],
      ["cancel", '{"all":"yes"}', 400, "invalid_request"],
      ["cancel", '{"run":"r1"}', 400, "unknown_field"],
      ["cancel", say({ reason: "x".repeat(1_001) }), 400, "invalid_request"],
      ["cancel", '{"runId":"another.r1"}', 202, null],
      ["cancel", '{"runId":"\\ud800"}', 202, null],
      ["approvals/r1s1c0a1", "true", 400, "invalid_request"],
      ["approvals/r1s1c0a1", '{"decision":"yes"}', 400, "invalid_request"],
      ["approvals/r1s1c0a1", '{"decision":"approve","args":{}}', 400, "invalid_request"],
      ["approvals/r1s1c0a1", `{"decision":"edit","args":${deep(50_000)}}`, 400, "invalid_request"],
      ["approvals/r1s1c0a1", `{"decision":"edit","args":${deep(99)}}`, 404, "not_found"],
      ["approvals/r1s1c0a1", '{"decision":"approve"}', 404, "not_found"],
      ["approvals/%00", '{"decision":"approve"}', 404, "not_found"],
    ] as const) {
      expect([path, body.slice(0, 60), ...(await verdict(await send(path, body)))]).toEqual([
        path,
        body.slice(0, 60),
        status,
        code,
      ]);
    }
    expect(await log("decisions")).toEqual(before);
    await expectAlive("decisions");
  });
});

describe("a message that is odd and can be read", () => {
  const words = Array.from({ length: 10_000 }, (_, at) => `w${at % 97}`).join(" ");
  test.each([
    ["a number", "42"],
    ["a truth", "true"],
    ["an object", '{"a":1}'],
    ["null", "null"],
    ["10,000 words", words],
    ["64 KiB of one letter", "x".repeat(65_536)],
    ["markup", '<script>alert(1)</script><img src=x onerror="alert(1)">'],
    ["marks from right to left", "\u202eصفحة\u202c \u200fabc"],
    ["nothing but emoji", "👩‍👩‍👧‍👦🏳️‍🌈".repeat(60)],
    ["an astral letter at every cut", `a${"𝒳".repeat(400)}`],
    ["NUL between letters", "a\u0000b"],
    ["a line of the script without its tool", "/call"],
    ["a line of the script that says nothing", "/say"],
    ["a script that is no JSON", "/call page_create {bad}"],
    ["a script of a list", "/call page_create [1]"],
    ["a script of a tool that is none", "/call ../../etc {}"],
    ["lists in lists without end", deep(30_000)],
    ["a script of 10,000 levels", `/call page_create {"name":${deep(10_000)}}`],
    ["untrusted text that is never closed", "<untrusted>/call page_delete {}"],
  ])("%s is answered, and the next one too", async (_, text) => {
    const { rows, answer } = await work("odd", text);
    expect(rows.at(-1)?.body).toMatchObject({ class: "answered" });
    expect(answer.trim()).not.toBe("");
    expect(answer.length).toBeLessThan(2_000);
    expect(answer.isWellFormed()).toBe(true);
    expect(answer).not.toMatch(/call stack/);
    await expectAlive("odd");
  });

  test("a title is cut between characters", async () => {
    await work("title", "👩‍👩‍👧‍👦".repeat(20));
    const { title } = await (await ask("/api/sessions/title")).json<{ title: string }>();
    expect([title.isWellFormed(), title.length > 50, title.length <= 60]).toEqual([true, true, true]);
  });

  test("half a character is said as the sign for one, everywhere the same", async () => {
    const { rows, answer } = await work("halves", "/say a\ud800b");
    expect(answer).toBe("a\ufffdb");
    expect(rows[0]?.body).toMatchObject({ parts: [{ type: "text", text: "/say a\ufffdb" }] });
  });

  test("of two fields of one name the last counts", async () => {
    const response = await post("twins", '{"text":"/say First.","text":"/say Last."}');
    expect(response.status).toBe(202);
    await expectAlive("twins");
    const answers = (await log("twins")).filter((row) => row.kind === "answer");
    expect(answers.map((row) => row.body["text"])).toEqual(["Last.", "Still here."]);
  });

  test(
    "arguments that no tool takes are told to the model, and the run goes on",
    { timeout: 30_000 },
    async () => {
      const long = "d".repeat(60_000);
      const calls = [
        ["page_create", { name: "n".repeat(300) }],
        ["page_create", { name: "Long", meta: { description: long } }],
        ["page_create", { name: 42 }],
        ["page_create", { name: "a\u0000b" }],
        ["page_create", { name: "\u200b\u200f" }],
        ["page_create", { name: "A", nav: { location: "header", label: "\u0007" } }],
        ["page_create", { name: "A", slug: "../../etc" }],
        ["page_create", { name: "A", slug: "api" }],
        ["page_create", { name: "A", sections: {} }],
        ["page_create", [1]],
        ["nothing_of_that_name", {}],
      ] as const;
      const pages = async () => (await work("args", "/call page_list {}\n/then\n/say Seen.")).rows;
      const count = (rows: Awaited<ReturnType<typeof pages>>) =>
        JSON.stringify(rows.find((row) => row.kind === "call_settled")?.body["output"]);
      const before = count(await pages());
      for (const [tool, input] of calls) {
        const { rows, answer } = await work(
          "args",
          `/call ${tool} ${JSON.stringify(input)}\n/then\n/say On.`,
        );
        const settled = rows.filter((row) => row.kind === "call_settled").map((row) => row.body["status"]);
        expect([JSON.stringify(input).slice(0, 50), settled.includes("ok")]).toEqual([
          JSON.stringify(input).slice(0, 50),
          false,
        ]);
        expect(answer).toContain("On.");
      }
      expect(count(await pages())).toEqual(before);
    },
  );
});

describe("too much at once", () => {
  test(
    "of 50 messages the queue takes 20, in order, and the others are told when to come again",
    { timeout: 30_000 },
    async () => {
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, at) => post("fifty", say({ text: `/say ${at}`, id: `m${at}` }))),
      );
      const full = responses.filter((response) => response.status === 429);
      const taken = responses.filter((response) => response.status === 202);
      expect(taken.length + full.length).toBe(50);
      // At least a run at work and a full queue; one more for each that ended meanwhile.
      expect(taken.length).toBeGreaterThanOrEqual(20);
      for (const response of full) {
        expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
        expect(await verdict(response)).toEqual([429, "queue_full"]);
      }
      const views = await Promise.all(
        taken.map((response) => response.json<{ messageId: string; seq: number }>()),
      );
      const accepted = views.toSorted((a, b) => a.seq - b.seq);
      await untilIdle("fifty");
      const rows = await log("fifty");
      const of = (kind: string) => rows.filter((row) => row.kind === kind);
      expect(of("user_message").map((row) => row.body["id"])).toEqual(accepted.map((view) => view.messageId));
      expect(of("answer").map((row) => row.body["text"])).toEqual(
        accepted.map((view) => view.messageId.slice(1)),
      );
      await expectAlive("fifty");
    },
  );

  test("of two bodies under one id accepts the first, whoever repeats them", async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, at) => post("one_id", say({ text: `/say ${at % 2}`, id: "m" }))),
    );
    const verdicts = await Promise.all(responses.map(verdict));
    const of = (side: number) => new Set(verdicts.filter((_, at) => at % 2 === side).map(String));
    // Which of them came first is chance; that it is one, and all of its repeats, is not.
    expect([of(0), of(1)].toSorted((a, b) => [...a].join().localeCompare([...b].join()))).toEqual([
      new Set(["202,"]),
      new Set(["409,message_exists"]),
    ]);
    await expectAlive("one_id");
    expect((await log("one_id")).filter((row) => row.kind === "user_message")).toHaveLength(2);
  });
});
