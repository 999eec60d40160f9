import { describe, expect, test } from "vitest";
import { judgeAddress } from "../../../src/cairn/outbound/safe-address.ts";
import {
  judgeRedirect,
  judgeUrl,
  type UrlFacts,
  type UrlVerdict,
} from "../../../src/cairn/outbound/safe-url.ts";
import corpus from "../../corpus/urls.json" with { type: "json" };

interface Payload {
  readonly url: string;
  /** the page that redirects there */
  readonly from?: string;
  readonly hop?: number;
  /** what the name resolves to */
  readonly addresses?: readonly string[];
}
interface Hostile extends Payload {
  readonly refused: string;
  readonly why: string;
}
interface Ordinary extends Payload {
  readonly becomes?: string;
}

const facts: UrlFacts = corpus.facts;
const hostile: readonly Hostile[] = corpus.hostile;
const ordinary: readonly Ordinary[] = corpus.ordinary;

const judged = ({ url, from, hop }: Payload): UrlVerdict =>
  from === undefined ? judgeUrl(url, facts) : judgeRedirect(from, url, hop ?? 1, facts);

/** As a tool goes about it: the URL first, then every address of its name. */
function reached(payload: Payload): { readonly code: string; readonly why: string } | null {
  const verdict = judged(payload);
  if (!verdict.ok) return verdict;
  for (const address of verdict.needsLookup ? (payload.addresses ?? []) : []) {
    const answer = judgeAddress(address);
    if (!answer.ok) return answer;
  }
  return null;
}

describe("the corpus of URLs", () => {
  test("is large enough to mean something, and says nothing twice", () => {
    expect(hostile.length).toBeGreaterThanOrEqual(220);
    expect(ordinary.length).toBeGreaterThanOrEqual(100);
    const all = [...hostile, ...ordinary].map(({ url, from, hop, addresses }) =>
      JSON.stringify([url, from, hop, addresses]),
    );
    expect(new Set(all).size).toBe(all.length);
  });

  test.each(hostile)("refuses $url ($why)", (payload) => {
    const refusal = reached(payload);
    expect(refusal?.code).toBe(payload.refused);
  });

  const addresses = hostile.filter(({ refused }) => refused === "url_address");
  test.each(addresses)("says of $url in which range it lies: $why", (payload) => {
    expect(reached(payload)?.why.split(": ").at(-1)).toBe(payload.why);
  });

  test.each(ordinary)("lets $url pass", (payload) => {
    expect(reached(payload)).toBeNull();
    const verdict = judged(payload);
    const wanted = payload.becomes ?? payload.url;
    expect(verdict).toMatchObject({ ok: true, url: wanted, host: new URL(wanted).hostname });
  });
});

describe("what is requested", () => {
  test("needs a lookup when it is a name, none when it is an address", () => {
    expect(judgeUrl("https://example.com/", facts)).toMatchObject({ needsLookup: true });
    expect(judgeUrl("https://8.8.8.8/", facts)).toMatchObject({ needsLookup: false });
    expect(judgeUrl("https://[2606:4700::1]/", facts)).toMatchObject({ needsLookup: false });
  });

  test("is judged alike when it is judged again", () => {
    const verdicts = ordinary.map(judged);
    expect(verdicts.map((verdict) => judgeUrl(verdict.ok ? verdict.url : "", facts))).toEqual(verdicts);
  });
});

describe("the lists of a deployment", () => {
  const listed = (more: Partial<UrlFacts>): UrlFacts => ({ ownHosts: [], deny: [], allow: [], ...more });
  const code = (url: string, more: Partial<UrlFacts>): string | null => {
    const verdict = judgeUrl(url, listed(more));
    return verdict.ok ? null : verdict.code;
  };

  test("allow nothing else once there is an allow list", () => {
    const allow = ["example.com", "*.example.net"];
    expect(code("https://example.com/", { allow })).toBeNull();
    expect(code("https://a.example.net/", { allow })).toBeNull();
    expect(code("https://a.b.example.net/", { allow })).toBeNull();
    for (const url of [
      "https://www.example.com/",
      "https://example.net/",
      "https://notexample.com/",
      "https://example.com.evil.org/",
      "https://evilexample.net/",
    ])
      expect(code(url, { allow }), url).toBe("url_not_allowed");
  });

  test("never make reachable what is not", () => {
    const allow = ["127.0.0.1", "localhost", "printer.local", "bad.example.com", "10.0.0.1", "[::1]"];
    expect(code("http://127.0.0.1/", { allow })).toBe("url_address");
    expect(code("http://[::1]/", { allow })).toBe("url_address");
    expect(code("http://localhost/", { allow })).toBe("url_host");
    expect(code("http://printer.local/", { allow })).toBe("url_host");
    expect(code("http://bad.example.com/", { allow, deny: ["example.com"] })).toBe("url_denied");
  });

  test("are read in any spelling, with scheme and port", () => {
    expect(code("https://xn--bcher-kva.de/", { deny: ["BÜCHER.de."] })).toBe("url_denied");
    expect(code("https://a.example.com/", { deny: ["*.example.com"] })).toBe("url_denied");
    expect(code("https://a.example.com/", { deny: [".example.com"] })).toBe("url_denied");
    expect(code("https://cairn.example.com/", { ownHosts: ["http://cairn.example.com:8787"] })).toBe(
      "url_own_host",
    );
    expect(code("https://8.8.8.8/", { deny: ["0x08080808"] })).toBe("url_denied");
  });

  test("refuse everything when one of them cannot be read", () => {
    expect(code("https://example.com/", { deny: ["exa mple"] })).toBe("url_denied");
    expect(code("https://example.com/", { ownHosts: [""] })).toBe("url_own_host");
    expect(code("https://example.com/", { allow: ["exa mple"] })).toBe("url_not_allowed");
  });
});

