import { env, exports } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { entryCreate } from "../../../src/plugins/cms/entries/entry-create.ts";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import { call, refusal, rows } from "../cms/fixture.ts";

/** Whatever is stored as content, a page of the site has nothing in it that runs. */

const MARKUP = [
  "<script>alert(1)</script>",
  '<img src="x" onerror="alert(1)">',
  '<svg onload="alert(1)"><script>alert(1)</script></svg>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '"><script>alert(1)</script>',
  "</section></main><script>alert(1)</script>",
  '<a href="javascript:alert(1)">here</a>',
];
const MARKDOWN = [
  "[here](javascript:alert(1))",
  "[here](JaVaScRiPt:alert(1))",
  "[here](java\tscript:alert(1))",
  "[here](&#106;avascript:alert(1))",
  "[here](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "[here][there]\n\n[there]: javascript:alert(1)",
  "<javascript:alert(1)>",
  "<data:text/html,<script>alert(1)</script>>",
  "![x](javascript:alert(1))",
  "![x](data:image/svg+xml,<svg onload=alert(1)>)",
  '[here](https://example.org "onmouseover=alert(1)")',
  '[here](https://example.org/"onmouseover="alert(1))',
  "[here](vbscript:alert(1))",
];
const BODY = [...MARKUP, ...MARKDOWN].join("\n\n");
const TEXT = MARKUP.slice(0, 2).join(" ");

/** for the label of a button */
const SHORT = "<script>alert(1)</script>";

const ask = (path: string): Promise<Response> =>
  exports.default.fetch(new Request(`http://localhost${path}`));

interface Element {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** The elements of a page as a parser sees them. */
async function elementsOf(response: Response): Promise<readonly Element[]> {
  const found: Element[] = [];
  const read = new HTMLRewriter().on("*", {
    element: ({ tagName, attributes }) => {
      const pairs = [...attributes].map(([name = "", value = ""]) => [name.toLowerCase(), value] as const);
      found.push({ tag: tagName.toLowerCase(), attributes: new Map(pairs) });
    },
  });
  await read.transform(response).text();
  return found;
}

const ADDRESSES = ["href", "src", "srcset", "action", "formaction", "xlink:href", "poster", "data"];
/** As a browser reads an address: entities resolved, without the characters that it leaves out. */
const plain = (address: string): string =>
  address
    .replaceAll(/&#x([0-9a-f]+);?/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll(/&#(\d+);?/g, (_, decimal: string) => String.fromCodePoint(Number(decimal)))
    .replaceAll(/&(?:Tab|NewLine);|[\p{Cc}\s]/gu, "")
    .replaceAll("&colon;", ":")
    .toLowerCase();

/** Parts of a page that could run code. */
function dangers(elements: readonly Element[]): string[] {
  return elements.flatMap(({ tag, attributes }) => [
    ...(["iframe", "object", "embed", "svg", "base", "form"].includes(tag) ? [tag] : []),
    ...(tag === "script" && attributes.get("type") !== "application/ld+json" ? [tag] : []),
    ...[...attributes].flatMap(([name, value]) => {
      const isAddress = ADDRESSES.includes(name) && /^(?:javascript|vbscript|data):/.test(plain(value));
      return name.startsWith("on") || name === "srcdoc" || isAddress ? [`${tag} ${name}=${value}`] : [];
    }),
  ]);
}

beforeAll(async () => {
  await (await ask("/site/")).text();
  await call(pageCreate, {
    name: `Hostile ${MARKUP[4]}`,
    slug: "hostile",
    meta: { title: TEXT, description: TEXT },
    sections: [
      { template: "hero", content: { title: TEXT, subtitle: TEXT } },
      { template: "feature", content: { heading: TEXT, description: BODY, items: [{ title: TEXT }] } },
      {
        template: "image-text",
        content: { heading: TEXT, content: BODY, image: "im_ridge", ctaText: SHORT, ctaLink: "page:home" },
      },
      {
        template: "cta",
        content: { heading: TEXT, description: BODY, buttonText: SHORT, buttonLink: "page:home" },
      },
      { template: "gallery", content: { title: TEXT, images: [{ image: "im_ridge", alt: '" onerror="x' }] } },
    ],
    nav: { location: "both", label: TEXT },
  });
  await call(entryCreate, { title: TEXT, slug: "hostile", content: { body: BODY }, excerpt: TEXT });
  await call(setStatus, {
    to: "published",
    targets: [
      { type: "page", ref: "hostile" },
      { type: "entry", ref: "blog/hostile" },
    ],
  });
});

test("what could run is seen by this test", async () => {
  const html = [...MARKUP, '<a href="java&#115;cript:x">x</a>'].join("");
  const seen = dangers(await elementsOf(new Response(html)));
  expect(seen).toEqual(expect.arrayContaining(["script", "svg", "iframe", "img onerror=alert(1)"]));
  expect(seen.filter((one) => one.startsWith("a href"))).toHaveLength(2);
});

test.each(["/site/hostile", "/site/blog/hostile", "/site/blog/", "/site/", "/site/de/hostile"])(
  "%s shows it as text, and forbids to run anything",
  async (path) => {
    const response = await ask(path);
    expect(response.status).toBe(200);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src[^;]*(?:unsafe|data:|\*)/);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    const html = await response.clone().text();
    expect(dangers(await elementsOf(response))).toEqual([]);
    expect(html).toContain("&lt;script&gt;alert(1)");
  },
);

test("a link that runs is refused when it is written, and leads nowhere when it was stored all the same", async () => {
  const link = { template: "hero", content: { title: "T", ctaText: "Go", ctaLink: "javascript:alert(1)" } };
  const failure = await refusal(call(pageCreate, { name: "Link", sections: [link] }));
  expect(failure).toMatchObject({ class: "invalid_args", at: expect.stringContaining("ctaLink") as string });
  await env.DB.prepare(
    `UPDATE published_docs SET doc=json_set(doc,
      '$.sections[0].content.en.ctaText', 'Go there', '$.sections[0].content.en.ctaLink', json(?1))
      WHERE doc->>'$.slug'='hostile' AND owner_type='page'`,
  )
    .bind(JSON.stringify({ kind: "url", url: "javascript:alert(1)" }))
    .run();
  await rows("UPDATE environments SET epoch=epoch+1");
  const response = await ask("/site/hostile");
  const elements = await elementsOf(response);
  expect(elements.length).toBeGreaterThan(20);
  expect(dangers(elements)).toEqual([]);
});
