import { describe, expect, test } from "vitest";
import type { Outgoing } from "../../../../src/plugins/channels/channel.ts";
import type { Subscription } from "../../../../src/plugins/channels/webpush/subscriptions.ts";
import { PUSH_BYTES_MAX } from "../../../../src/plugins/channels/webpush/payload.ts";
import {
  isPoint,
  pushEndpoint,
  subscriptionSchema,
} from "../../../../src/plugins/channels/webpush/subscription.ts";
import { createWebPush } from "../../../../src/plugins/channels/webpush/webpush.ts";
import { faultOf, NOW, patient } from "../channel-fixture.ts";
import { subscribedBrowser, vapidClaims, vapidPair, type ReceivedPush } from "./browser.ts";

const ENDPOINT = "https://fcm.googleapis.com/fcm/send/abc";
const ADA = { channel: "webpush", place: "ada" } as const;
type Answer = (url: string) => Response;

const broken = () => Promise.reject(new Error("D1_ERROR: Network connection lost."));

function withPush({
  reads = (subscriptions: readonly Subscription[]) => Promise.resolve(subscriptions),
  removes = (_id: string): Promise<unknown> => Promise.resolve(),
  endpoints = [ENDPOINT],
  answer = () => new Response(null, { status: 201 }),
  baseUrl = null as string | null,
  vapid = vapidPair(),
}: {
  endpoints?: readonly string[];
  answer?: Answer;
  baseUrl?: string | null;
  vapid?: ReturnType<typeof vapidPair>;
  reads?: (subscriptions: readonly Subscription[]) => Promise<readonly Subscription[]>;
  removes?: (id: string) => Promise<unknown>;
} = {}) {
  const browsers = endpoints.map(subscribedBrowser);
  const kept = new Map<string, Subscription>();
  for (const { subscription } of browsers)
    kept.set(subscription.endpoint, {
      id: subscription.endpoint,
      endpoint: subscription.endpoint,
      ...subscription.keys,
    });
  const posted: (ReceivedPush & { readonly url: string })[] = [];
  const channel = createWebPush({
    vapid,
    services: [],
    baseUrl,
    now: () => NOW,
    subscriptions: (subject) => reads(subject === "ada" ? [...kept.values()] : []),
    remove: async (_, id) => {
      await removes(id);
      kept.delete(id);
    },
    fetch: async (url, init) => {
      const body = Buffer.from(await new Response(init.body).arrayBuffer());
      posted.push({ url, headers: new Headers(init.headers), body });
      return answer(url);
    },
  });
  const [browser] = browsers;
  if (browser === undefined) throw new Error("no browser");
  return { channel, posted, kept, browser, browsers };
}

async function sent(message: Outgoing, key = "key") {
  const doors = withPush();
  const receipt = await doors.channel.send(message, ADA, key, patient());
  const [first] = doors.posted;
  if (first === undefined) throw new Error("nothing was posted");
  return { ...doors, receipt, posted: first, payload: doors.browser.read(first) };
}
const FINAL = { kind: "final", text: "x" } as const;

describe("a push whose person cannot be looked up in D1", () => {
  test("is unavailable: nothing was sent", async () => {
    const { channel, posted } = withPush({ reads: broken });
    expect(await faultOf(channel.send(FINAL, ADA, "k", patient()))).toContain("unavailable: ");
    expect(posted).toEqual([]);
  });

  test("is sent all the same where only a browser that is gone cannot be removed", async () => {
    const { channel } = withPush({
      endpoints: [ENDPOINT, `${ENDPOINT}-gone`],
      answer: (url) => new Response(null, { status: url.endsWith("-gone") ? 410 : 201 }),
      removes: broken,
    });
    expect(await channel.send(FINAL, ADA, "k", patient())).toMatchObject({ parts: 1 });
    const { channel: alone } = withPush({
      answer: () => new Response(null, { status: 410 }),
      removes: broken,
    });
    expect(await faultOf(alone.send(FINAL, ADA, "k", patient()))).toContain("blocked: ");
  });
});

