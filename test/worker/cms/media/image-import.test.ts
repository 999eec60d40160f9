import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { imageImport } from "../../../../src/plugins/cms/media/image-import.ts";
import { createPexels } from "../../../../src/plugins/cms/media/stock.ts";
import type { StockProvider } from "../../../../src/plugins/cms/model/stock.ts";
import type { CmsServices } from "../../../../src/plugins/cms/model/types.ts";
import { ensureSeeded } from "../../../../src/plugins/cms/seed/index.ts";
import { imageSearch } from "../../../../src/plugins/cms/media/image-search.ts";
import { NOW } from "../../site/fixture.ts";
import { webOf } from "../../../plugins/web/dns.ts";
import { call, contextOf, previewOf, refusal, rows, services } from "../fixture.ts";
import type { OutputOf } from "../reading.ts";
import { jpeg, png } from "./image-bytes.ts";

/** Images from the web: nothing is requested before the decision, and every hop is judged. */

type Answers = Record<string, () => Response>;
const URL_OF_IT = "https://photos.example.com/paths/New%20path.png";

function web(answers: Answers, more: Partial<CmsServices> = {}, of: Parameters<typeof webOf>[1] = {}) {
  const asked: string[] = [];
  const fetch = async (url: string): Promise<Response> => {
    asked.push(url);
    const answer = answers[url];
    if (answer === undefined) throw new TypeError("no such host");
    return answer();
  };
  const own = { ...services, web: webOf(fetch, of), ...more };
  return { asked, context: () => contextOf({ services: own }) };
}
const image = (seed: number) => () =>
  new Response(png({ seed }), { headers: { "content-type": "text/html" } });
const to = (location: string) => () => new Response(null, { status: 302, headers: { location } });
const byUrl = (url = URL_OF_IT) => ({ source: "url", url }) as const;

beforeEach(() => ensureSeeded(env, NOW));

