import * as z from "zod";
import { parseJson } from "../json.ts";
import { peekToken, readToken, signToken } from "./signed-token.ts";

/**
 * Tickets for one upgrade each. The worker signs them with the credential that asked, so that none
 * outlives it, and reads them without waking anything; the session remembers the names of those that were used.
 */

export const TICKET_MS = 30_000;

const PURPOSE = "cairn-ticket.v1.";

const ticketSchema = z.strictObject({
  /** its name, which works once */
  id: z.string(),
  session: z.string(),
  /** `createdAt` of the session when it was made; null, or absent in tickets of an earlier release: no session had the name */
  sessionAt: z.number().nullish(),
  scopes: z.array(z.enum(["read", "send", "approve", "admin"])),
  /** the `Origin` of the request that asked for it; null when it had none */
  origin: z.string().nullable(),
  /** milliseconds since the epoch */
  expiresAt: z.number(),
  /** name of the credential that asked (config.ts); null for the anonymous of a local host */
  grant: z.string().nullable(),
});
export type Ticket = z.output<typeof ticketSchema>;

export const signTicket = (secret: string, ticket: Ticket): string =>
  signToken(secret, PURPOSE, JSON.stringify(ticket));

/** Parses a ticket; null if the secret of the credential that it names did not sign it. */
export function readTicket(token: string, secretOf: (grant: string | null) => string | null): Ticket | null {
  const claimed = parse(peekToken(token));
  const secret = claimed === null ? null : secretOf(claimed.grant);
  return secret === null ? null : parse(readToken([secret], PURPOSE, token));
}

function parse(text: string | null): Ticket | null {
  return ticketSchema.safeParse(parseJson(text ?? "")).data ?? null;
}