describe("a push", () => {
  test("is read by its browser alone, with what a click opens", async () => {
    const buttons = [
      { label: "Approve", token: "t" },
      { label: "Look", url: "https://cairn.example/a/1" },
    ];
    const text = "**Delete a page**\n\nIt takes **Harbour** away.";
    const { posted, payload, receipt } = await sent({
      kind: "question",
      title: "Delete a page",
      text,
      buttons,
      link: "https://cairn.example/s",
    });
    expect(posted.url).toBe(ENDPOINT);
    expect(payload).toEqual({
      kind: "question",
      title: "Delete a page",
      body: "It takes Harbour away.",
      url: "https://cairn.example/a/1",
      tag: receipt.id,
    });
    expect(posted.headers.get("topic")).toBe(receipt.id);
    expect([posted.headers.get("urgency"), posted.headers.get("ttl")]).toEqual(["high", "43200"]);
    expect(() => subscribedBrowser(ENDPOINT).decrypt(posted)).toThrow("unable to authenticate data");
  });

  test("is signed for its service", async () => {
    const { posted } = await sent(FINAL);
    const claims = vapidClaims(posted);
    expect(claims).toMatchObject({ aud: "https://fcm.googleapis.com", sub: "mailto:ops@cairn.example" });
    expect(Number(claims?.["exp"]) * 1_000 - Date.now()).toBeLessThanOrEqual(24 * 60 * 60_000);
  });

  test("with the same key takes the place of the one before, and with another does not", async () => {
    const tags = await Promise.all(["a", "a", "b"].map(async (key) => (await sent(FINAL, key)).payload.tag));
    expect(tags[0]).toBe(tags[1]);
    expect(tags[0]).not.toBe(tags[2]);
  });

  test("that ends a card takes its place, and says nothing aloud", async () => {
    const { channel, posted, browser } = withPush();
    const receipt = await channel.send({ kind: "question", text: "Shall I?" }, ADA, "k", patient());
    await channel.update?.(receipt, { kind: "progress", text: "Approved by ada" }, ADA, patient());
    const [asked, ended] = posted.map((each) => browser.read(each));
    expect(ended).toMatchObject({ kind: "progress", body: "Approved by ada", tag: asked?.tag });
    expect(posted.map(({ headers }) => headers.get("urgency"))).toEqual(["high", "normal"]);
  });

  test.each([["x".repeat(9_000)], ["é😀".repeat(2_000)], ['"\\\n'.repeat(2_000)]])(
    "of a long text is cut to what services take",
    async (text) => {
      const { payload } = await sent({
        kind: "final",
        title: text.slice(0, 900),
        text: `a ${text}`,
        link: `https://c.example/${"s".repeat(900)}`,
      });
      expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(PUSH_BYTES_MAX);
      expect(payload.body.endsWith("…")).toBe(true);
      expect(payload.body.isWellFormed()).toBe(true);
    },
  );

  test("goes to a stand-in where one is named, signed for the real service", async () => {
    const { channel, posted } = withPush({ baseUrl: "http://127.0.0.1:1234" });
    await channel.send(FINAL, ADA, "k", patient());
    expect(posted.map(({ url }) => url)).toEqual(["http://127.0.0.1:1234/fcm/send/abc"]);
    expect(posted.map((each) => vapidClaims(each)?.["aud"])).toEqual(["https://fcm.googleapis.com"]);
  });

  test("is heard by no request", async () => {
    const request = new Request("http://cairn.example/channels/webpush", { method: "POST" });
    expect(await withPush().channel.receive(request)).toBeNull();
  });
});

describe("several browsers of a person", () => {
  const endpoints = ["phone", "desk"].map((name) => `https://web.push.apple.com/${name}`);
  const where = (name: string, status: number) => ({
    endpoints,
    answer: (url: string) => new Response(null, { status: url.endsWith(name) ? status : 201 }),
  });

  test("are each told, in words of their own keys", async () => {
    const { channel, posted, browsers } = withPush({ endpoints });
    await channel.send(FINAL, ADA, "k", patient());
    expect(posted.map(({ url }) => url).toSorted()).toEqual(endpoints.toSorted());
    const read = posted.map((each) => browsers[endpoints.indexOf(each.url)]?.read(each).body);
    expect(read).toEqual(["x", "x"]);
  });

  test.each([404, 410])("lose the one that its service knows no more (%i)", async (status) => {
    const { channel, kept } = withPush(where("phone", status));
    await channel.send(FINAL, ADA, "k", patient());
    expect([...kept.keys()]).toEqual([endpoints[1]]);
  });

  test.each([500, 429, 403])("are told where one takes it, whatever the other says (%i)", async (status) => {
    const { channel, kept } = withPush(where("desk", status));
    expect((await channel.send(FINAL, ADA, "k", patient())).parts).toBe(1);
    expect(kept.size).toBe(2);
  });

  test("are tried again where none took it and one may yet", async () => {
    const { channel } = withPush({
      endpoints,
      answer: (url) => new Response(null, { status: url.endsWith("desk") ? 503 : 403 }),
    });
    expect(await faultOf(channel.send(FINAL, ADA, "k", patient()))).toBe(
      "unavailable: The push service does not take it (503).",
    );
  });
});