describe("an address", () => {
  test("at the edge of each blocked range is refused, and its neighbour outside is not", () => {
    const edges: readonly (readonly [blocked: readonly string[], free: readonly string[]])[] = [
      [
        ["10.0.0.0", "10.255.255.255"],
        ["9.255.255.255", "11.0.0.0"],
      ],
      [
        ["100.64.0.0", "100.127.255.255"],
        ["100.63.255.255", "100.128.0.0"],
      ],
      [
        ["127.0.0.0", "127.255.255.255"],
        ["126.255.255.255", "128.0.0.0"],
      ],
      [
        ["169.254.0.0", "169.254.255.255"],
        ["169.253.255.255", "169.255.0.0"],
      ],
      [
        ["172.16.0.0", "172.31.255.255"],
        ["172.15.255.255", "172.32.0.0"],
      ],
      [
        ["192.168.0.0", "192.168.255.255"],
        ["192.167.255.255", "192.169.0.0"],
      ],
      [
        ["198.18.0.0", "198.19.255.255"],
        ["198.17.255.255", "198.20.0.0"],
      ],
      [["224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255"], ["223.255.255.255"]],
      [
        ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
        ["2001:db7::1", "2001:db9::1"],
      ],
      [["2001::", "2001:1ff:ffff::"], ["2001:200::"]],
      [["2002::", "2002:ffff::1"], ["2003::"]],
      [
        ["3fff::", "3fff:fff:ffff::"],
        ["3fff:1000::", "3ffe:ffff::"],
      ],
      [
        ["1fff:ffff::1", "4000::"],
        ["2600::", "3fff:ffff::1"],
      ],
    ];
    for (const [blocked, free] of edges) {
      for (const address of blocked) expect(judgeAddress(address).ok, address).toBe(false);
      for (const address of free) expect(judgeAddress(address).ok, address).toBe(true);
    }
  });

  test("is refused in every IPv6 form that carries a blocked IPv4 address", () => {
    for (const hex of ["7f00:1", "a9fe:a9fe", "a00:1", "c0a8:101", "6440:1"]) {
      for (const form of [
        `::${hex}`,
        `::ffff:${hex}`,
        `::ffff:0:${hex}`,
        `64:ff9b::${hex}`,
        `64:ff9b:1::${hex}`,
        `2002:${hex}::1`,
        `2001:0:${hex}::1`,
        `2a00:1::5efe:${hex}`,
        `2a00:1::200:5efe:${hex}`,
      ])
        expect(judgeAddress(form).ok, form).toBe(false);
    }
  });
});

describe("origins of this machine that an operator has named", () => {
  const named: UrlFacts = {
    ...facts,
    allow: ["api.example.com"],
    local: ["http://127.0.0.1:3001", "http://[::1]"],
  };

  test.each([
    "http://127.0.0.1:3001/v1/things?a=1#part",
    "http://127.1:3001/v1/things?a=1",
    "http://[::1]/v1",
  ])("%s is reached without a look-up", (url) => {
    expect(judgeUrl(url, named)).toMatchObject({ ok: true, needsLookup: false });
  });
  test.each([
    ["another port", "http://127.0.0.1:3002/"],
    ["the name instead of the address", "http://localhost:3001/"],
    ["another protocol", "https://127.0.0.1:3001/"],
    ["an address of the network", "http://10.0.0.1:3001/"],
    ["a password", "http://a:b@127.0.0.1:3001/"],
    ["a host that begins like it", "http://127.0.0.1.example.com:3001/"],
  ])("%s is not", (_what, url) => {
    expect(judgeUrl(url, named)).toMatchObject({ ok: false });
  });
  test("no redirect from elsewhere leads there, and one of its own does", () => {
    expect(judgeRedirect("https://api.example.com/", "http://127.0.0.1:3001/", 1, named)).toMatchObject({
      ok: false,
    });
    expect(judgeRedirect("http://127.0.0.1:3001/a", "/b", 1, named)).toMatchObject({
      ok: true,
      url: "http://127.0.0.1:3001/b",
    });
  });
});
