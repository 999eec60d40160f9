import { HtmlValidate, StaticConfigLoader } from "html-validate";
import { describe, expect, test } from "vitest";
import { destinationOf, readCallback } from "../../../src/plugins/mcp-server/oauth/callback.ts";
import {
  againPage,
  consentPage,
  messagePage,
  onwardPage,
  signInPage,
  type Consent,
} from "../../../src/plugins/mcp-server/oauth/pages.ts";

/** The pages that a person sees when an assistant wants to be let in. */

const validator = new HtmlValidate(
  new StaticConfigLoader({ root: true, extends: ["html-validate:standard", "html-validate:a11y"] }),
);
const HOSTILE = `"><script>alert(1)</script>\u202e&`;

const consent = (more: Partial<Consent> = {}): Consent => ({
  clientName: "An assistant",
  clientDomain: null,
  destination: "assistant.example",
  destinationKind: "web",
  subject: "ada",
  handle: "h-1",
  scopes: [
    { scope: "read", asked: true },
    { scope: "approve", asked: false },
  ],
  ...more,
});

describe("the pages", () => {
  test.each([
    ["consent", consentPage(consent())],
    [
      "consent of a known domain, on this computer",
      consentPage(consent({ clientDomain: "a.example", destinationKind: "loopback" })),
    ],
    [
      "consent of an application",
      consentPage(consent({ destination: "com.example.app:", destinationKind: "app" })),
    ],
    ["onward", onwardPage("Allowed", "https://assistant.example/callback?code=a&state=b")],
    ["sign-in", signInPage("a=b&c=d", false)],
    ["sign-in after a wrong token", signInPage("a=b&c=d", true)],
    ["message", messagePage("No", "Not this.")],
  ])("%s is HTML without a fault, and has no script", async (_, html) => {
    const report = await validator.validateString(html);
    expect(
      report.results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => [ruleId, message])),
    ).toEqual([]);
    expect(html).not.toMatch(/<script|\son\w+=/);
  });

  test("show what strangers say as text, hidden characters too", () => {
    const pages = [
      consentPage(
        consent({
          clientName: HOSTILE,
          clientDomain: HOSTILE,
          destination: HOSTILE,
          subject: HOSTILE,
          handle: HOSTILE,
        }),
      ),
      signInPage(HOSTILE, true),
      againPage(HOSTILE),
      messagePage(HOSTILE, HOSTILE),
    ];
    for (const html of pages) expect(html).not.toMatch(/<script|\u202e/);
    expect(pages[0]).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u202e&amp;");
  });

  test("have no button to press for the moment in which they have just appeared", () => {
    expect(consentPage(consent())).toContain("@keyframes seen{from{visibility:hidden}}");
    expect(consentPage(consent())).toContain(".buttons{animation:seen 400ms step-end}");
  });

  test("tick what was asked for, and say where it goes and as whom", () => {
    const html = consentPage(consent({ destinationKind: "loopback" }));
    expect(html).toContain('value="read" checked>');
    expect(html).toContain('value="approve">');
    expect(html).toContain("<b>assistant.example</b>");
    expect(html).toContain("You are <b>ada</b>");
    expect(html).toContain("a program on your computer");
    expect(html).toContain("Unverified app name");
  });
});

describe("the address for the answer", () => {
  test.each([
    ["https://assistant.example/callback?x=1", { kind: "web", host: "assistant.example" }],
    ["https://assistant.example:8443/cb", { kind: "web", host: "assistant.example:8443" }],
    ["http://localhost:3000/cb", { kind: "loopback", host: "localhost:3000" }],
    ["http://127.0.0.1/cb", { kind: "loopback", host: "127.0.0.1" }],
    ["http://127.9.8.7:1/cb", { kind: "loopback", host: "127.9.8.7:1" }],
    ["http://[::1]:49152/cb", { kind: "loopback", host: "[::1]:49152" }],
    ["com.example.app:/oauth2redirect", { kind: "app", scheme: "com.example.app" }],
    ["com.example.app://callback", { kind: "app", scheme: "com.example.app" }],
    ["COM.Example.App:/cb", { kind: "app", scheme: "com.example.app" }],
    ["cursor://anysphere.cursor-mcp/oauth/callback", { kind: "app", scheme: "cursor" }],
    ["vscode://vendor.extension/cb", { kind: "app", scheme: "vscode" }],
  ])("%s is accepted", (text, callback) => {
    expect(readCallback(text)).toEqual(callback);
  });

  test.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://a.example/1",
    "about:blank",
    "view-source:https://a.example",
    "mailto:a@b.example",
    "ms-msdt:/id",
    "search-ms:query",
    "intent://x#Intent;end",
    "ftp://a.example/",
    "wss://a.example/",
    "http://evil.example/cb",
    "http://127.0.0.1.evil.example/cb",
    "http://localhost.evil.example/",
    "http://[::2]/cb",
    "http://0.0.0.0/cb",
    "//evil.example/cb",
    "/cb",
    "",
    "cb",
    "myapp:/cb",
    "myapp://x",
    "https://a.example/#x",
    "https://a.example/cb#",
    "https://ada@a.example/",
    "https://a:b@a.example/",
    " https://a.example/",
    "https://a.example/\n",
    "java\tscript:alert(1)",
    "https:\\\\a.example\\cb",
    "https://a.example/\u007f",
    "https://a.example/\u0085cb",
    "http://notlocalhost/cb",
    "com..example:/cb",
    "com.:/cb",
    `https://a.example/${"x".repeat(2_000)}`,
  ])("%j is refused, with the reason and what would do", (text) => {
    const callback = readCallback(text);
    expect(callback).toMatchObject({ kind: "refused" });
    expect(callback.kind === "refused" ? callback.reason : "").toMatch(
      /^The address for the answer .+ It must be an https address, .+com\.example\.app:/,
    );
  });

  test("is named by its host, or by the scheme of its application", () => {
    expect(
      ["http://[::1]:1/cb", "https://a.example/cb", "com.example.app:/cb", "cursor://x.y/cb"].map(
        destinationOf,
      ),
    ).toEqual(["[::1]:1", "a.example", "com.example.app:", "cursor:"]);
  });

  test("is gone to by a link and a refresh, whose text cannot be cut short", () => {
    const html = onwardPage("Allowed", `https://a.example/cb?code=1&state=";url=javascript:alert(1)'><b>`);
    expect(html).toContain(
      'http-equiv="refresh" content="0;url=https://a.example/cb?code=1&amp;state=&quot;;url=javascript:alert(1)&#39;&gt;&lt;b&gt;"',
    );
    expect(html).toContain("Continue to <b>a.example</b>");
  });
});
