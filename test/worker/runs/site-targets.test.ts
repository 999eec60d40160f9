import { createPictures } from "../../../src/plugins/cms/http/sent-image.ts";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { asKind, type Entry } from "../../../src/cairn/core/log/entry.ts";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import type { Actor, SessionDetail } from "../../../src/cairn/session/api/session-api.ts";
import { createEnvironments } from "../../../src/plugins/cms/renderer/api/environments.ts";
import { createPreviewLinks } from "../../../src/plugins/cms/renderer/api/preview-link.ts";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import type { SiteAnswer } from "../../../src/plugins/cms/protocol/answers.ts";
import { post } from "../http/routes-fixture.ts";
import { openApi } from "../sessions/session-fixture.ts";
import { png } from "../cms/media/image-bytes.ts";
import { openSite, SECRET } from "../site/fixture.ts";
import { siteRoutes } from "../site/site-routes.ts";

/** A second environment by every door: who may use it works on it, for everybody else there is none. */

const doors = openApi(
  {},
  {
    plugins: siteRoutes({
      environments: createEnvironments(ensureSeeded),
      previewLink: createPreviewLinks(SECRET, ensureSeeded),
      images: ensureSeeded,
    }),
    pictures: createPictures(ensureSeeded),
  },
);
const site = openSite({ now: Date.now });
const STAGING = { siteId: "site_main", environmentId: "env_staging" };
const NONE = { siteId: "site_main", environmentId: "env_none" };
const patch = (body: unknown) => ({ ...post(body), method: "PATCH" });
const ada: Actor = { subject: "alice", scopes: ["read", "send", "approve"], via: "http" };

type Environment = SiteAnswer<"Environment">;
const share = (members: readonly string[]) =>
  doors.json<Environment>(200, "/api/cms/environments/env_staging", { ...patch({ members }), who: "root" });
const entriesOf = async (session: string): Promise<readonly Entry[]> => {
  const page = await sessionClient(env, session).events(ada, 0, 1_000);
  return page.ok ? page.value.items : [];
};
const bodiesOf = async <Kind extends Entry["kind"]>(session: string, kind: Kind) =>
  (await entriesOf(session)).flatMap((entry) => asKind(entry, kind) ?? []).map(({ body }) => body);
const refusalOf = async (response: Response) => {
  const { error } = await response.json<{ error: { code: string; message: string; issues?: unknown } }>();
  return { status: response.status, code: error.code, message: error.message };
};
const create = (name: string) => `/call page_create ${JSON.stringify({ name })}\n/then\n/say Done.`;

beforeAll(async () => {
  await ensureSeeded(env, Date.now());
  const made = { ...post({ name: "staging", members: ["alice"] }), who: "root" as const };
  await doors.json(201, "/api/cms/environments", made);
});

describe("the environments of a deployment", () => {
  test("are made and shared by admins, and listed to those who may use them", async () => {
    const listed = async (who: "alice" | "bob" | "root") =>
      (await doors.json<SiteAnswer<"Environments">>(200, "/api/cms/environments", { who })).items;
    const own = {
      siteId: "site_main",
      environmentId: "env_main",
      name: "main",
      isOwn: true,
      path: "/site/",
      members: null,
    };
    const staging = {
      ...STAGING,
      name: "staging",
      isOwn: false,
      path: "/site/~env_staging/",
      members: null,
    };
    expect(await listed("alice")).toEqual([own, staging]);
    expect(await listed("bob")).toEqual([own]);
    expect(await listed("root")).toEqual([
      { ...own, members: [] },
      { ...staging, members: ["alice"] },
    ]);
    expect((await share(["alice", "carol"])).members).toEqual(["alice", "carol"]);
    expect((await share(["alice"])).members).toEqual(["alice"]);
  });

  test.each([
    [{ name: "staging" }, 409, "id_taken"],
    [{ name: "main" }, 409, "id_taken"],
    [{ name: "x", siteId: "site_other" }, 422, "unknown_site"],
    [{ name: "x", siteId: "' OR 1=1--" }, 400, "invalid_request"],
    [{ name: "Robert'); DROP TABLE pages;--" }, 400, "invalid_request"],
    [{ name: "" }, 400, "invalid_request"],
    [{ name: "x".repeat(41) }, 400, "invalid_request"],
    [{ name: "x", copyFrom: "env_main" }, 400, "unknown_field"],
    [{ name: "x", members: ["a b"] }, 400, "invalid_request"],
    [{}, 400, "invalid_request"],
  ])("are not made of %j", async (body, status, code) => {
    const refused = await doors.call("/api/cms/environments", { ...post(body), who: "root" });
    expect(await refusalOf(refused)).toMatchObject({ status, code });
  });

  test("are shared by their id alone, but for the deployment's own", async () => {
    const answered = async (id: string, who: "alice" | "root" = "root") =>
      (await doors.call(`/api/cms/environments/${id}`, { ...patch({ members: [] }), who })).status;
    expect([await answered("env_none"), await answered("env_main"), await answered("%27%3B--")]).toEqual([
      404, 409, 404,
    ]);
    expect(await answered("env_staging", "alice")).toBe(403);
  });
});