describe("failures", () => {
  test.each([
    [404, {}, "blocked: No browser of theirs takes notifications any more."],
    [410, {}, "blocked: No browser of theirs takes notifications any more."],
    [403, {}, "auth: The push service does not take it (403)."],
    [413, {}, "too_large: The push service does not take it (413)."],
    [429, { "retry-after": "30" }, "rate_limited after 30000: The push service does not take it (429)."],
    [400, {}, "refused: The push service does not take it (400)."],
    [301, { location: "https://evil.example" }, "refused: The push service does not take it (301)."],
    [502, {}, "unavailable: The push service does not take it (502)."],
  ])("%i %j", async (status, headers, fault) => {
    const { channel } = withPush({ answer: () => new Response(null, { status, headers }) });
    expect(await faultOf(channel.send(FINAL, ADA, "k", patient()))).toBe(fault);
  });

  test("a lost connection is tried again: twice is once", async () => {
    const { channel } = withPush({
      answer: () => {
        throw new Error("Network connection lost.");
      },
    });
    expect(await faultOf(channel.send(FINAL, ADA, "k", patient()))).toBe(
      "unavailable: The connection to the push service was lost.",
    );
  });

  test("nobody has subscribed, or nobody any more", async () => {
    const { channel, posted } = withPush();
    const bob = { channel: "webpush", place: "bob" } as const;
    expect(await faultOf(channel.send(FINAL, bob, "k", patient()))).toContain("blocked:");
    await channel.update?.({ id: "t", parts: 1 }, FINAL, bob, patient());
    expect(posted).toEqual([]);
  });

  test("keys of the deployment that are no pair, or of a browser that are none, post nothing", async () => {
    const mixed = { ...vapidPair(), privateKey: vapidPair().privateKey };
    const wrong = withPush({ vapid: mixed });
    expect(await faultOf(wrong.channel.send(FINAL, ADA, "k", patient()))).toBe(
      "auth: VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY are no pair.",
    );
    const broken = withPush();
    for (const [id, one] of broken.kept) broken.kept.set(id, { ...one, p256dh: `BA${"A".repeat(85)}` });
    expect(await faultOf(broken.channel.send(FINAL, ADA, "k", patient()))).toBe(
      "refused: The keys of the subscription cannot be used.",
    );
    expect([...wrong.posted, ...broken.posted]).toEqual([]);
  });

  test("an endpoint that is no push service's is not requested, even where it was kept", async () => {
    const { channel, posted } = withPush({ endpoints: ["https://169.254.169.254/latest"] });
    expect(await faultOf(channel.send(FINAL, ADA, "k", patient()))).toContain("refused:");
    expect(posted).toEqual([]);
  });
});

