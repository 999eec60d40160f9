import { useEffect, useRef } from "react";
import { mutate } from "swr";
import { isInbox, useWaiting, useWaitingCount } from "../approvals/waiting.ts";
import { goTo } from "../route.ts";

/** Notices of the browser when something waits for the person, who asked for them with a switch. */

const KEY = "cairn:notices";
/** A page that nobody sees is not kept fresh by itself. */
const LOOK_MS = 30_000;

export type Notices = "on" | "off" | "forbidden" | "unknown here";

export function noticesNow(): Notices {
  if (!("Notification" in window)) return "unknown here";
  if (Notification.permission === "denied") return "forbidden";
  return localStorage.getItem(KEY) === "on" && Notification.permission === "granted" ? "on" : "off";
}

/** Switches them; the browser asks the person here, and nowhere else. */
export async function switchNotices(on: boolean): Promise<Notices> {
  if (on && "Notification" in window) await Notification.requestPermission();
  localStorage.setItem(KEY, on ? "on" : "off");
  return noticesNow();
}

/** Tells the person of what waits newly while the page is out of sight. */
export function useNotices(): void {
  const isKnown = useWaiting().data !== undefined;
  const count = useWaitingCount();
  const before = useRef<number | null>(null);
  useEffect(() => {
    if (!isKnown) return;
    const isMore = before.current !== null && count > before.current;
    before.current = count;
    if (isMore && document.hidden && noticesNow() === "on") tell(count);
  }, [isKnown, count]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden && noticesNow() === "on") void mutate(isInbox);
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
}

function tell(count: number): void {
  const notice = new Notification("Cairn needs you", {
    body: count === 1 ? "One thing waits for you." : `${count} things wait for you.`,
    icon: "/cairn-192.png",
    // The next one takes its place.
    tag: "cairn-needs-you",
  });
  notice.onclick = () => {
    window.focus();
    goTo({ at: "inbox" });
    notice.close();
  };
}
