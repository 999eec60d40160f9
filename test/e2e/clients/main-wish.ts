import { expect } from "vitest";
import { answerOf, callsOf, fetchLog, ofKind } from "./log.ts";

/** The job that a newcomer gives first, and what must be true after it, whatever model worked it. */

export const WISH =
  "Create a Prices page with a hero image and a feature section, publish it and add it to the navigation";

/** The public site has the page, with its hero's image, and the navigation leads to it. */
export async function expectPageIsPublic(url: string): Promise<void> {
  const page = await fetch(`${url}/site/prices`);
  const html = await page.text();
  expect(page.status).toBe(200);
  expect(html).toMatch(/<img [^>]*src="[^"]*\/media\//);
  const home = await (await fetch(`${url}/site/`)).text();
  expect(navigationOf(home)).toContain('href="/site/prices"');
}

function navigationOf(html: string): string {
  return [...html.matchAll(/<nav\b[\s\S]*?<\/nav>/g)].map(([nav]) => nav).join("\n");
}

/** The run reads before it acts, asks before each public change, and has one result per call. */
export async function expectGoodConduct(url: string, session: string): Promise<void> {
  const log = await fetchLog(url, session);
  expect(log.map((each) => each.seq)).toEqual(log.map((_, at) => at + 1));
  const calls = callsOf(log);
  expect(calls[0]?.effect).toBe("read");
  expect(calls.every((each) => each.results === 1)).toBe(true);

  const publishing = calls.filter((each) => each.tool === "set_status");
  expect(publishing.length).toBeGreaterThan(0);
  // The page is public when it enters the navigation, so that change asks too, though not every one of its kind does.
  const asking = calls.filter(({ tool }) => tool === "set_status" || tool === "nav_edit");
  for (const each of asking.filter(({ status }) => status === "ok")) {
    expect(each.approved, `${each.tool} ran without a yes`).not.toBeNull();
    expect(each.approved ?? 0).toBeLessThan(each.intended ?? 0);
  }
  expect(publishing.some((each) => each.status === "ok")).toBe(true);
  expect(ofKind(log, "run_ended").map((each) => each.body["outcome"])).toEqual(["completed"]);
}

/** The printed text ends with the log's whole answer. */
export async function expectAnswerIsLast(url: string, session: string, printed: string): Promise<void> {
  const answer = answerOf(await fetchLog(url, session)).trim();
  expect(answer).not.toBe("");
  expect(printed.trimEnd().endsWith(answer)).toBe(true);
}
