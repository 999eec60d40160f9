import { beforeEach, describe, expect, test } from "vitest";
import { mcpServer } from "../../../src/plugins/mcp-client/server.ts";
import { SERVERS_STORED_MAX } from "../../../src/plugins/mcp-client/rows.ts";
import { OBJECT } from "../../fixtures/mcp-handler.ts";
import { openDoors, post, type Doors } from "../http/routes-fixture.ts";
import { emptied, HOST, World } from "./world.ts";

/** `/api/mcp`: servers that are set up over the API, what is shown of them, and a browser that signs in. */

beforeEach(emptied);
const SKY = { url: `${HOST}/mcp`, allow: ["whoami", "gone"], effects: { whoami: "read" } };
const OAUTH = { url: `${HOST}/mcp`, auth: { type: "oauth", for: "person" } };

const put = (doors: Doors, name: string, body: unknown) =>
  doors.call(`/api/mcp/${name}`, { ...post(body), method: "PUT", who: "admin" });
const doorsOf = (world: World, ...open: Parameters<World["open"]>) =>
  openDoors({ PUBLIC_URL: "https://cairn.example" }, { plugins: [world.open(...open).plugin] });
const errorOf = async (response: Response) => {
  const { error } = await response.json<{ error: { code: string; message: string } }>();
  return [response.status, error.code, error.message];
};

describe("a server over the API", () => {
  test("is asked when it is set up, shown with what it lists, replaced and taken away", async () => {
    const world = new World();
    world.wantsToken = false;
    const doors = doorsOf(world);
    const made = await put(doors, "sky", SKY);
    expect([made.status, made.headers.get("location")]).toEqual([201, "/api/mcp/sky"]);
    const shown = {
      name: "sky",
      source: "stored",
      protocol: "2026-07-28",
      problem: null,
      signIn: null,
      updatedBy: "root",
      definition: { ...SKY, auth: "none", tiers: {}, approval: {}, timeoutMs: 60_000 },
      tools: [
        {
          name: "mcp_sky_whoami",
          tool: "whoami",
          title: null,
          description: "",
          effect: "read",
          tier: "external",
          approval: "ask",
        },
      ],
      left: [{ tool: "gone", why: "`allow` names it, and the server does not list it." }],
    };
    expect(await made.json()).toMatchObject(shown);
    expect(await (await doors.call("/api/mcp")).json()).toMatchObject({ items: [shown] });
    world.fake.tools = [{ name: "whoami", title: "Who am I", inputSchema: OBJECT }];
    const again = await put(doors, "sky", { ...SKY, tiers: { whoami: "open" } });
    expect(again.status).toBe(200);
    expect(await again.json()).toMatchObject({
      tools: [{ title: "Who am I", tier: "open", approval: "never" }],
    });
    const gone = await doors.call("/api/mcp/sky", { method: "DELETE", who: "admin" });
    expect(gone.status).toBe(204);
    expect(await errorOf(await doors.call("/api/mcp/sky"))).toEqual([
      404,
      "not_found",
      "There is no such MCP server.",
    ]);
  });

  test("shows what is odd in its list, and so does /healthz", async () => {
    const world = new World();
    world.wantsToken = false;
    world.fake.tools = [
      { name: "whoami", title: null, inputSchema: OBJECT },
      { name: "broken", inputSchema: 7 },
    ];
    const { servers, plugin } = world.open();
    const doors = openDoors(
      {},
      {
        plugins: [plugin],
        pluginProblems: async () =>
          (await servers.problems()).map((problem) => ({ ...problem, remark: true as const })),
      },
    );
    const odd = ["A tool has `title: null`."];
    const why = "Its input schema does not describe an object.";
    const made = await put(doors, "sky", { url: SKY.url });
    expect(await made.json()).toMatchObject({ odd, left: [{ tool: "broken", why }] });
    const health = await doors.call("/healthz", { who: null });
    expect([health.status, await health.json()]).toEqual([
      200,
      expect.objectContaining({
        status: "ok",
        problems: [
          { variable: "MCP server sky", message: `broken: ${why}` },
          { variable: "MCP server sky", message: odd[0] },
        ],
      }),
    ]);
    expect(world.reported).toEqual([]);
  });

  test("that does not answer is stored with its problem", async () => {
    const world = new World();
    world.isGone = true;
    const made = await put(doorsOf(world), "sky", SKY);
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({ problem: "mcp.example.com cannot be reached.", tools: [] });
  });

  test("is refused with what is wrong, and asks nobody then", async () => {
    const world = new World();
    const doors = doorsOf(world, [mcpServer({ name: "docs", url: `${HOST}/mcp` })]);
    const refused = async (name: string, body: unknown) =>
      (await errorOf(await put(doors, name, body))).slice(0, 2);
    expect(await refused("docs", SKY)).toEqual([409, "id_taken"]);
    expect(await refused("My_Server", SKY)).toEqual([400, "invalid_id"]);
    expect(await refused("sky", { ...SKY, alow: [] })).toEqual([400, "unknown_field"]);
    expect(await refused("sky", { ...SKY, url: "mcp.example.com" })).toEqual([400, "invalid_request"]);
    expect(await refused("sky", { ...SKY, effects: { whoami: "keyed" } })).toEqual([400, "invalid_request"]);
    expect(await refused("sky", { ...SKY, auth: "secret:NONE" })).toEqual([422, "invalid_server"]);
    expect(await refused("sky", { ...SKY, auth: { ...OAUTH.auth, grant: "client_credentials" } })).toEqual([
      422,
      "invalid_server",
    ]);
    expect(world.left).toEqual([]);
    world.isGone = true;
    for (let n = 0; n < SERVERS_STORED_MAX; n++) expect((await put(doors, `s${n}`, SKY)).status).toBe(201);
    expect(await refused("more", SKY)).toEqual([409, "too_many_servers"]);
  });

  test("is an admin's to set up, and everybody's to see", async () => {
    const doors = doorsOf(new World());
    const asAlice = await doors.call("/api/mcp/sky", { ...post(SKY), method: "PUT" });
    expect((await errorOf(asAlice)).slice(0, 2)).toEqual([403, "missing_scope"]);
    expect((await doors.call("/api/mcp", { who: "reader" })).status).toBe(200);
  });
});

