import { describe, expect, test } from "vitest";
import { tryTool } from "../../../src/cairn/tools/define.ts";
import { visit } from "../../../src/plugins/web/visit.ts";
import corpus from "../../corpus/urls.json" with { type: "json" };
import { webOf } from "./dns.ts";

/** The addresses of the corpus through the tool as it ships: the test owns only the port and the resolver. */

interface Payload {
  readonly url: string;
  /** the page that redirects there, and as which hop */
  readonly from?: string;
  readonly hop?: number;
  readonly addresses?: readonly string[];
}
interface Hostile extends Payload {
  readonly refused: string;
}
interface Ordinary extends Payload {
  readonly becomes?: string;
}
const hostile: readonly Hostile[] = corpus.hostile;
const ordinary: readonly Ordinary[] = corpus.ordinary;

/** Start URL with the other scheme, so that `http:localhost` is an address there and not a path on this host. */
const startOf = (url: string): string =>
  /^\s*https:/i.test(url) ? "http://start.example.com/" : "https://start.example.com/";

interface Visited {
  readonly code: string;
  readonly asked: readonly string[];
}

/** Visits `path[0]`; each page redirects to the text that follows it, and the last is a page with words. */
async function visited(path: readonly string[], { url, addresses }: Payload): Promise<Visited> {
  const asked: string[] = [];
  const host = addresses === undefined ? "" : new URL(url, startOf(url)).hostname.replace(/\.$/, "");
  const { ownHosts, deny } = corpus.facts;
  const access = webOf(
    (to, init) => {
      expect(init.redirect).toBe("manual");
      asked.push(to);
      const next = path[asked.length];
      return Promise.resolve(next === undefined ? page() : redirectTo(next));
    },
    {
      names: addresses === undefined ? {} : { [host]: addresses },
      env: { ORIGINS: ownHosts, WEB_DENY: deny },
    },
  );
  const memory = { isTainted: () => false, knowsUrl: () => false };
  const { result } = await tryTool(visit, {
    input: { urls: [path[0] ?? ""], goal: "words" },
    services: { access, toText: null, browser: null, memory, extractor: null },
  });
  return { code: result.ok ? "passed" : result.error.code, asked };
}

const page = (): Response =>
  new Response("A page with some words.", { headers: { "content-type": "text/plain" } });

/** Not every text fits into a header of `Response`; what a hostile server sends is no text of ours. */
function redirectTo(location: string): Response {
  const response = new Response(null, { status: 302 });
  response.headers.get = (name) => (name === "location" ? location : null);
  return response;
}

/** The pages in front, so that the payload is the hop that it is meant to be. */
const pathTo = ({ url, from, hop = 1 }: Payload): string[] =>
  from === undefined ? [url] : [...Array<string>(hop).fill(from), url];

test("the corpus is whole", () => {
  expect(hostile.length + ordinary.length).toBe(556);
});

describe("every address that must be refused", () => {
  test("is refused with its reason, and nothing is requested of it", async () => {
    const wrong: object[] = [];
    for (const payload of hostile) {
      const path = pathTo(payload);
      const { code, asked } = await visited(path, payload);
      // The tool's schema refuses text that is not a URL or is too long for one.
      const isRefused = code === payload.refused || (code === "invalid_input" && payload.from === undefined);
      if (!isRefused || asked.length !== path.length - 1) wrong.push({ ...payload, code, asked });
    }
    expect(wrong).toEqual([]);
  });

  test("is not requested as the second hop either, where a page redirects to it", async () => {
    const wrong: object[] = [];
    let relative = 0;
    for (const { url, addresses, refused } of hostile.filter(({ from }) => from === undefined)) {
      const start = startOf(url);
      // Such as "/etc/passwd": no address to visit, but a path of the page that redirects.
      if (!URL.canParse(url) && URL.canParse(url, start)) {
        relative++;
        continue;
      }
      const { code, asked } = await visited([start, url], { url, ...(addresses ? { addresses } : {}) });
      if (code !== refused || asked.join() !== start) wrong.push({ url, code, asked });
    }
    expect(wrong).toEqual([]);
    expect(relative).toBe(7);
  });
});

describe("every other address", () => {
  test("is requested as it was judged, once", async () => {
    const wrong: object[] = [];
    for (const payload of ordinary) {
      const path = pathTo(payload);
      const { code, asked } = await visited(path, payload);
      const last = payload.becomes ?? payload.url;
      if (code !== "passed" || asked.length !== path.length || asked.at(-1) !== last)
        wrong.push({ ...payload, code, asked });
    }
    expect(wrong).toEqual([]);
  });

  test("is requested as the second hop, where a page redirects to it", async () => {
    const wrong: object[] = [];
    for (const { url, becomes, addresses } of ordinary.filter(({ from }) => from === undefined)) {
      const start = startOf(url);
      const { code, asked } = await visited([start, url], { url, ...(addresses ? { addresses } : {}) });
      if (code !== "passed" || asked.join(" ") !== `${start} ${becomes ?? url}`)
        wrong.push({ url, code, asked });
    }
    expect(wrong).toEqual([]);
  });
});
