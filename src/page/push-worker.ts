import type { PushPayload } from "../plugins/channels/webpush/protocol/push-payload.ts";

/**
 * The page's service worker: it shows pushed messages, and opens their link. It intercepts no request and stores
 * nothing, so an installed page always runs the deployed code, and no private response is cached. It may import types
 * only.
 */

interface Waiting {
  waitUntil(work: Promise<unknown>): void;
}
interface Push extends Waiting {
  readonly data: { json(): unknown } | null;
}
interface Click extends Waiting {
  readonly notification: Notification;
}
interface Tab {
  readonly url: string;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}
/** The service worker's globals that are used: the DOM types have none of them. */
interface PushWorker {
  readonly registration: ServiceWorkerRegistration;
  readonly location: { readonly origin: string };
  readonly clients: {
    matchAll(of: { type: "window"; includeUncontrolled: true }): Promise<readonly Tab[]>;
    openWindow(url: string): Promise<unknown>;
    claim(): Promise<void>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: Waiting) => void): void;
  addEventListener(type: "push", listener: (event: Push) => void): void;
  addEventListener(type: "notificationclick", listener: (event: Click) => void): void;
}
const worker = globalThis as unknown as PushWorker;

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("push", (event) => event.waitUntil(show(payloadOf(event))));
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { url } = event.notification.data as { url: string };
  event.waitUntil(open(url));
});

/** A browser wants something shown for each push, also for one that cannot be read. */
function payloadOf({ data }: Push): PushPayload {
  const unread = { kind: "question", title: "Cairn needs you", body: "", url: null, tag: "cairn" } as const;
  try {
    return { ...unread, ...(data?.json() as Partial<PushPayload> | null) };
  } catch {
    return unread;
  }
}

function show({ kind, title, body, url, tag }: PushPayload): Promise<void> {
  return worker.registration.showNotification(title, {
    body,
    tag,
    icon: "/cairn-192.png",
    badge: "/cairn-192.png",
    data: { url: url ?? (kind === "question" ? "/#/approvals" : "/") },
    // A notice that replaces a card only reports how it ended.
    silent: kind === "ack" || kind === "progress",
    requireInteraction: kind === "question",
  });
}

/** Opens an address of the page in a tab that has the page open; other addresses in a new one. */
async function open(address: string): Promise<void> {
  const { pathname, search, hash } = new URL(address, worker.location.origin);
  // The address is always of this deployment, so that a push cannot lead a person elsewhere.
  const url = new URL(`${pathname}${search}${hash}`, worker.location.origin);
  const isPage = ({ origin, pathname }: URL): boolean =>
    origin === worker.location.origin && pathname === "/";
  const tabs = isPage(url)
    ? await worker.clients.matchAll({ type: "window", includeUncontrolled: true })
    : [];
  const tab = tabs.find((one) => isPage(new URL(one.url)));
  if (tab === undefined) return void (await worker.clients.openWindow(url.href));
  await tab.focus();
  // A tab that no worker controls yet cannot be led.
  if (url.hash !== "") await tab.navigate(url.href).catch(() => worker.clients.openWindow(url.href));
}
