import { sanitize } from "hast-util-sanitize";
import { toHtml } from "hast-util-to-html";
import { describe, expect, test } from "vitest";
import { siteHeaders } from "../../../src/plugins/cms/renderer/answers.ts";
import { renderMarkdown, SITE_SCHEMA } from "../../../src/plugins/cms/renderer/html/markdown.ts";
import { addressOf, addressOfText, carryOn } from "../../../src/plugins/cms/renderer/links.ts";
import { isSafeUrl, parseLink } from "../../../src/plugins/cms/model/links.ts";
import { siteContext } from "./site-fixture.ts";

/** Safety of stored texts: nothing loads from another host, and no address runs code. */

const show = (source: string, more = {}): string =>
  String(renderMarkdown(source, 2, siteContext({ ...more })));

/** Addresses on another host, in every spelling that a browser reads as one. */
const ELSEWHERE = [
  "https://elsewhere.example/x.png",
  "http://elsewhere.example/x.png",
  "HTTPS://elsewhere.example/x.png",
  "//elsewhere.example/x.png",
  "///elsewhere.example/x.png",
  "/\\elsewhere.example/x.png",
  "\\\\elsewhere.example\\x.png",
  "https:elsewhere.example/x.png",
  "https:/elsewhere.example/x.png",
  "/site/../..//elsewhere.example/x.png",
  "&#47;/elsewhere.example/x.png",
  "image://elsewhere.example/x.png",
  "image:https://elsewhere.example/x.png",
  "image:../elsewhere.example/x.png",
  "data:image/svg+xml,elsewhere.example",
  "blob:https://elsewhere.example/x",
  "javascript:elsewhere.example",
  "ftp://elsewhere.example/x.png",
];

/** Every place of a text in which an address can stand. */
const PLACES: readonly ((url: string) => string)[] = [
  (url) => `![x](${url})`,
  (url) => `![x](<${url}>)`,
  (url) => `![x](${url} "a title")`,
  (url) => `![](${url})`,
  (url) => `![x][y]\n\n[y]: ${url}`,
  (url) => `![y]\n\n[y]: <${url}>`,
  (url) => `[![x](${url})](page:home)`,
  (url) => `# ![x](${url})`,
  (url) => `| a |\n|---|\n| ![x](${url}) |`,
  (url) => `- [ ] ![x](${url})`,
  (url) => `> ![x](${url})`,
  (url) => `a[^1]\n\n[^1]: ![x](${url})`,
  (url) => `<img src="${url}">`,
  (url) => `<img srcset="${url} 2x">`,
  (url) => `a <img src="${url}"> b`,
  (url) => `<picture><source srcset="${url}"></picture>`,
  (url) => `<video poster="${url}" src="${url}"></video>`,
  (url) => `<link rel="stylesheet" href="${url}">`,
  (url) => `<style>@import url(${url})</style>`,
  (url) => `<p style="background:url(${url})">a</p>`,
  (url) => `<object data="${url}"></object><embed src="${url}"><iframe src="${url}"></iframe>`,
  (url) => `<svg><image href="${url}" xlink:href="${url}"/></svg>`,
  (url) => `<base href="${url}"><meta http-equiv="refresh" content="0;url=${url}">`,
  (url) => `<a href="/site/" ping="${url}">a</a>`,
  (url) => `<table background="${url}"><tr><td>a</td></tr></table>`,
];

/** Resources that a page fetches by itself: any attribute that names one, on any element but a link. */
const loads = (html: string): string[] =>
  [
    ...html.matchAll(
      /<(?!a[\s>])[a-z][^>]*?\s(?:src|srcset|poster|data|background|href|style|content|ping)="([^"]*)"/gi,
    ),
  ].map(([, value = ""]) => value);

