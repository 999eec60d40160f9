import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium, type BrowserContext, type CDPSession, type Page, type Worker } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  startPushService,
  type PushService,
  type TakenPush,
} from "../../../../scripts/channels-demo/push-service.ts";
import { subscribedBrowser, vapidClaims, vapidPair } from "../../../plugins/channels/webpush/browser.ts";
import { useServer } from "../../clients/server.ts";
import { DESK, launchOptions, PHONE, useBrowser, violations } from "../browser.ts";

/**
 * Push, from an approval to a click. Real are the server and its sender, the page, its service worker and the browser that shows
 * the notification. Stand-ins are the push service and, because no browser here reaches one, its subscription: what the
 * sender has encrypted is decrypted by the keys of the subscription, and handed to the service worker by the browser's own tools.
 */

const vapid = vapidPair();
let service: PushService;
beforeAll(async () => {
  service = await startPushService();
});
afterAll(() => service.close());
const pushVariables = (): string[] => [
  `VAPID_PUBLIC_KEY:${vapid.publicKey}`,
  `VAPID_PRIVATE_KEY:${vapid.privateKey}`,
  `VAPID_SUBJECT:${vapid.subject}`,
  `WEBPUSH_BASE_URL:${service.url}`,
];

type Keys = ReturnType<typeof subscribedBrowser>;
let browsers = 0;

/** A browser whose `subscribe` asks nobody outside of this machine. */
async function pushable(context: BrowserContext): Promise<Keys & { readonly place: string }> {
  const place = `/wpush/v2/browser-${(browsers += 1)}`;
  const keys = subscribedBrowser(`https://updates.push.services.mozilla.com${place}`);
  await context.grantPermissions(["notifications"]);
  await context.addInitScript(
    `{
      const json = ${JSON.stringify(keys.subscription)};
      const subscription = {
        ...json,
        toJSON: () => json,
        unsubscribe: async () => { localStorage.removeItem("stand-in"); return true; },
      };
      PushManager.prototype.subscribe = async (options) => {
        const before = JSON.parse(localStorage.getItem("stand-in"));
        if (before !== null && before.applicationServerKey !== options.applicationServerKey)
          throw new DOMException("Subscribed with another key.", "InvalidStateError");
        localStorage.setItem("stand-in", JSON.stringify(options));
        return subscription;
      };
      PushManager.prototype.getSubscription = async () => localStorage.getItem("stand-in") === null ? null : subscription;
    }`,
  );
  return { ...keys, place };
}

const push = (page: Page) => page.getByRole("group", { name: "Push" });
const turned = (page: Page) =>
  push(page).getByRole("switch", { name: "Notify this browser, also while Cairn is closed" });

async function turnOn(page: Page): Promise<void> {
  await turned(page).click();
  await page.getByText("This browser is notified.").waitFor();
}

async function turnOff(page: Page): Promise<void> {
  await turned(page).click();
  await page.getByText("This browser is not notified any more.").waitFor();
  expect(await turned(page).isChecked()).toBe(false);
}

/** Hands a message to the service worker of the page, as the browser does with one that has come. */
async function openDelivery(page: Page): Promise<(data: string) => Promise<void>> {
  const tools: CDPSession = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    tools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [found] = registrations;
      if (found !== undefined) resolve(found.registrationId);
    });
  });
  await tools.send("ServiceWorker.enable");
  const registrationId = await registered;
  const origin = new URL(page.url()).origin;
  return async (data) => {
    await tools.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
  };
}

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly data: { readonly url: string };
  readonly silent: boolean | null;
}
/** Notifications that the browser shows now. */
const shown = (page: Page): Promise<readonly Shown[]> =>
  page.evaluate(`navigator.serviceWorker.getRegistration("/")
    .then((registration) => registration.getNotifications())
    .then((all) => all.map(({ title, body, tag, data, silent }) => ({ title, body, tag, data, silent })))`);

/**
 * Clicks the one that is shown, as the worker hears of it. A real click alone lets a worker open or focus a window, so both are
 * stood in for; which window, and where it is led, is the worker's. Returns what was opened.
 */
const click = (worker: Worker): Promise<readonly string[]> =>
  worker.evaluate(`(async () => {
    const opened = [];
    self.clients.openWindow = async (url) => void opened.push(url);
    WindowClient.prototype.focus = async function () { opened.push("the open tab"); return this; };
    const [notification] = await self.registration.getNotifications();
    const works = [];
    const event = new Event("notificationclick");
    self.dispatchEvent(Object.assign(event, { notification, waitUntil: (work) => works.push(work) }));
    await Promise.all(works);
    return opened;
  })()`);

const posted = async (url: string, body: unknown): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** The next push to a browser after so many. */
async function pushAfter(place: string, before: number): Promise<TakenPush> {
  const of = (): TakenPush | undefined => service.pushes.filter((each) => each.path === place)[before];
  await expect.poll(of, { timeout: 40_000 }).toBeDefined();
  const found = of();
  if (found === undefined) throw new Error("it is there");
  return found;
}

