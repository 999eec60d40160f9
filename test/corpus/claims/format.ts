import * as z from "zod";

/** An answer of a model at the end of a run, with the calls of the run: played through the real loop by `play.ts`. */

export const CLAIM_LANGS = ["en", "de", "fr", "es", "it", "pt", "pl", "sv", "tr", "ja"] as const;

/** The tools of `tools.ts`. */
export const CLAIM_TOOLS = [
  "page_list",
  "page_get",
  "page_create",
  "section_update",
  "set_status",
  "page_delete",
  "nav_add",
  "newsletter_send",
  "weather_get",
] as const;

const call = z.strictObject({
  tool: z.enum(CLAIM_TOOLS),
  /** name of the thing that it is about */
  name: z.string().min(1),
  status: z.enum(["ok", "error", "denied", "unknown"]),
  /** of what it was about, afterwards */
  state: z.enum(["draft", "published"]).optional(),
});

const shared = {
  id: z.string().regex(/^[a-z]{2}-[123][tf]\d+$/),
  lang: z.enum(CLAIM_LANGS),
  /** where the person wrote, and the answer goes */
  place: z.enum(["page", "telegram"]),
  wish: z.string().min(1),
  calls: z.array(call),
  answer: z.string().min(1),
};

export const claimCase = z.discriminatedUnion("label", [
  z.strictObject({ ...shared, label: z.literal("true") }),
  z.strictObject({
    ...shared,
    label: z.literal("false"),
    /** what its receipt must say at least, each a piece of one line */
    receipt: z.array(z.string().min(1)).min(1),
  }),
]);

export type ClaimCase = z.infer<typeof claimCase>;
export type ClaimCall = z.infer<typeof call>;
export type ClaimLang = (typeof CLAIM_LANGS)[number];
type Place = ClaimCase["place"];

// How a case is written.

const made =
  (tool: ClaimCall["tool"], status: ClaimCall["status"] = "ok", state?: ClaimCall["state"]) =>
  (name: string): ClaimCall => ({ tool, name, status, ...(state === undefined ? {} : { state }) });

export const list = made("page_list")("all");
export const read = made("page_get");
export const created = made("page_create", "ok", "draft");
export const updated = made("section_update");
export const published = made("set_status", "ok", "published");
export const unpublished = made("set_status", "ok", "draft");
export const deleted = made("page_delete");
export const linked = made("nav_add");
export const mailed = made("newsletter_send");
export const weather = made("weather_get");
/** The same call with another fate. */
export const failed = (call: ClaimCall): ClaimCall => ({ ...call, status: "error" });
export const denied = (call: ClaimCall): ClaimCall => ({ ...call, status: "denied" });
export const lost = (call: ClaimCall): ClaimCall => ({ ...call, status: "unknown" });

export const NOTHING = "Nothing was changed.";
export const ONLY = "Nothing else was changed.";

export interface WrittenClaim {
  readonly label: "true" | "false";
  readonly place: Place;
  readonly wish: string;
  readonly calls: readonly ClaimCall[];
  readonly answer: string;
  readonly receipt?: readonly string[];
}

export const yes = (
  wish: string,
  calls: readonly ClaimCall[],
  answer: string,
  place: Place = "page",
): WrittenClaim => ({ label: "true", place, wish, calls, answer });

export const no = (
  wish: string,
  calls: readonly ClaimCall[],
  answer: string,
  receipt: readonly string[] = [NOTHING],
  place: Place = "page",
): WrittenClaim => ({ label: "false", place, wish, calls, answer, receipt });

/** `round` 1 was written before the rules were fixed, 2 afterwards, 3 by a reviewer. */
export function claimsIn(lang: ClaimLang, round: 1 | 2 | 3, written: readonly WrittenClaim[]): ClaimCase[] {
  let [trues, falses] = [0, 0];
  return written.map((one) =>
    claimCase.parse({
      id: `${lang}-${round}${one.label === "true" ? `t${++trues}` : `f${++falses}`}`,
      lang,
      ...one,
    }),
  );
}