describe("nothing is loaded from elsewhere", () => {
  test("what loads is seen by this test", () => {
    expect(loads('<p><img alt="" src="//e/x"></p><link rel="a" href="b">')).toEqual(["//e/x", "b"]);
    expect(loads(show("![x](image:ridge)"))).toEqual(["/media/ridge/ridge.png"]);
  });

  test.each(ELSEWHERE)("%s, wherever it stands", (url) => {
    for (const place of PLACES) {
      const html = show(place(url));
      expect([place(url), loads(html)]).toEqual([place(url), []]);
      expect(html).not.toMatch(
        /<(?:img|svg|style|link|base|meta|object|embed|iframe|video|source|picture)\b/i,
      );
    }
  });

  test("an image of the site is shown by its path, whoever names it", () => {
    const sources = (html: string): string[] =>
      [...html.matchAll(/(?:src|srcset)="([^"]*)"/g)].flatMap(([, value = ""]) => value.split(", "));
    for (const source of [
      "![x](image:ridge)",
      "![y]\n\n[y]: image:ridge",
      "[![x](image:ridge)](https://example.org/)",
    ]) {
      const found = sources(show(source));
      expect([source, found.length]).toEqual([source, 4]);
      for (const one of found) expect(one).toMatch(/^\/media\/ridge\//);
    }
    expect(show("![x](image:nowhere)")).not.toContain("<img");
  });

  test("a foreign image is a link with its words, or with its address where it has none", () => {
    expect(show("![A chart](https://elsewhere.example/x.png)")).toBe(
      '<p><a href="https://elsewhere.example/x.png" rel="noopener">A chart</a></p>',
    );
    expect(show("![](https://elsewhere.example/x.png)")).toContain(">https://elsewhere.example/x.png</a>");
    expect(show("![A chart](//elsewhere.example/x.png)")).toBe("<p>A chart</p>");
  });

  test("the headers of every answer forbid it too", () => {
    for (const given of [undefined, { preview: true, listed: true }, { preview: false, listed: false }]) {
      const policy = new Map(
        (siteHeaders("text/html", null, given).get("content-security-policy") ?? "")
          .split("; ")
          .map((one): [string, string] => {
            const [name = "", ...values] = one.split(" ");
            return [name, values.join(" ")];
          }),
      );
      expect(Object.fromEntries(policy)).toEqual({
        "default-src": "'none'",
        "script-src": "'none'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "form-action": "'none'",
        "base-uri": "'none'",
        "frame-ancestors": "'self'",
      });
      expect(siteHeaders("text/html", null, given).get("x-content-type-options")).toBe("nosniff");
    }
  });
});

describe("the sanitiser alone", () => {
  const clean = (tagName: string, properties: Record<string, string | boolean>): string =>
    toHtml(
      sanitize(
        { type: "root", children: [{ type: "element", tagName, properties, children: [] }] },
        SITE_SCHEMA,
      ),
    );

  test("keeps four protocols for links and one for images", () => {
    for (const protocol of ["http", "https", "mailto", "tel"])
      expect(clean("a", { href: `${protocol}:x` })).toBe(`<a href="${protocol}:x"></a>`);
    for (const protocol of ["javascript", "data", "vbscript", "blob", "file", "ftp"])
      expect(clean("a", { href: `${protocol}:x` })).toBe("<a></a>");
    for (const protocol of ["http", "javascript", "data", "blob"])
      expect(clean("img", { src: `${protocol}:x` })).toBe("<img>");
  });

  test("keeps no element that runs, frames or loads, and no attribute that does", () => {
    for (const tag of [
      "script",
      "style",
      "iframe",
      "object",
      "embed",
      "svg",
      "form",
      "link",
      "base",
      "meta",
      "video",
    ])
      expect([tag, clean(tag, { src: "/x" })]).toEqual([tag, ""]);
    for (const name of ["onClick", "style", "id", "ping", "target", "background", "formAction", "srcDoc"])
      expect(clean("a", { [name]: "x" })).toBe("<a></a>");
    expect(clean("a", { rel: "opener" })).toBe("<a></a>");
    expect(clean("input", { type: "text", name: "password" })).toBe('<input type="checkbox" disabled>');
    expect(clean("code", { className: "danger" })).not.toContain("danger");
  });
});

describe("links", () => {
  const SAFE = [
    "/site",
    "/site/",
    "/site/about?x=1#y",
    "https://example.org",
    "http://example.org/a",
    "HTTPS://example.org/",
    "mailto:a@example.org",
    "TEL:+49301234",
  ];
  const UNSAFE = [
    ...ELSEWHERE.filter((one) => !/^https?:\/\/[^/]/i.test(one) && !one.startsWith("&")),
    "/site/../api/sessions",
    "/site/..",
    "/site/%2e%2e/mcp",
    "/site/a/../../login",
    "/site/.%2E//elsewhere.example",
    "",
    "/",
    "/sites",
    "/siteevil",
    "/media/x.png",
    "/api/sessions",
    "site/about",
    "about",
    "#top",
    "?x",
    "mailto:",
    "tel:",
    "mailto://example.org",
    "tel:/1",
    "https://",
    "https:///example.org",
    "http:example.org",
    "https://exam ple.org",
    "https://example.org/\n",
    "\thttps://example.org",
    "https://example.org\\@evil.org",
    "java\tscript:alert(1)",
    "vbscript:x",
    "view-source:https://example.org",
    "https://[",
    "file:///etc/passwd",
    `https://example.org/${"x".repeat(2_000)}`,
  ];

  test.each(SAFE)("%s may stand in a page", (url) => {
    expect(isSafeUrl(url)).toBe(true);
    expect(parseLink(url)).toEqual({ kind: "stored", link: { kind: "url", url } });
  });

  test("no other address may, as it is given or as it was stored", () => {
    for (const url of UNSAFE) {
      expect([url, isSafeUrl(url)]).toEqual([url, false]);
      expect(addressOf({ kind: "url", url }, siteContext())).toBeNull();
      expect(parseLink({ kind: "url", url })?.kind ?? null).not.toBe("ref");
    }
  });

  test("to what is not public lead nowhere, and their words stay", () => {
    expect(addressOf({ kind: "page", id: "hidden" }, siteContext())).toBeNull();
    expect(addressOf({ kind: "image", id: "ridge" }, siteContext())).toBeNull();
    expect(addressOfText("entry:nowhere", siteContext())).toBeNull();
    expect(show("[words](page:hidden)")).toBe("<p>words</p>");
    expect(show("[words](page:about#team)")).toBe('<p><a href="/site/about#team">words</a></p>');
  });

  test("only those to other sites are opened without a way back", () => {
    expect(show("[a](https://example.org/)")).toContain('rel="noopener"');
    expect(show("[a](HTTP://example.org/)")).toContain('rel="noopener"');
    for (const url of ["page:about", "/site/about", "#top", "mailto:a@example.org"])
      expect([url, show(`[a](${url})`)]).toEqual([url, expect.not.stringContaining("noopener")]);
  });

  test("a preview carries its token on within the site, once, and never to another one", () => {
    const context = siteContext({ preview: { query: "preview=abc.def" } });
    expect(carryOn("/site/about#team", context)).toBe("/site/about?preview=abc.def#team");
    expect(carryOn("/site/blog/?page=2", context)).toBe("/site/blog/?page=2&preview=abc.def");
    expect(carryOn("/site/?preview=abc.def", context)).toBe("/site/?preview=abc.def");
    const html = String(
      renderMarkdown(
        "[a](page:about) [b](https://example.org/) [c](/site/x) [d](mailto:a@example.org)",
        2,
        context,
      ),
    );
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url)).toEqual([
      "/site/about?preview=abc.def",
      "https://example.org/",
      "/site/x?preview=abc.def",
      "mailto:a@example.org",
    ]);
  });
});
