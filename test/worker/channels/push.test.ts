import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { openChannels } from "../../fixtures/vendors.ts";
import { BROWSERS_MAX, listSubscriptions } from "../../../src/plugins/channels/webpush/subscriptions.ts";
import { post } from "../http/routes-fixture.ts";
import { openApi, type Api, type Person } from "../sessions/session-fixture.ts";
import { subscribedBrowser, vapidPair } from "../../plugins/channels/webpush/browser.ts";

/** Where a person is told by push: their own browsers, no more than a few, and none of anybody else's. */

const vapid = vapidPair();
const VARIABLES = {
  VAPID_PUBLIC_KEY: vapid.publicKey,
  VAPID_PRIVATE_KEY: vapid.privateKey,
  VAPID_SUBJECT: vapid.subject,
};
interface Browser {
  readonly id: string;
  readonly name: string;
}
interface Push {
  readonly publicKey: string | null;
  readonly items: readonly Browser[];
}

let endpoints = 0;
const newSubscription = () =>
  subscribedBrowser(`https://fcm.googleapis.com/fcm/send/${crypto.randomUUID()}-${(endpoints += 1)}`)
    .subscription;

const open = (variables: Record<string, unknown> = VARIABLES): Api =>
  openApi({}, { channels: openChannels({ ...env, ...variables }) });
const subscribe = (api: Api, body: unknown, who: Person = "alice"): Promise<Response> =>
  api.call("/api/push", { ...post(body), who });
const pushOf = (api: Api, who: Person = "alice"): Promise<Push> => api.json<Push>(200, "/api/push", { who });
/** Unsubscribes every browser of a person; every test starts this way. */
async function forgetAll(api: Api, who: Person): Promise<void> {
  for (const { id } of (await pushOf(api, who)).items)
    expect((await api.call(`/api/push/${id}`, { method: "DELETE", who })).status).toBe(204);
}
async function fresh(): Promise<Api> {
  const api = open();
  for (const who of ["alice", "bob", "root"] as const) await forgetAll(api, who);
  return api;
}
const linksOf = async (api: Api, who: Person): Promise<string[]> => {
  const { items } = await api.json<{ items: { channel: string; userId: string }[] }>(200, "/api/links", {
    who,
  });
  return items.filter(({ channel }) => channel === "webpush").map(({ userId }) => userId);
};

describe("push that is not set up", () => {
  test("says what is missing, and what cannot be read, and takes no browser", async () => {
    for (const [variables, missing] of [
      [{}, Object.keys(VARIABLES)],
      [{ ...VARIABLES, VAPID_SUBJECT: "" }, ["VAPID_SUBJECT"]],
      [{ ...VARIABLES, VAPID_PUBLIC_KEY: "abc" }, ["VAPID_PUBLIC_KEY"]],
    ] as const) {
      const api = open(variables);
      const { items } = await api.json<{ items: { name: string }[] }>(200, "/api/channels");
      expect(items.find(({ name }) => name === "webpush")).toEqual({
        name: "webpush",
        configured: false,
        missing,
      });
      expect((await pushOf(api)).publicKey).toBeNull();
      const refused = await subscribe(api, { subscription: newSubscription() });
      expect([refused.status, await refused.text()]).toEqual([
        404,
        expect.stringContaining("GET /api/channels"),
      ]);
    }
  });
});

