import { HEARTBEAT_MARK } from "../../cairn/core/heartbeat.ts";
import type { RunSource } from "../../cairn/core/log/entry.ts";
import type { RunView } from "../../cairn/protocol/views.ts";
import { oneLine } from "../parts/one-line.ts";

/** Texts about the live run and the queue behind it. */

const FROM: Readonly<Record<RunSource, string>> = {
  web: "message",
  api: "message",
  webhook: "another program",
  schedule: "schedule",
  capsule: "work on its own",
  heartbeat: "check-in",
};

/** Why the next one is the next one. */
export const ORDER_WORDS =
  "People first, then API calls, then scheduled and autonomous work, then check-ins; oldest first.";

export const fromWords = (source: RunSource): string => FROM[source];

const TEXT_CHARS = 200;

/** A message without an author is not shown as a person's. */
export const requestText = (text: string): string =>
  text.startsWith(HEARTBEAT_MARK)
    ? "Looks whether something here needs doing"
    : oneLine(text, TEXT_CHARS) || "(no text)";

/** The current activity of the live run. */
export function nowWords({
  status,
  waitingFor,
}: Pick<RunView, "status" | "waitingFor">):
  | "running"
  | "waits for your decision"
  | "waits for your answer"
  | "waits for the page with its tool" {
  if (status !== "paused") return "running";
  if (waitingFor?.kind === "client") return "waits for the page with its tool";
  return waitingFor?.kind === "approval" ? "waits for your decision" : "waits for your answer";
}