describe("an endpoint", () => {
  test.each([
    ["https://fcm.googleapis.com/fcm/send/a"],
    ["https://updates.push.services.mozilla.com/wpush/v2/g"],
    ["https://wns2-am3p.notify.windows.com/w/?token=b"],
    ["https://web.push.apple.com/Q"],
  ])("%s is taken", (endpoint) => {
    expect(pushEndpoint(endpoint, [])).toBe(endpoint);
  });

  test.each([
    ["http://fcm.googleapis.com/x"],
    ["https://127.0.0.1/x"],
    ["https://0x7f.1/x"],
    ["https://[::1]/x"],
    ["https://[::ffff:10.0.0.1]/x"],
    ["https://localhost/x"],
    ["https://metadata.google.internal/x"],
    ["https://10.0.0.1/x"],
    ["https://fcm.googleapis.com:8443/x"],
    ["https://fcm.googleapis.com:80/x"],
    ["https://user@fcm.googleapis.com/x"],
    ["https://fcm.googleapis.com@evil.example/x"],
    ["https://fcm.googleapis.com.evil.example/x"],
    ["https://evilfcm.googleapis.com/x"],
    ["https://push.apple.com.evil.example/x"],
    ["https://evil.example/fcm.googleapis.com"],
    ["file:///etc/passwd"],
    ["javascript:alert(1)"],
    ["not an address"],
  ])("%s is refused", (endpoint) => {
    expect(pushEndpoint(endpoint, [])).toBeNull();
  });

  test("of a service that the deployment adds is taken; of a network it is not, whatever is added", () => {
    expect(pushEndpoint("https://push.corp.example/1", ["push.corp.example"])).not.toBeNull();
    expect(pushEndpoint("https://a.push.corp.example/1", ["push.corp.example"])).toBeNull();
    expect(pushEndpoint("https://a.push.corp.example/1", ["*.push.corp.example"])).not.toBeNull();
    expect(pushEndpoint("https://10.0.0.1/1", ["10.0.0.1"])).toBeNull();
    expect(pushEndpoint("https://8.8.8.8/1", ["8.8.8.8"])).toBeNull();
  });
});

test("a subscription is what browsers give, and nothing else", async () => {
  const { subscription } = subscribedBrowser(ENDPOINT);
  const { keys } = subscription;
  expect(subscriptionSchema.safeParse(subscription).success).toBe(true);
  expect(await isPoint(keys.p256dh)).toBe(true);
  expect(await isPoint(`BA${"A".repeat(85)}`)).toBe(false);
  for (const wrong of [
    null,
    {},
    { endpoint: ENDPOINT },
    { endpoint: ENDPOINT, keys: {} },
    { ...subscription, keys: { ...keys, auth: "short" } },
    { ...subscription, keys: { ...keys, p256dh: keys.p256dh.slice(1) } },
    { ...subscription, keys: { ...keys, p256dh: `C${keys.p256dh.slice(1)}` } },
    { ...subscription, keys: { ...keys, p256dh: `${keys.p256dh.slice(0, -1)}!` } },
    { ...subscription, keys: { ...keys, other: "x" } },
    { ...subscription, endpoint: `${ENDPOINT}${"x".repeat(1_000)}` },
    { ...subscription, endpoint: "http://fcm.googleapis.com/x" },
    { ...subscription, more: true },
  ])
    expect(subscriptionSchema.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
});

test.each([
  ["question", "high"],
  ["failure", "high"],
  ["final", "normal"],
  ["progress", "normal"],
  ["ack", "normal"],
] as const)("a %s is as urgent as it has to be: %s", async (kind, urgency) => {
  const { channel, posted } = withPush();
  await channel.send({ kind, text: "The hut is closed." }, ADA, "key", patient());
  expect(posted.map(({ headers }) => headers.get("urgency"))).toEqual([urgency]);
});

test.each([
  [[400, 429], "rate_limited"],
  [[400, 503], "unavailable"],
  [[429, 400], "rate_limited"],
  [[400, 413], "refused"],
])("of several browsers that fail (%j) the failure that may pass is told: %s", async (statuses, code) => {
  const endpoints = ["https://fcm.googleapis.com/fcm/send/a", "https://fcm.googleapis.com/fcm/send/b"];
  const answer: Answer = (url) => new Response(null, { status: statuses[url.endsWith("a") ? 0 : 1] ?? 500 });
  const { channel } = withPush({ endpoints, answer });
  const fault = await faultOf(channel.send({ kind: "final", text: "Done." }, ADA, "key", patient()));
  expect(fault.split(/[: ]/u)[0]).toBe(code);
});

test("the end of a card that a service does not take now is told, so that it is tried again", async () => {
  const { channel } = withPush({ answer: () => new Response(null, { status: 503 }) });
  const update = channel.update?.(
    { id: "t", parts: 1 },
    { kind: "progress", text: "Denied." },
    ADA,
    patient(),
  );
  expect((await faultOf(update ?? Promise.resolve())).split(/[: ]/u)[0]).toBe("unavailable");
});
