import type { Answer } from "../../session/api/session-api.ts";
import { given, invalid, refusal, refused } from "./responses.ts";

/** Names in paths and numbers in queries. Pure. */

const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** a client's message, or a run, whose id its answer has */
const MESSAGE_ID = /^[A-Za-z0-9_.~-]{1,160}$/;

export function parseSessionId(id: string | undefined): Answer<string> {
  if (id !== undefined && SESSION_ID.test(id)) return given(id);
  return refused(refusal(400, "invalid_id", "The id of a session is 1 to 64 of A-Z a-z 0-9 _ -."));
}

/** A whole number from `from` to `to`; the default when it is absent. */
export function parseWhole(
  name: string,
  text: string | undefined,
  { from, to, otherwise }: { readonly from: number; readonly to: number; readonly otherwise: number },
): Answer<number> {
  if (text === undefined || text === "") return given(otherwise);
  const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (number >= from && number <= to) return given(number);
  return refused({
    ...invalid(`${name} is a whole number from ${from} to ${to}.`),
    issues: [{ path: name, code: "out_of_range", message: `A whole number from ${from} to ${to}.` }],
  });
}

/** The id of a message that is named in a query; null when absent. */
export function parseMessageId(id: string | undefined): Answer<string | null> {
  if (id === undefined || MESSAGE_ID.test(id)) return given(id ?? null);
  return refused(refusal(400, "invalid_id", "This is not the id of a message."));
}