describe("a session of a site", () => {
  test("works there, and one beside it on the deployment's own", async () => {
    await doors.json(201, "/api/sessions", post({ id: "st-there", targets: { site: STAGING } }));
    await doors.say("st-there", create("Roadmap"));
    await doors.say("st-here", create("Roadmap"));
    expect((await bodiesOf("st-there", "run_queued"))[0]?.spec.targets).toEqual({ site: STAGING });
    expect((await bodiesOf("st-here", "run_queued"))[0]?.spec.targets).toBeUndefined();
    const pages = await env.DB.prepare("SELECT env_id FROM pages WHERE slug='roadmap' ORDER BY env_id").raw();
    expect(pages).toEqual([["env_main"], ["env_staging"]]);
    const { targets: shown } = await doors.json<SessionDetail>(200, "/api/sessions/st-there");
    expect(shown).toEqual({ site: STAGING });
  });

  test("gets the images that are sent in it, also where the site is that of its agent", async () => {
    const agent = { description: "Works on staging.", targets: { site: STAGING } };
    await doors.json(201, "/api/agents/stager", { ...post(agent), method: "PUT", who: "root" });
    await doors.json(201, "/api/sessions", post({ id: "st-image-own" }));
    await doors.json(201, "/api/sessions", post({ id: "st-image-site", targets: { site: STAGING } }));
    await doors.json(201, "/api/sessions", post({ id: "st-image-agent", agent: "stager" }));
    const send = async (session: string, seed: number, who: "alice" | "root" = "alice") => {
      const form = new FormData();
      form.set("file", new File([png({ seed })], "photo.png"));
      form.set("session", session);
      const response = await doors.call("/api/uploads", { method: "POST", body: form, who });
      return response.status === 201 ? (await response.json<{ imageId: string }>()).imageId : response.status;
    };
    const environmentOf = (image: string | number) =>
      env.DB.prepare("SELECT env_id FROM images WHERE id=?1").bind(image).first<string>("env_id");
    expect(await environmentOf(await send("st-image-own", 7_001))).toBe("env_main");
    expect(await environmentOf(await send("st-image-site", 7_002))).toBe("env_staging");
    expect(await environmentOf(await send("st-image-agent", 7_003))).toBe("env_staging");
    await share([]);
    expect([await send("st-image-site", 7_004), await send("st-image-agent", 7_005)]).toEqual([404, 404]);
    await share(["alice"]);
  });

  test("is set to another by a PATCH, and back by null", async () => {
    await doors.json(201, "/api/sessions", post({ id: "st-moved" }));
    const moved = await doors.json<SessionDetail>(
      200,
      "/api/sessions/st-moved",
      patch({ targets: { site: STAGING } }),
    );
    expect(moved.targets).toEqual({ site: STAGING });
    await doors.say("st-moved", create("Moved there"));
    await doors.json(200, "/api/sessions/st-moved", patch({ targets: null }));
    await doors.say("st-moved", create("Moved back"));
    const sites = (await bodiesOf("st-moved", "run_queued")).map(({ spec }) => spec.targets);
    expect(sites).toEqual([{ site: STAGING }, undefined]);
    // Named, the deployment's own is the same as none.
    await doors.json(
      200,
      "/api/sessions/st-moved",
      patch({ targets: { site: { siteId: "site_main", environmentId: "env_main" } } }),
    );
    await doors.say("st-moved", "/say Hi.");
    expect((await bodiesOf("st-moved", "run_queued")).at(-1)?.spec.targets).toBeUndefined();
  });

  test("is copied with its site", async () => {
    const fork = await doors.json<SessionDetail>(201, "/api/sessions/st-there/fork", post({}));
    expect(fork.targets).toEqual({ site: STAGING });
  });

  test.each([
    [{ ...STAGING, more: 1 }],
    [{ siteId: "site_main" }],
    [{ ...STAGING, environmentId: "env_staging' OR 1=1--" }],
    [{ ...STAGING, environmentId: "../env_main" }],
    [{ ...STAGING, environmentId: "x".repeat(65) }],
    ["env_staging"],
  ])("is none of %j", async (given) => {
    const answers = [
      await doors.call("/api/sessions", post({ id: "st-bad", targets: { site: given } })),
      await doors.call("/api/sessions/st-there", patch({ targets: { site: given } })),
      await doors.call("/api/runs", post({ objective: "Hi.", targets: { site: given } })),
    ];
    // The kernel reads that it is an object, and the plugin reads the object.
    const status = typeof given === "string" ? 400 : 422;
    expect(answers.map((answer) => answer.status)).toEqual([status, status, 422]);
  });
});

