import { createAIWebSearch, WebSearchError } from "agents/websearch";
import { describe, expect, test } from "vitest";
import { createCloudflare, type SearchBinding } from "../../../../src/plugins/web/search/cloudflare.ts";
import { ProviderFault, type FaultKind } from "../../../../src/cairn/outbound/provider.ts";

/** Answers of Cloudflare's search, parsed here and by Cloudflare's own package `agents`: both must agree. */

const answering = (respond: () => Promise<Response>): { readonly binding: Ai; readonly asked: unknown[] } => {
  const asked: unknown[] = [];
  const websearch: SearchBinding["websearch"] = (request) => {
    asked.push(request);
    return respond();
  };
  return { asked, binding: { websearch } as unknown as Ai };
};
const bodyOf = (body: unknown): string => (typeof body === "string" ? body : JSON.stringify(body));

const ours = (binding: Ai, signal = new AbortController().signal) =>
  createCloudflare(binding, { gatewayId: "mine", engine: "exa" }).search(
    { query: "high pass", limit: 3 },
    { signal, at: 0 },
  );
const theirs = (binding: Ai) =>
  createAIWebSearch({ binding, gateway: "mine", provider: "exa" }).search({ query: "high pass", limit: 3 });

async function faultOf(binding: Ai): Promise<ProviderFault> {
  const fault = await ours(binding).catch((error: unknown) => error);
  if (fault instanceof ProviderFault) return fault;
  throw new Error("it did not fail");
}

test("is asked as the package asks it", async () => {
  const { binding, asked } = answering(() => Promise.resolve(Response.json({ items: [] })));
  await ours(binding);
  await theirs(binding);
  // JSON leaves out what is undefined.
  expect(JSON.parse(JSON.stringify(asked[0]))).toEqual(JSON.parse(JSON.stringify(asked[1])));
  expect(asked[0]).toEqual({ gatewayId: "mine", query: "high pass", limit: 3, provider: "exa" });
});

describe("an answer", () => {
  const metadata = { query: "high pass", requestId: "r1", latencyMs: 412 };
  test.each<[string, unknown, number]>([
    ["with nothing", { items: [], metadata }, 0],
    ["without metadata", { items: [{ url: "https://a.example/", title: "A" }] }, 1],
    [
      "with every field",
      {
        items: [
          {
            url: "https://a.example/",
            title: "A",
            description: "Open.",
            imageUrl: "https://a.example/i",
            lastModifiedDate: "2025-11-30T04:39:48",
            faviconUrl: "https://a.example/f",
          },
        ],
        metadata,
      },
      1,
    ],
    [
      "with results that are none, and fields of other types",
      {
        items: [
          null,
          "https://no.example/",
          7,
          {},
          { url: "" },
          { url: 3, title: "B" },
          { url: " https://a.example/ ", title: 5, description: {}, lastModifiedDate: 1_764_000_000 },
          { url: "https://b.example/", title: "  " },
        ],
        metadata,
      },
      2,
    ],
  ])("%s has the results that the package sees", async (_name, body, count) => {
    const { binding } = answering(() => Promise.resolve(Response.json(body)));
    const { items } = await ours(binding);
    expect(items).toHaveLength(count);
    expect(items).toEqual(
      (await theirs(binding)).items.map(({ url, title, description, lastModifiedDate }) => ({
        url,
        title,
        description: description ?? "",
        source: "cloudflare",
        ...(lastModifiedDate === undefined ? {} : { publishedAt: lastModifiedDate.slice(0, 10) }),
      })),
    );
  });
});

const native = (code: string, status: number) => ({
  ok: false,
  error: { category: "any", code, status, retryable: status === 429 || status >= 500 },
});

describe("a failure", () => {
  test.each<[string, number, unknown, FaultKind]>([
    ["no credits", 402, native("web_search_payment_required", 402), "quota"],
    ["no such key of a provider", 400, native("web_search_byok_not_configured", 400), "auth"],
    ["not allowed", 401, native("web_search_unauthorized", 401), "auth"],
    ["forbidden, without a body", 403, "", "auth"],
    ["too many", 429, native("web_search_rate_limited", 429), "rate_limit"],
    ["the provider is down", 503, native("web_search_unavailable", 503), "server"],
    ["a status of its own in a body of another", 500, native("web_search_payment_required", 402), "quota"],
    [
      "a query that is too long",
      400,
      {
        success: false,
        errors: [{ code: 7_000, message: "Invalid input" }],
        result: null,
        messages: [{ message: "String must contain at most 1024 character(s)", path: ["query"] }],
      },
      "refused",
    ],
    [
      "a gateway that is not there",
      400,
      { success: false, error: [{ code: 2_001, message: "Please configure AI Gateway" }] },
      "auth",
    ],
    [
      "a gateway of the other list",
      400,
      { success: false, errors: [{ code: 2_001, message: "no" }] },
      "auth",
    ],
    ["a gateway that is not set up", 404, native("web_search_gateway_not_configured", 404), "auth"],
    ["a page of HTML with 502", 502, "<html>Bad gateway</html>", "server"],
    ["a page of HTML with 200", 200, "<!doctype html><title>Login</title>", "answer"],
    ["nothing with 200", 200, "", "answer"],
    ["no list of results", 200, { items: null }, "answer"],
    ["null", 200, null, "answer"],
  ])(
    "%s (%i) is told as what it is, and passes where the package says so",
    async (_name, status, body, kind) => {
      const { binding } = answering(() => Promise.resolve(new Response(bodyOf(body), { status })));
      const fault = await faultOf(binding);
      expect(fault.kind).toBe(kind);
      const error = await theirs(binding).catch((said: unknown) => said);
      expect(error instanceof WebSearchError && error.retryable).toBe(fault.passing);
    },
  );

  test("of the gateway names the variable, and says nothing of the body", async () => {
    const body = { success: false, error: [{ code: 2_001, message: "key sk-123 has no gateway" }] };
    const { binding } = answering(() => Promise.resolve(Response.json(body, { status: 400 })));
    expect((await faultOf(binding)).message).toBe(
      "cloudflare: AI_GATEWAY_ID names no gateway that is set up.",
    );
  });

  test("of too many requests says when to come back, which the package does not", async () => {
    const limited = () =>
      Response.json(native("web_search_rate_limited", 429), { status: 429, headers: { "retry-after": "7" } });
    const { binding } = answering(() => Promise.resolve(limited()));
    expect((await faultOf(binding)).retryAfterMs).toBe(7_000);
  });

  test("of the binding of a local server is the operator's to mend", async () => {
    const { binding } = answering(() => Promise.reject(new Error("Binding AI needs to be run remotely")));
    expect(await faultOf(binding)).toMatchObject({
      kind: "auth",
      message: "cloudflare: only a deployed Cairn has this web search.",
    });
  });

  test("of the connection passes", async () => {
    const { binding } = answering(() => Promise.reject(new Error("Network connection lost.")));
    expect(await faultOf(binding)).toMatchObject({ kind: "network", passing: true });
  });
});

test("an answer that never comes is not waited for", async () => {
  const { binding } = answering(() => new Promise(() => {}));
  const stop = new AbortController();
  const searching = ours(binding, stop.signal);
  stop.abort(new Error("the run was stopped"));
  await expect(searching).rejects.toThrow("aborted");
});
