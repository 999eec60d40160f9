import { expect, test } from "vitest";
import { fetchLog, ofKind, say } from "../clients/log.ts";
import { useServer } from "../clients/server.ts";

/** A second environment on a real server: made, worked on, published and seen, while the public site stays as it was. */

const server = useServer();
const STAGING = { siteId: "site_main", environmentId: "env_staging" };

async function send(method: string, path: string, body: object): Promise<{ status: number; body: unknown }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}
const seen = async (path: string): Promise<readonly [number, string]> => {
  const response = await fetch(server.url + path);
  return [response.status, await response.text()];
};
const create = (name: string): string =>
  `/call page_create ${JSON.stringify({ name, sections: [{ template: "hero", content: { title: `The ${name} of staging` } }] })}`;

test("pages of one are not in the other; approved there, published there, and there after a kill", async () => {
  expect(await send("POST", "/api/cms/environments", { name: "staging" })).toEqual({
    status: 201,
    body: {
      ...STAGING,
      name: "staging",
      isOwn: false,
      path: "/site/~env_staging/",
      members: [],
    },
  });
  expect((await send("POST", "/api/cms/environments", { name: "staging" })).status).toBe(409);
  expect((await send("POST", "/api/sessions", { id: "there", targets: { site: STAGING } })).status).toBe(201);
  const publish = `/call set_status ${JSON.stringify({ targets: [{ type: "page", ref: "plans" }], to: "published" })}`;
  await say(server.url, "there", `${create("Plans")}\n/then\n/say Made.`);
  expect(
    (await send("POST", "/api/sessions/there/messages", { text: `${publish}\n/then\n/say Out.` })).status,
  ).toBe(202);
  const asked = async () => ofKind(await fetchLog(server.url, "there"), "approval_requested")[0]?.body;
  await expect.poll(asked, { timeout: 20_000 }).toBeDefined();
  const { approval, digest, draft, warnings } = (await asked()) as Record<string, string> & {
    draft: { type: string; id: string };
    warnings: readonly string[];
  };
  expect(warnings[0]).toContain("/site/~env_staging/");

  const link = (await (
    await fetch(`${server.url}/api/cms/preview-link?type=page&id=${draft.id}`)
  ).json()) as { url: string };
  const { pathname, search } = new URL(link.url);
  expect(await seen(pathname)).toMatchObject([404, expect.not.stringContaining("of staging")]);
  expect(await seen(pathname + search)).toMatchObject([200, expect.stringContaining("The Plans of staging")]);

  await server.kill();
  await server.start();
  const decision = { decision: "approve", digest };
  expect((await send("POST", `/api/sessions/there/approvals/${approval}`, decision)).status).toBe(200);
  await expect
    .poll(() => seen("/site/~env_staging/plans"), { timeout: 20_000 })
    .toMatchObject([200, expect.stringContaining("The Plans of staging")]);
  expect((await seen("/site/plans"))[0]).toBe(404);
  expect((await seen("/site/~env_staging/about"))[0]).toBe(404);

  // A run by itself, on a site that is not there.
  const none = { objective: "/say Hi.", targets: { site: { ...STAGING, environmentId: "env_none" } } };
  expect(await send("POST", "/api/runs", none)).toMatchObject({
    status: 422,
    body: { error: { code: "invalid_run", issues: [{ path: "targets.site", code: "unknown_target" }] } },
  });
  const run = { objective: `${create("Prices")}\n/then\n/say Done.`, targets: { site: STAGING } };
  expect(await send("POST", "/api/runs", run)).toMatchObject({ status: 200, body: { status: "completed" } });
  expect((await seen("/site/~env_staging/prices"))[0]).toBe(404);
});