describe("a browser", () => {
  test("is told once it has subscribed, and listed without its keys", async () => {
    const api = await fresh();
    const subscription = newSubscription();
    const made = await subscribe(api, { subscription, name: " Firefox on Linux " });
    expect(made.status).toBe(201);
    const { publicKey, items } = await pushOf(api);
    expect(publicKey).toBe(vapid.publicKey);
    expect(items.map(({ name }) => name)).toEqual(["Firefox on Linux"]);
    expect(await made.json()).toEqual(items[0]);
    expect(JSON.stringify(items)).not.toContain(subscription.keys.auth);
    expect(JSON.stringify(items)).not.toContain(subscription.endpoint);
    expect(await linksOf(api, "alice")).toEqual(["alice"]);
    expect((await listSubscriptions(env.DB, "alice")).map(({ endpoint }) => endpoint)).toEqual([
      subscription.endpoint,
    ]);
  });

  test("that subscribes again is no second one, and has the newer keys", async () => {
    const api = await fresh();
    const first = newSubscription();
    const { keys } = newSubscription();
    for (const subscription of [first, { ...first, keys }])
      expect((await subscribe(api, { subscription })).status).toBe(201);
    expect((await listSubscriptions(env.DB, "alice")).map(({ auth }) => auth)).toEqual([keys.auth]);
  });

  test("in which somebody else signs in tells them, and nobody before them", async () => {
    const api = await fresh();
    const subscription = newSubscription();
    await subscribe(api, { subscription });
    await subscribe(api, { subscription }, "bob");
    expect([(await pushOf(api)).items.length, (await pushOf(api, "bob")).items.length]).toEqual([0, 1]);
    expect([await linksOf(api, "alice"), await linksOf(api, "bob")]).toEqual([[], ["bob"]]);
  });

  test("is ended by whose it is alone, and the link with the last", async () => {
    const api = await fresh();
    for (const name of ["Phone", "Desk"]) await subscribe(api, { subscription: newSubscription(), name });
    const { items } = await pushOf(api);
    const [one, other] = items.map(({ id }) => id);
    for (const who of ["bob", "root"] as const)
      expect((await api.call(`/api/push/${one}`, { method: "DELETE", who })).status).toBe(404);
    for (const id of ["x", "%27%20OR%201=1", "a".repeat(64)])
      expect((await api.call(`/api/push/${id}`, { method: "DELETE" })).status).toBe(404);
    expect((await pushOf(api)).items).toEqual(items);
    expect((await api.call(`/api/push/${one}`, { method: "DELETE" })).status).toBe(204);
    expect(await linksOf(api, "alice")).toEqual(["alice"]);
    expect((await api.call(`/api/push/${other}`, { method: "DELETE" })).status).toBe(204);
    expect(await linksOf(api, "alice")).toEqual([]);
  });

  test("ends with the link of its person", async () => {
    const api = await fresh();
    for (const name of ["Phone", "Desk"]) await subscribe(api, { subscription: newSubscription(), name });
    expect((await api.call("/api/links/webpush/alice", { method: "DELETE", who: "bob" })).status).toBe(404);
    expect((await api.call("/api/links/webpush/alice", { method: "DELETE" })).status).toBe(204);
    expect(await listSubscriptions(env.DB, "alice")).toEqual([]);
  });
});

describe("an invalid subscription", () => {
  test.each([
    ["http://fcm.googleapis.com/x", 400],
    ["https://127.0.0.1/x", 422],
    ["https://[::1]/x", 422],
    ["https://10.1.2.3/x", 422],
    ["https://169.254.169.254/latest/meta-data", 422],
    ["https://localhost/x", 422],
    ["https://fcm.googleapis.com.evil.example/x", 422],
    ["https://user:pass@fcm.googleapis.com/x", 422],
    ["https://fcm.googleapis.com:8443/x", 422],
    ["file:///etc/passwd", 400],
    ["", 400],
  ])("with %s as the endpoint is refused", async (endpoint, status) => {
    const api = await fresh();
    const refused = await subscribe(api, { subscription: { ...newSubscription(), endpoint } });
    expect([refused.status, await refused.text()]).toEqual([
      status,
      expect.stringContaining(status === 422 ? "unknown_push_service" : "invalid_request"),
    ]);
    expect((await pushOf(api)).items).toEqual([]);
  });

  test("with invalid keys, unknown fields or long names is refused with the place", async () => {
    const api = await fresh();
    const subscription = newSubscription();
    const { keys } = subscription;
    for (const body of [
      {},
      { subscription: {} },
      { subscription: "x" },
      { subscription: { ...subscription, keys: { ...keys, auth: "x" } } },
      { subscription: { ...subscription, keys: { ...keys, p256dh: "x".repeat(87) } } },
      { subscription: { ...subscription, keys: { ...keys, p256dh: `BA${"A".repeat(85)}` } } },
      { subscription, name: "" },
      { subscription, name: "x".repeat(81) },
      { subscription, subject: "bob" },
    ]) {
      const refused = await subscribe(api, body);
      expect([refused.status, JSON.stringify(body)]).toEqual([400, expect.anything()]);
    }
    expect((await pushOf(api)).items).toEqual([]);
  });

  test("beyond the limit is refused: of 1,000 the first few stay, and others keep theirs", async () => {
    const api = await fresh();
    await subscribe(api, { subscription: newSubscription(), name: "Bob's" }, "bob");
    // The point is the same: what is counted are endpoints, and a key takes time to make.
    const { keys } = newSubscription();
    const statuses = new Map<number, number>();
    for (let at = 0; at < 1_000; at += 100)
      for (const { status } of await Promise.all(
        Array.from({ length: 100 }, (_, more) =>
          subscribe(api, { subscription: { endpoint: `https://web.push.apple.com/${at + more}`, keys } }),
        ),
      ))
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
    // Most of them come too fast to be read at all.
    expect([...statuses.keys()].toSorted()).toEqual([201, 409, 429]);
    expect(statuses.get(201)).toBe(BROWSERS_MAX);
    expect(await listSubscriptions(env.DB, "alice")).toHaveLength(BROWSERS_MAX);
    expect(await listSubscriptions(env.DB, "bob")).toHaveLength(1);
  });
});
