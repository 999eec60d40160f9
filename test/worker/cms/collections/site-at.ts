import { rendering } from "../../../../src/plugins/cms/renderer/rendering.ts";
import { openSite } from "../../site/fixture.ts";

/** Response that a visitor gets from the deployed templates. The site belongs to the test: no seed. */
export async function siteAt(path: string): Promise<{ readonly status: number; readonly text: string }> {
  const site = openSite({ render: rendering, seed: () => Promise.resolve() });
  const answer = await site.fetch(path);
  return { status: answer.status, text: await answer.text() };
}
