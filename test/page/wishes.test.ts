import { expect, test } from "vitest";
import { suggestedRequests } from "../../src/page/welcome/suggested-requests.ts";
import { play } from "../plugins/rehearsal/run.ts";
import { FakeSite } from "../plugins/rehearsal/site.ts";

/** The first wishes, worked again and again by the rehearsal model: each time on the site as the last ones left it. */

interface Outline {
  readonly pages: readonly { readonly name: string; readonly slug: string; readonly status: string }[];
  readonly heroTitle: string | null;
}

const outlineOf = (site: FakeSite): Outline => {
  const title = site.pages
    .find(({ slug }) => slug === "home")
    ?.sections.find(({ template }) => template === "hero")?.content["title"];
  return {
    pages: site.pages.map(({ name, slug, status }) => ({ name, slug, status })),
    heroTitle: typeof title === "string" ? title : null,
  };
};

test("work on a site on which they were done before", () => {
  const site = new FakeSite();
  const done: string[] = [];
  for (let visit = 1; visit <= 6; visit += 1) {
    const before = outlineOf(site);
    const wishes = suggestedRequests(before);
    expect(wishes).toHaveLength(3);
    for (const { text } of wishes) {
      expect(done).not.toContain(`${visit} ${text}`);
      const played = play(site, text);
      expect({ text, failed: played.calls.filter(({ ok }) => !ok) }).toEqual({ text, failed: [] });
      expect(played.text).not.toMatch(/already|did not understand|changed nothing|What should/);
      done.push(`${visit} ${text}`);
    }
    const after = outlineOf(site);
    expect(after.pages.length).toBe(before.pages.length + 1);
    expect(after.heroTitle).not.toBe(before.heroTitle);
  }
  // There is no other page to wish for.
  expect(suggestedRequests(outlineOf(site))).toHaveLength(2);
});

test("name no page that is there under that name or address, also as a draft", () => {
  const site = { pages: [{ name: "Was es kostet", slug: "prices", status: "draft" }], heroTitle: null };
  expect(suggestedRequests(site)[0]?.text).toMatch(/^Create a Team page/);
  expect(suggestedRequests(null)[0]?.text).toMatch(/^Create a Prices page/);
});
