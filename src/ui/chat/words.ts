import type { RunNote } from "./turn.ts";

/** How numbers and ends are told to people. */

const REASONS: Readonly<Record<string, string>> = {
  steps: "all of its steps are used",
  tokens: "its tokens are used",
  cost: "its money is used",
  wall: "its time is used",
  calls: "its tool calls are used",
  stuck: "it went round in circles",
  failed_provider: "the model did not answer",
  failed_auth: "the model's provider did not accept its key",
  model_down: "no model answers",
  failed_internal: "of a fault of the runtime",
  failed_invalid_output: "the model's answers could not be used",
  context: "the conversation does not fit into the model any more",
  denied: "what it needed was denied",
  denied_again: "what it tries is not permitted here",
  expired: "nobody decided in time",
  question_expired: "nobody answered its question in time",
  superseded: "another message took its place",
  skipped: "there was nothing left to do",
};

/** One sentence about a run that ended otherwise than with its answer; null when all is well, or still going. */
export function endSentence({ outcome, reason }: RunNote): string | null {
  if (outcome === undefined || outcome === "answered") return null;
  const why =
    reason == null ? null : (REASONS[reason] ?? REASONS[reason.replace(/^(failed_)?budget[_:]?/, "")]);
  if (outcome === "cancelled") return why == null ? "Stopped." : `Stopped, because ${why}.`;
  const because = why == null ? (reason == null ? "" : ` (${reason})`) : `, because ${why}`;
  return outcome === "partial"
    ? `Answered with what there is${because}.`
    : `It could not be finished${because}.`;
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
