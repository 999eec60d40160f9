import { HtmlValidate, StaticConfigLoader } from "html-validate";
import { describe, expect, test } from "vitest";
import { againPage, consentPage, messagePage, signInPage, type Consent } from "../../src/http/oauth/pages.ts";

/** The pages that a person sees when an assistant wants to be let in. */

const validator = new HtmlValidate(
  new StaticConfigLoader({ root: true, extends: ["html-validate:standard", "html-validate:a11y"] }),
);
const HOSTILE = `"><script>alert(1)</script>\u202e&`;

const consent = (more: Partial<Consent> = {}): Consent => ({
  ...{
    clientName: "An assistant",
    clientDomain: null,
    redirectHost: "assistant.example",
    redirectIsLocal: false,
  },
  ...{ subject: "ada", handle: "h-1" },
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
      consentPage(consent({ clientDomain: "a.example", redirectIsLocal: true })),
    ],
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
          redirectHost: HOSTILE,
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

  test("tick what was asked for, and say where it goes and as whom", () => {
    const html = consentPage(consent({ redirectIsLocal: true }));
    expect(html).toContain('value="read" checked>');
    expect(html).toContain('value="approve">');
    expect(html).toContain("<b>assistant.example</b>");
    expect(html).toContain("You are <b>ada</b>");
    expect(html).toContain("a program on your own computer");
    expect(html).toContain("nobody has checked this name");
  });
});
