import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ANSWER_BYTES_MAX, openReach, type McpAccess } from "../../../src/plugins/mcp-client/reach.ts";
import { mcpSettings } from "../../../src/plugins/mcp-client/settings.ts";

/** One conversation with a server: which requests leave, and what ends it. */

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const ORIGIN = "https://mcp.example.com";
const URL_OF_SERVER = `${ORIGIN}/mcp`;
const DRAIN_MS = 2_000;
const STREAM = { headers: { "content-type": "text/event-stream" } };
const LOST = {
  class: "network",
  code: "connection_lost",
  message: "The connection to mcp.example.com was lost before it had answered.",
};

type Answer = (init: RequestInit) => Response | Promise<Response>;

/** A conversation in which the requests are answered in turn. */
function open(...answers: readonly Answer[]) {
  const asked: RequestInit[] = [];
  const outer = new AbortController();
  const access: McpAccess = {
    ...mcpSettings({}).access,
    local: [ORIGIN],
    fetch: async (_url: string, init: RequestInit) => {
      const answer = answers[asked.push(init) - 1];
      if (answer === undefined) throw new Error("nothing more is answered");
      return await answer(init);
    },
  };
  const reach = openReach(access, outer.signal, DRAIN_MS);
  const read = async (init?: RequestInit): Promise<string> =>
    await (await reach.fetch(URL_OF_SERVER, init)).text();
  return { reach, asked, outer, read };
}

const post = (signal?: AbortSignal): RequestInit => ({
  method: "POST",
  body: "{}",
  ...(signal === undefined ? {} : { signal }),
});
const stream: Answer = () => new Response("data: {}\n\n", STREAM);
const json: Answer = () => Response.json({});
/** A request that is answered by nothing but its end. */
const pending: Answer = ({ signal }) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
  });
/** A body that has begun, and what its reader has done to it. */
function begun(headers: ResponseInit = STREAM) {
  let source: ReadableStreamDefaultController<Uint8Array> | undefined;
  let cancelled: unknown = null;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      source = controller;
      controller.enqueue(new TextEncoder().encode(": working\n\n"));
    },
    cancel: (reason) => void (cancelled = reason ?? "cancelled"),
  });
  return {
    answer: (() => new Response(body, headers)) satisfies Answer,
    breakOff: () => source?.error(new Error("reset by peer")),
    cancelled: () => cancelled,
  };
}

describe("a message that an ended stream has not brought", () => {
  test("is waited for so long and no longer", async () => {
    const { reach, read } = open(stream);
    expect(await read(post())).toBe("data: {}\n\n");
    vi.advanceTimersByTime(DRAIN_MS - 1);
    expect([reach.signal.aborted, reach.fault()]).toEqual([false, null]);
    vi.advanceTimersByTime(1);
    expect([reach.signal.aborted, reach.fault()]).toEqual([true, LOST]);
  });

  test("is waited for in no conversation that had none", async () => {
    const { reach, read } = open(json);
    await read(post());
    expect([vi.getTimerCount(), reach.fault()]).toEqual([0, null]);
  });

  test("may still come while another request is open, and is waited for anew after it", async () => {
    let answer: (response: Response) => void = () => {};
    const { reach, read, asked } = open(stream, () => new Promise((resolve) => (answer = resolve)));
    await read(post());
    const second = read(post());
    vi.advanceTimersByTime(10 * DRAIN_MS);
    expect(reach.fault()).toBeNull();
    expect(asked).toHaveLength(2);
    answer(Response.json({}));
    await second;
    vi.advanceTimersByTime(DRAIN_MS - 1);
    expect(reach.fault()).toBeNull();
    vi.advanceTimersByTime(1);
    expect(reach.fault()).toEqual(LOST);
  });

  test.each([
    ["taken note of", () => new Response("taken", { status: 202 })],
    ["refused", () => new Response("no", { status: 404 })],
    ["without a body", () => new Response(null, { status: 200 })],
  ] as const)(
    "is not waited for longer because of an answer that nobody reads: one %s",
    async (_, answer) => {
      const { reach, read } = open(stream, answer);
      await read(post());
      await reach.fetch(URL_OF_SERVER, post());
      vi.advanceTimersByTime(DRAIN_MS);
      expect(reach.fault()).toEqual(LOST);
    },
  );

  test("is not waited for longer because of a request that its caller has given up", async () => {
    const { reach, read } = open(stream, pending);
    await read(post());
    const stop = new AbortController();
    const second = read(post(stop.signal));
    stop.abort();
    await expect(second).rejects.toMatchObject({ name: "AbortError" });
    vi.advanceTimersByTime(DRAIN_MS);
    expect(reach.fault()).toEqual(LOST);
  });

  test.each([
    ["before it has read anything", 0],
    ["while it waits for more", 1],
  ])("is not waited for longer because of an answer whose reader has left, %s", async (_, chunks) => {
    const slow = begun();
    const { reach } = open(slow.answer);
    const reader = (await reach.fetch(URL_OF_SERVER, post())).body?.getReader();
    for (let n = 0; n < chunks; n++) await reader?.read();
    await reader?.cancel("enough");
    expect(slow.cancelled()).toBe("enough");
    // The server has not broken it off.
    expect([reach.signal.aborted, reach.fault()]).toEqual([false, null]);
    vi.advanceTimersByTime(DRAIN_MS);
    expect(reach.fault()).toEqual(LOST);
  });

  test("may still come while a request is open, although a refusal is read after it has ended", async () => {
    const { reach, read, outer } = open(stream, pending, () => new Response("no", { status: 404 }));
    await read(post());
    const held = read(post());
    expect(await read(post())).toBe("no");
    vi.advanceTimersByTime(10 * DRAIN_MS);
    expect(reach.fault()).toBeNull();
    outer.abort();
    await expect(held).rejects.toMatchObject({ name: "AbortError" });
  });

  test("is waited for no more once the conversation is over, and no timer is left", async () => {
    const { reach, read } = open(stream, stream);
    await read(post());
    expect(vi.getTimerCount()).toBe(1);
    reach.end();
    expect(vi.getTimerCount()).toBe(0);
    await read(post());
    expect([vi.getTimerCount(), reach.fault()]).toEqual([0, null]);
  });
});