describe("where push is set up, with links to approvals", () => {
  const server = useServer(() => [
    ...pushVariables(),
    "APPROVAL_LINK_SECRET:a-secret-of-thirty-two-bytes-or-more",
    "PUBLIC_URL:https://cairn.example",
  ]);
  const visitors = useBrowser(server, "whole");
  let pages = 0;

  /** A run that waits for a yes to a page's end. */
  async function waiting(session: string): Promise<{ id: string; name: string }> {
    const name = `Pushed${(pages += 1)}`;
    const text = [
      `/call page_create ${JSON.stringify({ name })}`,
      "/then",
      `/call page_delete ${JSON.stringify({ pages: [name.toLowerCase()] })}`,
      "/then",
      "/say Done.",
    ].join("\n");
    await posted(`${server.url}/api/sessions/${session}/messages`, { text });
    const of = async (): Promise<{ id: string; sessionId: string } | undefined> => {
      const { items } = (await (await fetch(`${server.url}/api/approvals`)).json()) as {
        items: { id: string; sessionId: string }[];
      };
      return items.find(({ sessionId }) => sessionId === session);
    };
    await expect.poll(of).toBeDefined();
    return { id: (await of())?.id ?? "", name };
  }

  test.each([
    ["a desk, in the dark", { ...DESK, colorScheme: "dark" as const }],
    ["a phone, in the light", { ...PHONE, colorScheme: "light" as const }],
  ])("a person turns it on and off, and ends it for another browser (%s)", async (_, device) => {
    const context = await visitors.person(device);
    const { place } = await pushable(context);
    const page = await context.newPage();
    await visitors.visit(page, "/#/preferences");
    await turned(page).waitFor();
    expect(await turned(page).isChecked()).toBe(false);
    const other = subscribedBrowser("https://web.push.apple.com/other").subscription;
    const made = await posted(`${server.url}/api/push`, { subscription: other, name: "Safari on iPhone" });
    expect(made.status).toBe(201);
    await turnOn(page);
    expect(JSON.parse(String(await page.evaluate(`localStorage.getItem("stand-in")`)))).toEqual({
      userVisibleOnly: true,
      applicationServerKey: vapid.publicKey,
    });
    await push(page).getByText("Safari on iPhone").waitFor();
    expect(await violations(page)).toEqual([]);
    if (process.env["SHOTS"] !== undefined) {
      await push(page).scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${process.env["SHOTS"]}/push-${device.colorScheme}.png` });
    }
    await visitors.visit(page);
    await expect.poll(() => turned(page).isChecked()).toBe(true);
    await push(page).getByRole("button", { name: "Stop notifying Safari on iPhone" }).click();
    await page.getByText("Safari on iPhone is not notified any more.").waitFor();
    await turnOff(page);
    const { items } = (await (await fetch(`${server.url}/api/push`)).json()) as { items: unknown[] };
    expect(items).toEqual([]);
    expect(service.pushes.filter((each) => each.path === place)).toEqual([]);
  });

  test("an approval comes as a notification that leads to it, and is replaced when it is decided elsewhere", async () => {
    const context = await visitors.person();
    const keys = await pushable(context);
    const page = await context.newPage();
    await visitors.visit(page, "/#/preferences");
    await turnOn(page);
    const deliver = await openDelivery(page);
    const { id, name } = await waiting("ses_pushed");

    const first = await pushAfter(keys.place, 0);
    expect(vapidClaims(first)).toMatchObject({
      aud: "https://updates.push.services.mozilla.com",
      sub: vapid.subject,
    });
    const payload = keys.read(first);
    expect(payload).toMatchObject({
      kind: "question",
      title: `Delete the page “${name}”`,
      url: expect.stringMatching(/^https:\/\/cairn\.example\/a\/[\w.-]+$/) as string,
    });
    await deliver(keys.decrypt(first).toString("utf8"));
    await expect.poll(() => shown(page)).toHaveLength(1);
    expect((await shown(page))[0]).toMatchObject({
      title: payload.title,
      body: payload.body,
      tag: payload.tag,
      data: { url: payload.url },
    });

    const [worker] = context.serviceWorkers();
    if (worker === undefined) throw new Error("no service worker runs");
    const opened = await click(worker);
    // The same deployment under the name by which this browser knows it.
    expect(opened).toEqual([`${server.url}${new URL(payload.url ?? "").pathname}`]);
    expect(await shown(page)).toEqual([]);
    const link = await context.newPage();
    await link.goto(opened[0] ?? "");
    await link.getByRole("heading", { name: payload.title }).waitFor();
    const url = `${server.url}/api/sessions/ses_pushed/approvals/${id}`;
    // Looking decides nothing.
    expect(((await (await fetch(url)).json()) as { state: string }).state).toBe("pending");

    await deliver(keys.decrypt(first).toString("utf8"));
    await expect.poll(() => shown(page)).toHaveLength(1);
    expect((await posted(url, { decision: "approve" })).status).toBe(200);
    const second = keys.decrypt(await pushAfter(keys.place, 1)).toString("utf8");
    await deliver(second);
    await expect
      .poll(async () => (await shown(page)).map(({ tag, body, silent }) => [tag, body, silent]))
      .toEqual([[payload.tag, expect.stringContaining("Approved by"), true]]);
    expect(service.refused).toEqual([]);

    // A browser that its service knows no more is told nothing again.
    service.forget(keys.place);
    await waiting("ses_gone");
    await expect
      .poll(async () => ((await (await fetch(`${server.url}/api/push`)).json()) as { items: [] }).items, {
        timeout: 40_000,
      })
      .toEqual([]);
  });

  test("a push that cannot be read still says that something is there, and leads to what waits", async () => {
    const context = await visitors.person();
    await pushable(context);
    const page = await context.newPage();
    await visitors.visit(page, "/#/preferences");
    await turnOn(page);
    const deliver = await openDelivery(page);
    for (const data of ["", "{", "null", "7"]) await deliver(data);
    await expect
      .poll(async () => (await shown(page)).map(({ title, data }) => [title, data.url]))
      .toEqual([["Cairn needs you", "/#/approvals"]]);
    const [worker] = context.serviceWorkers();
    if (worker === undefined) throw new Error("no service worker runs");
    expect(await click(worker)).toEqual(["the open tab"]);
    await page.waitForURL("**/#/approvals");
    await deliver(
      JSON.stringify({ kind: "final", title: "x", body: "", url: "https://evil.example/", tag: "t" }),
    );
    await expect.poll(() => shown(page)).toHaveLength(1);
    expect(await click(worker)).toEqual(["the open tab"]);
    expect(page.url()).toBe(`${server.url}/#/approvals`);
    await visitors.visit(page, "/#/preferences");
    await turnOff(page);
  });

  test("the page can be installed, and its worker keeps nothing and answers nothing", async () => {
    // Nothing can be installed in a window that forgets, which those of the other tests are.
    const folder = mkdtempSync(path.join(tmpdir(), "cairn-profile-"));
    const context = await chromium.launchPersistentContext(folder, {
      ...launchOptions("whole"),
      baseURL: server.url,
    });
    await pushable(context);
    const page = await context.newPage();
    const served: string[] = [];
    page.on("response", (response) => {
      if (response.fromServiceWorker()) served.push(response.url());
    });
    await visitors.visit(page, "/#/preferences");
    const tools = await context.newCDPSession(page);
    expect((await tools.send("Page.getInstallabilityErrors")).installabilityErrors).toEqual([]);
    const { errors, url } = await tools.send("Page.getAppManifest");
    expect([errors, url]).toEqual([[], `${server.url}/cairn.webmanifest`]);
    await turnOn(page);
    await visitors.visit(page);
    await turned(page).waitFor();
    expect(await page.evaluate("navigator.serviceWorker.controller?.scriptURL")).toBe(
      `${server.url}/push-worker.js`,
    );
    expect(served).toEqual([]);
    expect(await page.evaluate("caches.keys()")).toEqual([]);
    const policy = (await fetch(`${server.url}/push-worker.js`)).headers.get("content-security-policy");
    expect(policy).toContain("worker-src 'self'");
    await turnOff(page);
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("who says no to the browser is told so, and nothing is kept", async () => {
    const context = await visitors.person();
    await pushable(context);
    await context.clearPermissions();
    await context.addInitScript("Notification.requestPermission = async () => 'denied'");
    const page = await context.newPage();
    await visitors.visit(page, "/#/preferences");
    if (await turned(page).isEnabled()) {
      await turned(page).click();
      await push(page).getByRole("alert").getByText("does not allow notifications").waitFor();
    } else await push(page).getByText("blocks notifications from this site").waitFor();
    expect(await turned(page).isChecked()).toBe(false);
    const { items } = (await (await fetch(`${server.url}/api/push`)).json()) as { items: unknown[] };
    expect(items).toEqual([]);
  });
});

describe("where people sign in", () => {
  const TOKEN = "token-of-alice-00000000000000000001";
  const server = useServer(() => [
    ...pushVariables(),
    "ALLOW_ANONYMOUS:false",
    `AUTH_TOKENS:${JSON.stringify({ [TOKEN]: { subject: "alice", scopes: ["read", "send", "approve"] } })}`,
  ]);
  const visitors = useBrowser(server, "whole");

  test("who signs out is not told in that browser any more", async () => {
    const context = await visitors.person();
    await pushable(context);
    const page = await context.newPage();
    await visitors.visit(page, "/#/preferences");
    await page.getByLabel("Your token").fill(TOKEN);
    await page.getByRole("button", { name: "Sign in" }).click();
    // From a time with other keys.
    await page.evaluate(`localStorage.setItem("stand-in", '{"applicationServerKey":"other"}')`);
    await turnOn(page);
    const items = async (): Promise<unknown[]> => {
      const headers = { authorization: `Bearer ${TOKEN}` };
      return ((await (await fetch(`${server.url}/api/push`, { headers })).json()) as { items: unknown[] })
        .items;
    };
    expect(await items()).toHaveLength(1);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Your token").waitFor();
    expect(await items()).toEqual([]);
    expect(await page.evaluate(`localStorage.getItem("stand-in")`)).toBeNull();
  });
});