describe("an import by URL", () => {
  test("a person is asked first, and nothing is requested until then", async () => {
    const { asked, context } = web({ [URL_OF_IT]: image(50) });
    const preview = await previewOf(imageImport, byUrl(), context());
    expect(preview.need.kind).toBe("ask");
    expect(preview.impact).toEqual([
      `Address: ${URL_OF_IT}`,
      "Host: photos.example.com",
      "File name: New path.png",
    ]);
    expect(asked).toEqual([]);
    const unasked = imageImport.definition.run(byUrl(), context());
    expect(await refusal(unasked)).toMatchObject({ code: "approval_stale" });
    expect(asked).toEqual([]);
  });

  test("it is stored as what it is, once, and a repeat fetches nothing", async () => {
    const { asked, context } = web({ [URL_OF_IT]: image(51) });
    const own = context();
    const output: OutputOf<typeof imageImport> = await call(imageImport, byUrl(), own);
    expect(output).toMatchObject({
      deduped: false,
      image: { filename: "New path.png", width: 10, height: 20 },
    });
    expect(asked).toEqual([URL_OF_IT]);
    expect(await call(imageImport, byUrl(), own)).toEqual({ ...output, replayed: true });
    expect(asked).toHaveLength(1);
    const again: OutputOf<typeof imageImport> = await call(imageImport, byUrl(), context());
    expect(again).toMatchObject({ deduped: true, image: { id: output.image.id } });
    const [row] = await rows("SELECT origin, alt_source FROM images WHERE id=?1", output.image.id);
    expect(row).toEqual({ origin: "url", alt_source: "none" });
  });

  test("a host on the list is not asked about", async () => {
    const { context } = web({}, { imageHosts: ["*.example.com"] });
    expect((await previewOf(imageImport, byUrl(), context())).need.kind).toBe("none");
    const elsewhere = byUrl("https://example.net/a.png");
    expect((await previewOf(imageImport, elsewhere, context())).need.kind).toBe("ask");
  });

  test.each([
    ["https://example.com/a.png", "none"],
    ["https://EXAMPLE.com/a.png", "none"],
    ["https://example.com./a.png", "none"],
    ["https://example.com:443/a.png", "none"],
    ["https://%65xample.com/a.png", "none"],
    ["https://www.example.net/a.png", "none"],
    ["https://a.b.example.net/a.png", "none"],
    ["https://bücher.example.org/a.png", "none"],
    ["https://xn--bcher-kva.example.org/a.png", "none"],
    ["https://www.example.com/a.png", "ask"],
    ["https://example.net/a.png", "ask"],
    ["https://evilexample.com/a.png", "ask"],
    ["https://evilexample.net/a.png", "ask"],
    ["https://example.com.evil.org/a.png", "ask"],
    ["https://www.example.net.evil.org/a.png", "ask"],
    ["https://evil.org/example.com/a.png", "ask"],
    ["https://evil.org/?https://example.com/a.png", "ask"],
    ["https://evil.org/#@example.com/a.png", "ask"],
    ["https://evil.org\\@example.com/a.png", "ask"],
    ["https://example.co/a.png", "ask"],
    ["https://ex\u00e4mple.com/a.png", "ask"],
    ["https://example.com:80/a.png", "ask"],
    ["https://example.com@evil.org/a.png", "invalid_input"],
    ["https://evil.org@example.com/a.png", "invalid_input"],
    ["https://example.com:8443/a.png", "invalid_input"],
    ["http://example.com/a.png", "invalid_input"],
  ])("the list of hosts says of %s: %s", async (url, wanted) => {
    const { asked, context } = web(
      {},
      { imageHosts: ["example.com", "*.example.net", "bücher.example.org"] },
    );
    const preview = previewOf(imageImport, byUrl(url), context());
    const said = wanted === "invalid_input" ? (await refusal(preview)).code : (await preview).need.kind;
    expect(said).toBe(wanted);
    expect(asked).toEqual([]);
  });

  test("requests only the approved address, under no other name", async () => {
    const other = "https://photos.example.com/other.png";
    const { asked, context } = web({ [URL_OF_IT]: image(70), [other]: image(71) });
    const own = context();
    const { basis } = await previewOf(imageImport, byUrl(), own);
    const approved = { approval: "ap_1", basis };
    for (const given of [
      byUrl(other),
      { ...byUrl(), alt: "Not shown" },
      { ...byUrl(), filename: "other.png" },
    ]) {
      const late = imageImport.definition.run(given, { ...own, approved });
      expect(await refusal(late)).toMatchObject({ code: "approval_stale" });
    }
    expect(asked).toEqual([]);
    await imageImport.definition.run(byUrl(), { ...own, approved });
    expect(asked).toEqual([URL_OF_IT]);
  });

  test("a protected environment asks about every image, of whatever host", async () => {
    const { asked, context } = web(
      { [URL_OF_IT]: image(72) },
      { imageHosts: ["*.example.com"], stock: fixtureStock() },
    );
    await rows("UPDATE environments SET is_protected=1");
    try {
      for (const given of [byUrl(), { source: "stock", photoId: "1" } as const]) {
        expect((await previewOf(imageImport, given, context())).need.kind).toBe("ask");
        const unasked = imageImport.definition.run(given, context());
        expect(await refusal(unasked)).toMatchObject({ code: "approval_stale" });
      }
      expect(asked).toEqual([]);
    } finally {
      await rows("UPDATE environments SET is_protected=0");
    }
  });

  test("is refused for an address that is not public, before anybody is asked", async () => {
    const { asked, context } = web({});
    for (const url of [
      "http://photos.example.com/a.png",
      "https://127.0.0.1/a.png",
      "https://169.254.169.254/latest",
      "https://me:secret@example.com/a.png",
      "https://localhost/a.png",
      "file:///etc/passwd",
      "no address",
    ])
      expect([url, (await refusal(previewOf(imageImport, byUrl(url), context()))).code]).toEqual([
        url,
        "invalid_input",
      ]);
    expect(await refusal(previewOf(imageImport, { source: "url" }))).toMatchObject({ at: "url" });
    expect(asked).toEqual([]);
  });

  test("every redirect is judged, and there are three at most", async () => {
    const inward = web({ [URL_OF_IT]: to("https://10.0.0.1/a.png") });
    expect((await refusal(call(imageImport, byUrl(), inward.context()))).code).toBe("invalid_input");
    expect(inward.asked).toEqual([URL_OF_IT]);
    const plain = web({ [URL_OF_IT]: to("http://photos.example.com/b.png") });
    expect((await refusal(call(imageImport, byUrl(), plain.context()))).code).toBe("invalid_input");
    const round = web({ [URL_OF_IT]: to(URL_OF_IT) });
    expect((await refusal(call(imageImport, byUrl(), round.context()))).code).toBe("upstream_error");
    expect(round.asked).toHaveLength(4);
    const good = web({ [URL_OF_IT]: to("/b.png"), "https://photos.example.com/b.png": image(52) });
    expect(await call(imageImport, byUrl(), good.context())).toMatchObject({ deduped: false });
  });

  test("a name that leads to a private address is refused before any request, at every hop", async () => {
    const names = { "inside.example.com": ["93.184.215.14", "10.0.0.7"], "gone.example.com": null };
    const answers = {
      "https://inside.example.com/a.png": image(53),
      [URL_OF_IT]: to("https://inside.example.com/a.png"),
    };
    const { asked, context } = web(answers, {}, { names });
    const at = async (url: string) => refusal(call(imageImport, byUrl(url), context()));
    expect(await at("https://inside.example.com/a.png")).toMatchObject({
      code: "invalid_input",
      message: "inside.example.com leads to 10.0.0.7: private network.",
    });
    expect(await at("https://gone.example.com/a.png")).toMatchObject({ code: "upstream_error" });
    expect(asked).toEqual([]);
    expect((await at(URL_OF_IT)).code).toBe("invalid_input");
    expect(asked).toEqual([URL_OF_IT]);
  });

  test("the operator's lists of hosts hold for images too", async () => {
    const env = { WEB_DENY: "photos.example.com", PUBLIC_URL: "https://cairn.example.org" };
    const { asked, context } = web({ [URL_OF_IT]: image(54) }, {}, { env });
    for (const url of [URL_OF_IT, "https://cairn.example.org/media/a.png"])
      expect((await refusal(previewOf(imageImport, byUrl(url), context()))).code).toBe("invalid_input");
    expect(asked).toEqual([]);
  });

  test("is refused for a wrong size, type or status, and nothing is stored", async () => {
    const before = await rows("SELECT id FROM images");
    const code = async (answer: () => Response) =>
      (await refusal(call(imageImport, byUrl(), web({ [URL_OF_IT]: answer }).context()))).code;
    expect(await code(() => new Response(new Uint8Array(11 * 1024 * 1024)))).toBe("too_large");
    expect(await code(() => new Response("<html>", { headers: { "content-type": "image/png" } }))).toBe(
      "unsupported_media",
    );
    expect(await code(() => new Response(null, { status: 503 }))).toBe("upstream_error");
    expect((await refusal(call(imageImport, byUrl(), web({}).context()))).code).toBe("upstream_error");
    // So nobody is told that it may have happened.
    await expect(call(imageImport, byUrl(), web({}).context())).rejects.toMatchObject({ nothingDone: true });
    expect(await rows("SELECT id FROM images")).toEqual(before);
  });
});

