import type { Answer } from "../../wire/api.ts";
import { ask } from "../api.ts";
import { browserName } from "./browser-name.ts";

/** Notifications that come while no page is open: this browser subscribes at its push service, and Cairn is told where. */

export const PUSH = "/api/push";
const WORKER = "/push-worker.js";
/** that this browser is told, for what must know it at once */
const KEY = "cairn:push";
/** A browser without a network asks its service again and again. */
const SUBSCRIBE_MS_MAX = 20_000;

export type PushPlace = "possible" | "forbidden" | "unknown here";

/** Whether this browser can be told at all. Phones of Apple can once the page is on the home screen. */
export function pushPlace(): PushPlace {
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window))
    return "unknown here";
  return Notification.permission === "denied" ? "forbidden" : "possible";
}

export const isPushOn = (): boolean => localStorage.getItem(KEY) === "on";

/** The name by which Cairn lists this browser; null where it has not subscribed. */
export async function ownBrowser(): Promise<string | null> {
  const subscription = await subscribed();
  return subscription === null ? null : await idOf(subscription);
}

/** Asks the person, subscribes, and tells Cairn. Throws where one of the three refuses. */
export async function turnOn(publicKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("Your browser does not allow notifications from this site.");
  await navigator.serviceWorker.register(WORKER);
  const { pushManager } = await navigator.serviceWorker.ready;
  // One of other keys would be told nothing, and stands in the way.
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscription = await subscribe(pushManager, publicKey);
  try {
    const body = { subscription: subscription.toJSON(), name: browserName(navigator.userAgent) };
    await ask<Answer<"PushBrowser">>(PUSH, { method: "POST", body });
  } catch (fault) {
    await subscription.unsubscribe();
    throw fault;
  }
  localStorage.setItem(KEY, "on");
}

async function subscribe(pushManager: PushManager, publicKey: string): Promise<PushSubscription> {
  const asked = pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), SUBSCRIBE_MS_MAX);
  });
  const subscription = await Promise.race([asked, late]).catch((fault: unknown) => {
    const why = fault instanceof Error ? fault.message : String(fault);
    throw new Error(`Your browser could not subscribe: ${why}`);
  });
  clearTimeout(timer);
  if (subscription !== null) return subscription;
  // What comes after all is what nobody waits for any more.
  void asked.then(
    (one) => one.unsubscribe(),
    () => {},
  );
  throw new Error("The push service of your browser does not answer. Is your browser online?");
}

/** This browser is told no more. */
export async function turnOff(): Promise<void> {
  localStorage.removeItem(KEY);
  const subscription = await subscribed();
  if (subscription === null) return;
  const id = await idOf(subscription);
  // Its service forgets it: even where Cairn does not hear of it, nothing arrives here any more.
  await subscription.unsubscribe();
  await ask(`${PUSH}/${id}`, { method: "DELETE" });
}

/** Whoever signs out here is not told here any more; what fails of it must not keep them. */
export async function endPushHere(): Promise<void> {
  if (isPushOn()) await turnOff().catch(() => {});
}

async function subscribed(): Promise<PushSubscription | null> {
  if (pushPlace() === "unknown here") return null;
  const registration = await navigator.serviceWorker.getRegistration("/");
  return (await registration?.pushManager.getSubscription()) ?? null;
}

async function idOf({ endpoint }: PushSubscription): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
