import { useEffect, useRef } from "react";
import { mutate } from "swr";
import { isInbox, useWaiting, useWaitingCount } from "../approvals/waiting.ts";
import { goTo } from "../route.ts";

/** Notices of the browser when something waits for the person, who asked for them with a switch. */

const KEY = "cairn:notices";
/** A hidden page does not refresh by itself. */
const LOOK_MS = 30_000;

export type Notices = "on" | "off" | "forbidden" | "unknown here";

export function noticesNow(): Notices {
  if (!("Notification" in window)) return "unknown here";
  if (Notification.permission === "denied") return "forbidden";
  return localStorage.getItem(KEY) === "on" && Notification.permission === "granted" ? "on" : "off";
}

/**
 * Switches notices on or off; the browser asks the person here, and nowhere else. A first notice confirms that they
 * are on.
 */
export async function switchNotices(on: boolean): Promise<Notices> {
  localStorage.setItem(KEY, "off");
  if (!on || !("Notification" in window)) return noticesNow();
  if ((await Notification.requestPermission()) !== "granted") return noticesNow();
  try {
    showNotice("Notifications are on", "Notifications appear here when you are needed.");
  } catch {
    // Browsers of phones give notices to service workers only.
    return "unknown here";
  }
  localStorage.setItem(KEY, "on");
  return "on";
}

/** Notifies the person of new open items while the page is hidden. */
export function useNotices(): void {
  const isKnown = useWaiting().data !== undefined;
  const count = useWaitingCount();
  const before = useRef<number | null>(null);
  useEffect(() => {
    if (!isKnown) return;
    const isMore = before.current !== null && count > before.current;
    before.current = count;
    if (isMore && document.hidden && noticesNow() === "on")
      showNotice(
        "Cairn needs you",
        count === 1 ? "One thing waits for you." : `${count} things wait for you.`,
      );
  }, [isKnown, count]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden && noticesNow() === "on") void mutate(isInbox);
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
}

/** Throws where this browser gives none to a page. */
function showNotice(title: string, body: string): void {
  // The next one takes its place.
  const notice = new Notification(title, { body, icon: "/cairn-192.png", tag: "cairn-needs-you" });
  notice.onclick = () => {
    window.focus();
    goTo({ at: "inbox" });
    notice.close();
  };
}