describe("a browser that signs in", () => {
  test("is sent there and back, and its owner is signed in", async () => {
    const world = new World();
    const doors = doorsOf(world);
    await put(doors, "sky", OAUTH);
    const signedIn = async (who: "alice" | "bob") =>
      (await (await doors.call("/api/mcp/sky", { who })).json<{ signIn: unknown }>()).signIn;
    const path = "/api/mcp/sky/sign-in";
    expect(await signedIn("alice")).toEqual({ for: "person", signedIn: false, path });
    const sent = await doors.call(path);
    expect([sent.status, sent.headers.get("referrer-policy")]).toEqual([302, "no-referrer"]);
    const back = world.signIn(new URL(sent.headers.get("location") ?? ""), "alice");
    // Without a cookie and without a token: the redirect comes from elsewhere.
    const query = new URLSearchParams(back).toString();
    const callback = await doors.call(`/mcp-servers/callback?${query}`, { who: null });
    expect(callback.status).toBe(200);
    expect(callback.headers.get("content-security-policy")).toContain("default-src 'none'");
    const next = callback.headers.get("refresh")?.replace("0;url=", "") ?? "";
    expect(next).toMatch(/^\/api\/mcp\/sky\/signed-in\?state=sky\./);
    expect((await doors.call(next, { who: null })).status).toBe(401);
    expect((await doors.call(next, { who: "bob" })).headers.get("location")).toBe(
      "/mcp-servers/callback?failed=sky",
    );
    const ended = await doors.call(next);
    expect([ended.status, ended.headers.get("location")]).toEqual([303, "/mcp-servers/callback?done=sky"]);
    expect(await signedIn("alice")).toEqual({ for: "person", signedIn: true, path });
    expect(await signedIn("bob")).toEqual({ for: "person", signedIn: false, path });
    const page = await doors.call("/mcp-servers/callback?done=sky", { who: null });
    expect(await page.text()).toContain("You are signed in");
    expect((await doors.call(path, { method: "DELETE" })).status).toBe(204);
    expect(await signedIn("alice")).toEqual({ for: "person", signedIn: false, path });
  });

  test("is told when it did not work, and led nowhere else", async () => {
    const doors = doorsOf(new World());
    const see = async (query: string) => {
      const page = await doors.call(`/mcp-servers/callback?${query}`, { who: null });
      return [page.headers.get("refresh"), (await page.text()).includes("You are not signed in")];
    };
    expect(await see("error=access_denied&state=sky.x")).toEqual([null, true]);
    expect(await see("state=sky.x")).toEqual([null, true]);
    expect(await see("state=https://evil.example&code=1")).toEqual([null, true]);
    expect(await see("failed=<script>")).toEqual([null, true]);
    const [refresh] = await see("state=sky.x%26y&code=a%26b");
    expect(refresh).toBe("0;url=/api/mcp/sky/signed-in?state=sky.x%26y&code=a%26b");
  });

  test("signs in for the deployment as an admin alone, and nowhere where nobody signs in", async () => {
    const world = new World();
    const doors = doorsOf(world);
    await put(doors, "sky", { ...OAUTH, auth: { type: "oauth", for: "deployment" } });
    expect((await errorOf(await doors.call("/api/mcp/sky/sign-in"))).slice(0, 2)).toEqual([
      403,
      "missing_scope",
    ]);
    expect((await doors.call("/api/mcp/sky/sign-in", { who: "admin" })).status).toBe(302);
    world.wantsToken = false;
    await put(doors, "open", { url: `${HOST}/mcp` });
    expect((await errorOf(await doors.call("/api/mcp/open/sign-in"))).slice(0, 2)).toEqual([
      409,
      "no_sign_in",
    ]);
    await put(doors, "dead", { ...OAUTH, url: "https://mcp.example.com/other" });
    expect((await errorOf(await doors.call("/api/mcp/dead/sign-in"))).slice(0, 2)).toEqual([
      409,
      "sign_in_failed",
    ]);
  });
});