describe("an answer that breaks off", () => {
  test("ends the conversation at once", async () => {
    const slow = begun();
    const { reach } = open(slow.answer);
    const response = await reach.fetch(URL_OF_SERVER, post());
    const text = response.text();
    slow.breakOff();
    await expect(text).rejects.toThrow("reset by peer");
    expect([reach.signal.aborted, reach.fault()]).toEqual([true, LOST]);
  });

  test("because its caller has given it up is no fault of the server, and holds nothing", async () => {
    const slow = begun({ headers: { "content-type": "application/json" } });
    const { reach, read } = open(stream, slow.answer);
    await read(post());
    const stop = new AbortController();
    const text = (await reach.fetch(URL_OF_SERVER, post(stop.signal))).text();
    stop.abort();
    slow.breakOff();
    await expect(text).rejects.toThrow("reset by peer");
    expect([reach.signal.aborted, reach.fault()]).toEqual([false, null]);
    vi.advanceTimersByTime(DRAIN_MS);
    expect(reach.fault()).toEqual(LOST);
  });

  test("because it is too large is not read any further", async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(ANSWER_BYTES_MAX / 4)),
      cancel: () => void (cancelled = true),
    });
    const { reach, read } = open(() => new Response(body));
    const tooLarge = "mcp.example.com answered more than 4,000,000 bytes.";
    await expect(read(post())).rejects.toThrow(tooLarge);
    expect(reach.fault()).toEqual({ class: "too_large", code: "too_large", message: tooLarge });
    expect(cancelled).toBe(true);
  });

  test("is none where it is as large as an answer may be", async () => {
    const { reach, read } = open(() => new Response("x".repeat(ANSWER_BYTES_MAX)));
    expect(await read(post())).toHaveLength(ANSWER_BYTES_MAX);
    expect(reach.fault()).toBeNull();
  });
});

describe("a request", () => {
  test.each(["outer", "own"] as const)(
    "ends with its caller (%s signal), which is no fault",
    async (whose) => {
      const { reach, outer, read, asked } = open(pending);
      const own = new AbortController();
      const text = read(post(own.signal));
      expect(asked).toHaveLength(1);
      (whose === "outer" ? outer : own).abort();
      await expect(text).rejects.toMatchObject({ name: "AbortError" });
      expect([reach.signal.aborted, reach.fault()]).toEqual([whose === "outer", null]);
    },
  );

  test("ends with a conversation that another has ended, whose fault is the one that is said", async () => {
    const redirect: Answer = () => new Response("moved", { status: 302 });
    const { reach, read, asked } = open(pending, redirect);
    const first = read(post(new AbortController().signal));
    expect(asked).toHaveLength(1);
    await expect(read(post())).rejects.toThrow("redirects");
    await expect(first).rejects.toMatchObject({ name: "AbortError" });
    expect([reach.signal.aborted, reach.fault()?.code]).toEqual([true, "redirected"]);
    // The first fault stands.
    await expect(reach.fetch("http://127.0.0.1/mcp", post())).rejects.toThrow("redirects");
    expect(reach.fault()?.code).toBe("redirected");
  });

  test.each([301, 304, 307, 399])("is not redirected by %i, and the body is not read", async (status) => {
    const moved = begun({ headers: { location: "https://elsewhere.example/" } });
    const { reach, asked } = open(() => {
      const { body, headers } = moved.answer();
      // A null body status takes no body.
      return Object.defineProperty(new Response(body, { headers }), "status", { value: status });
    });
    await expect(reach.fetch(URL_OF_SERVER, post())).rejects.toThrow(
      "mcp.example.com redirects, which is not followed: set the address that it leads to.",
    );
    expect(reach.fault()).toMatchObject({ class: "policy", code: "redirected" });
    expect([asked[0]?.redirect, moved.cancelled()]).toEqual(["manual", "cancelled"]);
  });

  test("for what nobody asked does not leave; any other does", async () => {
    const { reach, asked } = open(json, json, json);
    const listening = { headers: { accept: "text/event-stream" } };
    for (const init of [listening, { ...listening, method: "GET" }])
      expect((await reach.fetch(URL_OF_SERVER, init)).status).toBe(405);
    expect(asked).toEqual([]);
    for (const init of [
      { ...listening, method: "POST" },
      { method: "GET" },
      { headers: { accept: "application/json, text/event-stream" } },
    ])
      expect((await reach.fetch(URL_OF_SERVER, init)).status).toBe(200);
    expect(asked).toHaveLength(3);
  });

  test("that cannot leave says so, and ends the conversation", async () => {
    const { reach, read } = open();
    const said = "mcp.example.com cannot be reached.";
    await expect(read(post())).rejects.toThrow(said);
    expect(reach.fault()).toEqual({ class: "network", code: "unreachable", message: said });
    expect(reach.signal.aborted).toBe(true);
  });

  test("has its status and its headers, as they came", async () => {
    const headers = { "mcp-session-id": "s-1", "content-type": "application/json" };
    const { reach } = open(() => new Response("{}", { status: 404, headers }));
    const response = await reach.fetch(URL_OF_SERVER, post());
    expect(response.status).toBe(404);
    expect([response.headers.get("mcp-session-id"), await response.text()]).toEqual(["s-1", "{}"]);
  });
});