/** Photos that are made here: this provider is a fixture, and says so. */
function fixtureStock(): StockProvider & { readonly loaded: string[] } {
  const loaded: string[] = [];
  return {
    name: "fixture",
    loaded,
    search: async ({ query, limit }) =>
      [1, 2, 3].slice(0, limit).map((n) => ({
        photoId: String(n),
        thumb: `https://stock.example/${n}.jpg`,
        photographer: "Fixture",
        alt: `${query} ${n}`,
        width: 40,
        height: 30,
      })),
    load: async (photoId) => ({
      sourceRef: `fixture:${photoId}`,
      filename: `fixture-${photoId}`,
      alt: "A path in a fixture",
      attribution: {
        photographer: "Fixture",
        url: "https://stock.example/1",
        provider: "fixture",
        licence: "test",
      },
      download: async () => {
        loaded.push(photoId);
        return jpeg({ seed: 60 + Number(photoId) });
      },
    }),
  };
}

describe("an import of a stock photo", () => {
  test("finds a photo, imports it once, and keeps its photographer", async () => {
    const stock = fixtureStock();
    const { context } = web({}, { stock });
    const found: OutputOf<typeof imageSearch> = await call(
      imageSearch,
      { source: "stock", query: "mountain path", limit: 2 },
      context(),
    );
    expect(found).toMatchObject({
      total: 2,
      stock: [{ provider: "fixture", photoId: "1" }, { photoId: "2" }],
    });
    const wish = { source: "stock", photoId: "1" } as const;
    expect((await previewOf(imageImport, wish, context())).need.kind).toBe("none");
    const first: OutputOf<typeof imageImport> = await call(imageImport, wish, context());
    expect(first).toMatchObject({
      deduped: false,
      image: { alt: "A path in a fixture", altSource: "stock" },
    });
    const again: OutputOf<typeof imageImport> = await call(imageImport, wish, context());
    expect(again).toMatchObject({ deduped: true, image: { id: first.image.id } });
    expect(stock.loaded).toEqual(["1"]);
    const [row] = await rows<{ attribution: string; source_ref: string }>(
      "SELECT attribution, source_ref FROM images WHERE id=?1",
      first.image.id,
    );
    expect(row?.source_ref).toBe("fixture:1");
    expect(JSON.parse(row?.attribution ?? "")).toMatchObject({ photographer: "Fixture" });
  });

  test("names the missing variable without a provider", async () => {
    const searched = await refusal(call(imageSearch, { source: "stock", query: "path" }));
    expect(searched).toMatchObject({ code: "not_configured" });
    expect(searched.hint).toContain("PEXELS_API_KEY");
    expect((await refusal(previewOf(imageImport, { source: "stock", photoId: "1" }))).code).toBe(
      "not_configured",
    );
  });

  test("asks Pexels as its documentation says", async () => {
    const photo = {
      id: 7,
      width: 4000,
      height: 3000,
      url: "https://www.pexels.com/photo/7",
      photographer: "Ada",
      alt: "A hut",
      src: { original: "https://images.pexels.com/7.jpeg", medium: "https://images.pexels.com/7-m.jpeg" },
    };
    const asked: { url: string; key: string | null }[] = [];
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      asked.push({ url, key: new Headers(init.headers).get("authorization") });
      if (url.startsWith("https://images.")) return new Response(jpeg({ seed: 70 }));
      if (url.includes("/photos/8")) return new Response("{}", { status: 404 });
      return Response.json(url.includes("/search") ? { photos: [photo] } : photo);
    };
    const pexels = createPexels(webOf(fetch), "a-key");
    const { signal } = new AbortController();
    expect(await pexels.search({ query: "a hut", orientation: "landscape", limit: 5 }, signal)).toEqual([
      {
        photoId: "7",
        thumb: photo.src.medium,
        photographer: "Ada",
        alt: "A hut",
        width: 4000,
        height: 3000,
      },
    ]);
    const loaded = await pexels.load("7", signal);
    expect(loaded).toMatchObject({
      sourceRef: "pexels:7",
      attribution: { photographer: "Ada", url: photo.url },
    });
    expect((await loaded.download()).length).toBeGreaterThan(100);
    expect(asked).toEqual([
      { url: "https://api.pexels.com/v1/search?query=a+hut&per_page=5&orientation=landscape", key: "a-key" },
      { url: "https://api.pexels.com/v1/photos/7", key: "a-key" },
      // The key is for the API alone.
      { url: "https://images.pexels.com/7.jpeg?auto=compress&w=1920", key: null },
    ]);
    expect((await refusal(pexels.load("8", signal))).code).toBe("not_found");
    expect((await refusal(pexels.load("../me", signal))).code).toBe("invalid_input");
  });
});
