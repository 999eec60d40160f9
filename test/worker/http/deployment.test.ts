import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { defaultAgent } from "../../fixtures/deployment/agent.ts";
import { desk, reader } from "../../fixtures/docs/desk.ts";

/** The worker under test is not the fork's: it has the agent, tools and webhooks of test/fixtures/deployment. */

interface Agents {
  readonly items: readonly { readonly description: string; readonly tools: readonly string[] }[];
}
const ask = (path: string, init?: RequestInit) =>
  exports.default.fetch(new Request(`http://localhost${path}`, init));

test("the worker has the agent of the tests, and the tools that ship", async () => {
  const { items } = await (await ask("/api/agents")).json<Agents>();
  expect(items.map(({ description }) => description)).toEqual([
    defaultAgent.description,
    "Keeps drafts.",
    desk.description,
    reader.description,
  ]);
  expect(items[0]?.tools).toEqual(expect.arrayContaining(["complete", "page_delete", "image_search"]));
  expect(items[0]?.tools).not.toContain("reading_time");
});