test("publishing there asks, says where, and is seen there only", async () => {
  await doors.say("st-there", create("Launch"));
  const publish = { targets: [{ type: "page", ref: "launch" }], to: "published" };
  const said = await doors.call(
    "/api/sessions/st-there/messages",
    post({ text: `/call set_status ${JSON.stringify(publish)}\n/then\n/say Done.` }),
  );
  expect(said.status).toBe(202);
  const detail = () => doors.json<SessionDetail>(200, "/api/sessions/st-there");
  await expect.poll(async () => (await detail()).pendingApprovals, { timeout: 15_000, interval: 20 }).toBe(1);
  const [asked] = await bodiesOf("st-there", "approval_requested");
  expect(asked?.warnings?.[0]).toBe(
    "On the environment “staging” at /site/~env_staging/, not on the public site",
  );
  const link = await doors.json<{ url: string }>(
    200,
    `/api/cms/preview-link?type=page&id=${asked?.draft?.id ?? ""}`,
  );
  const { pathname, search } = new URL(link.url);
  expect(pathname).toBe("/site/~env_staging/launch");
  expect((await site.fetch(pathname)).status).toBe(404);
  expect((await site.fetch(pathname + search)).status).toBe(200);
  // A token of one environment shows nothing of another.
  expect((await site.fetch(`/site/${search}`)).status).toBe(403);
  const decision = {
    decision: "approve",
    digest: asked?.digest,
    remember: { match: "tool", seconds: 3_600 },
  };
  await doors.json(200, `/api/sessions/st-there/approvals/${asked?.approval ?? ""}`, post(decision));
  await expect.poll(async () => (await detail()).status, { timeout: 15_000, interval: 20 }).toBe("idle");
  expect((await site.fetch("/site/~env_staging/launch")).status).toBe(200);
  expect((await site.fetch("/site/launch")).status).toBe(404);
  // Approval remembered in staging does not cover the public site.
  const again = { targets: [{ type: "entry", ref: "en_winter_routes" }], to: "published" };
  const text = `/call set_status ${JSON.stringify(again)}\n/then\n/say Done.`;
  await doors.json(200, "/api/sessions/st-there", patch({ targets: null }));
  await doors.json(202, "/api/sessions/st-there/messages", post({ text }));
  await expect.poll(async () => (await detail()).pendingApprovals, { timeout: 15_000, interval: 20 }).toBe(1);
  const [first, second] = await bodiesOf("st-there", "approval_requested");
  expect([first?.policy, second?.policy]).toEqual([undefined, undefined]);
  expect((await detail()).policies).toHaveLength(1);
});

describe("for whom it is not", () => {
  const asBob = (body: unknown) => ({ ...post(body), who: "bob" as const });
  const answers = async (target: object) => [
    await refusalOf(await doors.call("/api/sessions", asBob({ targets: { site: target } }))),
    await refusalOf(
      await doors.call("/api/sessions/st-bob", { ...asBob({ targets: { site: target } }), method: "PATCH" }),
    ),
    await refusalOf(
      await doors.call("/api/runs", asBob({ objective: "/say Hi.", targets: { site: target } })),
    ),
  ];

  test("it reads as missing on every door, word for word", async () => {
    await doors.json(201, "/api/sessions", asBob({ id: "st-bob" }));
    const foreign = await answers(STAGING);
    expect(foreign.map(({ status, code }) => [status, code])).toEqual([
      [422, "unknown_target"],
      [422, "unknown_target"],
      [422, "invalid_run"],
    ]);
    expect(foreign).toEqual(await answers(NONE));
    expect(foreign).toEqual(await answers({ ...STAGING, siteId: "site_other" }));
    const pageId = await env.DB.prepare(
      "SELECT id FROM pages WHERE env_id='env_staging' AND slug='home'",
    ).first<string>("id");
    const link = async (query: string) =>
      refusalOf(await doors.call(`/api/cms/preview-link?${query}`, { who: "bob" }));
    const missing = await link("type=page&id=pg_none");
    expect(missing).toMatchObject({ status: 404, code: "not_found" });
    expect(await link("type=site&environment=env_staging")).toEqual(missing);
    expect(await link("type=site&environment=env_none")).toEqual(missing);
    expect(await link("type=site&environment=%27%20OR%201%3D1--")).toEqual(missing);
    expect(await link(`type=page&id=${pageId ?? ""}`)).toEqual(missing);
  });

  test("a session of it starts no run any more, and its live run goes on to be steered", async () => {
    await doors.json(201, "/api/sessions", post({ id: "st-left", targets: { site: STAGING } }));
    await doors.json(
      202,
      "/api/sessions/st-left/messages",
      post({ text: '/call ask_human {"question":"Which?"}\n/then\n/say Done.' }),
    );
    const status = async () => (await doors.json<SessionDetail>(200, "/api/sessions/st-left")).status;
    await expect.poll(status, { timeout: 15_000, interval: 20 }).toBe("waiting");
    await share([]);
    const refused = await doors.call(
      "/api/runs",
      post({ objective: "/say Hi.", targets: { site: STAGING } }),
    );
    expect(await refusalOf(refused)).toMatchObject({ status: 422, code: "invalid_run" });
    const steered = await doors.call("/api/sessions/st-left/steer", post({ text: "Go on." }));
    expect(steered.status).toBe(202);
    const said = await doors.call("/api/sessions/st-left/messages", post({ text: "Hi.", mode: "queue" }));
    expect(await refusalOf(said)).toMatchObject({ status: 422, code: "unknown_target" });
    await share(["alice"]);
  });
});
