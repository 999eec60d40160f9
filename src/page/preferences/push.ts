import type { PushBrowser } from "../../plugins/channels/webpush/protocol/answers.ts";
import { ask } from "../api.ts";
import { browserName } from "./browser-name.ts";

/**
 * Notifications while no page is open: this browser subscribes at its push service, and sends the subscription to
 * Cairn.
 */

export const PUSH = "/api/push";
const WORKER = "/push-worker.js";
/** A browser without a network asks its service again and again. */
const SUBSCRIBE_MS_MAX = 20_000;
const SIGN_OUT_MS_MAX = 3_000;

export type PushSupport = "possible" | "forbidden" | "unknown here";

/** The push support of this browser. Apple's phones support it once the page is on the home screen. */
export function pushSupport(): PushSupport {
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window))
    return "unknown here";
  return Notification.permission === "denied" ? "forbidden" : "possible";
}

/** The name by which Cairn lists this browser; null where it has not subscribed. */
export async function ownBrowser(): Promise<string | null> {
  const subscription = await subscribed();
  return subscription === null ? null : await idOf(subscription);
}

/** Asks the person, subscribes, and registers with Cairn. Throws if one of the three refuses. */
export async function turnOn(publicKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("Your browser does not allow notifications from this site.");
  await navigator.serviceWorker.register(WORKER);
  const { pushManager } = await navigator.serviceWorker.ready;
  const subscription = await subscribe(pushManager, publicKey);
  try {
    const body = { subscription: subscription.toJSON(), name: browserName(navigator.userAgent) };
    await ask<PushBrowser>(PUSH, { method: "POST", body });
  } catch (fault) {
    await subscription.unsubscribe();
    throw fault;
  }
}

async function subscribe(pushManager: PushManager, publicKey: string): Promise<PushSubscription> {
  const wanted = { userVisibleOnly: true, applicationServerKey: publicKey };
  const subscribing = pushManager.subscribe(wanted).catch(async (fault: unknown) => {
    if (!(fault instanceof DOMException && fault.name === "InvalidStateError")) throw fault;
    // A subscription with other keys is in the way: it would receive nothing.
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(wanted);
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), SUBSCRIBE_MS_MAX);
  });
  const subscription = await Promise.race([subscribing, late]).catch((fault: unknown) => {
    const why = fault instanceof Error ? fault.message : String(fault);
    throw new Error(`Your browser could not subscribe: ${why}`);
  });
  clearTimeout(timer);
  if (subscription !== null) return subscription;
  // A subscription that arrives after the timeout is removed again.
  void subscribing.then(
    (one) => one.unsubscribe(),
    () => {},
  );
  throw new Error("The push service of your browser does not answer. Is your browser online?");
}

/** Ends notifications in this browser. */
export async function turnOff(): Promise<void> {
  const subscription = await subscribed();
  if (subscription === null) return;
  const id = await idOf(subscription);
  // The push service drops the subscription: even if Cairn never learns of it, nothing arrives here any more.
  await subscription.unsubscribe();
  await ask(`${PUSH}/${id}`, { method: "DELETE" });
}

/** Ends notifications in this browser at sign-out; a failure must not keep the person from signing out. */
export async function endPushHere(): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, SIGN_OUT_MS_MAX));
  await Promise.race([turnOff(), late]).catch(() => {});
}

async function subscribed(): Promise<PushSubscription | null> {
  if (pushSupport() === "unknown here") return null;
  const registration = await navigator.serviceWorker.getRegistration("/");
  return (await registration?.pushManager.getSubscription()) ?? null;
}

async function idOf({ endpoint }: PushSubscription): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
