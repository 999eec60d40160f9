import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { makeSite } from "../cms/fixture.ts";
import { openApi } from "../sessions/session-fixture.ts";
import {
  deployment,
  exchange,
  open,
  queryOf,
  register,
  TOKEN,
  toolsOf,
  VERIFIER,
  WHOLE,
} from "./oauth-client.ts";

/** Requests of strangers to the authorization server: none redirects, costs or fills it without bound. */

beforeAll(makeSite);
beforeEach(() => env.DB.exec("DELETE FROM oauth_records"));

describe("a request that is wrong", () => {
  test("leads nobody on by itself, and tells who is not signed in nothing", async () => {
    const api = deployment(WHOLE);
    const { client_id: client } = await (await register(api)).json<{ client_id: string }>();
    const path = `/oauth/authorize?${queryOf(client, { code_challenge_method: "plain" })}`;
    const stranger = await api.call(path, { who: null });
    expect([stranger.status, stranger.headers.get("location")]).toEqual([200, null]);
    expect(await stranger.text()).not.toContain("assistant.example/callback?");
    const known = await api.call(path, { who: null, headers: { authorization: `Bearer ${TOKEN}` } });
    expect([known.status, known.headers.get("location")]).toEqual([400, null]);
    const html = await known.text();
    expect(html).toContain("Back to <b>assistant.example</b>");
    expect(html).toMatch(/<a href="https:\/\/assistant\.example\/callback\?[^"]*error=invalid_request/);
  });

  test("is one of a client that is named by an address, where none is fetched", async () => {
    const api = deployment(WHOLE);
    const query = queryOf("https://strange.example/client.json");
    const asked = await api.call(`/oauth/authorize?${query}`, {
      who: null,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect([asked.status, await asked.text()]).toEqual([400, expect.stringContaining("Invalid client_id")]);
    const fields = { grant_type: "authorization_code", code: "a:b:c", code_verifier: VERIFIER };
    const got = await exchange(api, "https://strange.example/client.json", fields);
    expect([got.status, await got.json()]).toEqual([
      401,
      expect.objectContaining({ error: "invalid_client" }),
    ]);
    const described = await api.call("/.well-known/oauth-authorization-server", { who: null });
    expect(await described.json()).not.toHaveProperty("client_id_metadata_document_supported", true);
  });

  test("is one of a client that went between the page and the yes", async () => {
    const api = deployment(WHOLE);
    const { client, post } = await open(api);
    await env.DB.prepare("DELETE FROM oauth_records WHERE key = ?").bind(`client:${client}`).run();
    const allowed = await post(["read"]);
    expect([allowed.status, await allowed.text()]).toEqual([
      400,
      expect.stringContaining("Who asks is not registered here any more."),
    ]);
    // Nothing came of the form, so it was not used up.
    expect(await (await post(["read"])).text()).not.toContain("You have already answered this");
  });

  test("with a token that looks issued is looked up no more once its address has sent too many", async () => {
    const api = openApi({ LIMITS: { authFailuresPerMinute: 2 } });
    const guess = async () => (await toolsOf(api, "616461:abcdefghijklmnop:qrstuvwxyz"))[0];
    const prepare = vi.spyOn(env.DB, "prepare");
    try {
      expect([await guess(), await guess()]).toEqual([401, 401]);
      const looked = prepare.mock.calls.length;
      expect(looked).toBeGreaterThan(0);
      expect(await guess()).toBe(429);
      expect(prepare.mock.calls.length).toBe(looked);
    } finally {
      prepare.mockRestore();
    }
  });
});

describe("an address for the answer", () => {
  const known = { who: null, headers: { authorization: `Bearer ${TOKEN}` } };

  test.each([
    ["javascript:alert(1)", "uses the scheme javascript"],
    ["myapp:/cb", "uses the scheme myapp"],
    ["http://evil.example/cb", "uses http"],
  ])(
    "such as %s is refused with the reason, at the registration and at the page",
    async (address, reason) => {
      const api = deployment(WHOLE);
      const alone = await register(api, { redirect_uris: [address] });
      expect([alone.status, await alone.json()]).toEqual([
        400,
        { error: "invalid_redirect_uri", error_description: expect.stringContaining(reason) },
      ]);
      const { client_id: client } = await (await register(api)).json<{ client_id: string }>();
      const asked = await api.call(`/oauth/authorize?${queryOf(client, { redirect_uri: address })}`, known);
      expect([asked.status, asked.headers.get("location")]).toEqual([400, null]);
      const html = await asked.text();
      expect(html).toContain(reason);
      expect(html).not.toMatch(/<a |http-equiv/);
    },
  );

  test("that stands in a registration with a good one is not gone to", async () => {
    const api = deployment(WHOLE);
    const answer = await register(api, { redirect_uris: ["https://assistant.example/cb", "ms-msdt:/id"] });
    const { client_id: client } = await answer.json<{ client_id: string }>();
    const asked = await api.call(
      `/oauth/authorize?${queryOf(client, { redirect_uri: "ms-msdt:/id" })}`,
      known,
    );
    expect([asked.status, await asked.text()]).toEqual([
      400,
      expect.stringContaining("uses the scheme ms-msdt"),
    ]);
  });

  test("that was not registered is named as that", async () => {
    const api = deployment(WHOLE);
    const { client_id: client } = await (
      await register(api, { redirect_uris: ["http://localhost:1/cb"] })
    ).json<{ client_id: string }>();
    for (const address of ["http://127.0.0.1:1/cb", "http://localhost:1/other", "https://localhost:1/cb"]) {
      const asked = await api.call(`/oauth/authorize?${queryOf(client, { redirect_uri: address })}`, known);
      expect([asked.status, await asked.text()]).toEqual([
        400,
        expect.stringContaining("not one that this assistant has registered"),
      ]);
    }
  });
});

describe("registration", () => {
  test("takes no address that a script or a stranger's page could be", async () => {
    const api = deployment(WHOLE);
    expect((await register(api, { redirect_uris: ["javascript:alert(1)"] })).status).toBe(400);
    expect((await register(api, { redirect_uris: ["http://evil.example/"] })).status).toBe(400);
    const large = await register(api, { client_name: "x".repeat(70_000) });
    expect(large.status).toBe(413);
  });

  test("counts what each address asks, and no other address with it", async () => {
    const api = openApi({ LIMITS: { requestsPerMinute: 2 } });
    const ask = async (address: string, path = "/oauth/register") =>
      (
        await api.call(path, {
          method: "POST",
          who: null,
          headers: { "content-type": "application/json", "cf-connecting-ip": address },
          body: "{}",
        })
      ).status;
    const statuses = [await ask("10.0.0.1"), await ask("10.0.0.1"), await ask("10.0.0.1", "/oauth/token")];
    expect(statuses).toEqual([400, 400, 429]);
    expect(await ask("10.0.0.2")).toBe(400);
  });

  test("has an end: the oldest that nobody has allowed goes, and none that somebody has", async () => {
    const api = deployment(WHOLE);
    const insert = env.DB.prepare(
      "INSERT INTO oauth_records(key, value, expires_at) SELECT 'client:c' || value, '{}', ? + value FROM json_each(?)",
    );
    const numbers = Array.from({ length: 1_000 }, (_, at) => at);
    await insert.bind(4_000_000_000, JSON.stringify(numbers)).run();
    const grant = env.DB.prepare(
      "INSERT INTO oauth_records(key, value) SELECT 'grant:a:' || value, json_object('clientId', 'c' || value) FROM json_each(?)",
    );
    await grant.bind("[0]").run();
    const clients = async () => {
      const found = await env.DB.prepare(
        "SELECT key FROM oauth_records WHERE key IN ('client:c0', 'client:c1', 'client:c2') ORDER BY key",
      ).all<{ key: string }>();
      return found.results.map(({ key }) => key);
    };
    expect((await register(api)).status).toBe(201);
    expect(await clients()).toEqual(["client:c0", "client:c2"]);
    const { results } = await env.DB.prepare("SELECT key FROM oauth_records WHERE key LIKE 'client:%'").all();
    expect(results).toHaveLength(1_000);
    await env.DB.exec(
      "INSERT OR REPLACE INTO oauth_records(key, value) SELECT 'grant:a:' || key, json_object('clientId', substr(key, 8)) FROM oauth_records WHERE key LIKE 'client:%'",
    );
    expect((await register(api)).status).toBe(429);
    await env.DB.exec("UPDATE oauth_records SET expires_at = 1");
    expect((await register(api)).status).toBe(201);
  });
});
