import type { Receipt } from "../../core/log/receipt.ts";
import type { RunNote } from "./turn.ts";

/** How numbers and ends are told to people. */

/** By what stands before the colon of a reason; the trace tells the rest. */
const CAUSES: Readonly<Record<string, string>> = {
  cleared: "the conversation was cleared",
  superseded: "another message took its place",
  provider: "the model did not answer",
  review: "its answers were sent back too often",
  stopWhen: "a rule of its agent says so",
  deadline: "its time has passed",
  stuck: "it kept repeating itself",
  invalid_output: "the model's replies could not be used",
  context: "the conversation does not fit into the model any more",
  denied_again: "what it tries is not permitted here",
  question_expired: "nobody answered its question in time",
  approval_expired: "nobody decided in time",
  recovery_exhausted: "it was interrupted too often",
  guard_error: "checks of the runtime failed too often",
};

/** Of a reason that begins with `budget:`. */
const SPENT: Readonly<Record<string, string>> = {
  steps: "all of its steps are used",
  tokens: "its tokens are used",
  cost: "its cost limit is used",
  wall: "its time is used",
  calls: "its tool calls are used",
  day: "what may be used in a day is used",
};

function causeOf(reason: string | null | undefined): string {
  const [family = "", rest = ""] = (reason ?? "").split(":");
  const cause = family === "budget" ? (SPENT[rest] ?? "its limits are used up") : CAUSES[family];
  return cause === undefined ? "" : `, because ${cause}`;
}

/** One sentence about a run that ended otherwise than with its answer; null when all is well, or still going. */
export function endSentence({ outcome, reason }: RunNote): string | null {
  const because = causeOf(reason);
  if (outcome === "cancelled") return `Stopped${because}.`;
  if (outcome === "partial") return `Answered with what there is${because}.`;
  return outcome === "failed" ? `It could not be finished${because}.` : null;
}

/** What is read out of a receipt: how much was changed, has failed and is unknown. */
export function receiptGist({ changed, failed, unknown }: Receipt): string {
  const nothing = changed.length + unknown.length === 0;
  const counts = [
    changed.length > 0 ? `${changed.length} changed` : nothing ? "Nothing was changed" : "",
    failed.length > 0 ? `${failed.length} failed` : "",
    unknown.length > 0 ? `of ${unknown.length} it is not known whether it happened` : "",
  ];
  const said = counts.filter((count) => count !== "").join(", ");
  return `${said.slice(0, 1).toUpperCase()}${said.slice(1)}.`;
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** `8.1K tokens` */
export const tokensText = (count: number): string => `${compact.format(count)} tokens`;

/** `$0.0123`, `$1.20`; nothing for nothing. */
export function costText(usd: number | null): string | null {
  if (usd === null || usd === 0) return null;
  return `$${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}

const GIST_CHARS = 90;

/** The input of a call in one short line: its values, without the names that its title implies. */
export function gist(input: unknown): string {
  if (input === undefined || input === null) return "";
  const text = typeof input === "string" ? input : values(input).join(" · ");
  return text.length > GIST_CHARS ? `${text.slice(0, GIST_CHARS - 1)}…` : text;
}

function values(input: unknown): string[] {
  if (Array.isArray(input)) return input.slice(0, 4).flatMap(values);
  if (typeof input === "object" && input !== null) return Object.values(input).slice(0, 6).flatMap(values);
  if (typeof input === "number") return [String(input)];
  return typeof input === "string" && input !== "" ? [input] : [];
}
