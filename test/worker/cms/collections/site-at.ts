import { rendering } from "../../../../src/plugins/cms/renderer/rendering.ts";
import { openSite } from "../../site/fixture.ts";

/** What a visitor gets, as the deployed templates make it. The site is the test's own: nothing is seeded. */
export async function siteAt(path: string): Promise<{ readonly status: number; readonly text: string }> {
  const site = openSite({ render: rendering, seed: () => Promise.resolve() });
  const answer = await site.fetch(path);
  return { status: answer.status, text: await answer.text() };
}
