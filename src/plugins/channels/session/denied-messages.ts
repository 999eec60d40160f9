import * as z from "zod";
import { ORIGIN, SEND_MESSAGE } from "../../../cairn/core/address.ts";
import type { StoredNote } from "../../../cairn/core/entries/notes.ts";
import type { Entry } from "../../../cairn/core/log/entry.ts";

/** A note for the person about a message that an unattended run may not send; null for any other entry. */
export function deniedMessage(
  session: string,
  entry: Entry,
  entriesOf: (run: string) => readonly Entry[],
): StoredNote | null {
  if (entry.kind !== "call_settled") return null;
  const { tool, skip, call } = entry.body;
  if (tool !== SEND_MESSAGE || skip !== "AUTONOMY_DENY") return null;
  const { to = ORIGIN, text = "" } = messageOf(entriesOf(entry.run ?? ""), call) ?? {};
  return text.trim() === "" ? null : { id: `${session}.${entry.seq}.${entry.at}.note`, to, text };
}

const messageSchema = z.object({ text: z.string().optional(), to: z.string().optional() });

/** The message that a call would have sent; null if the entries do not have it. */
function messageOf(entries: readonly Entry[], call: string): z.output<typeof messageSchema> | null {
  for (const entry of entries) {
    const request =
      entry.kind === "model_replied" ? entry.body.calls.find((one) => one.call === call) : undefined;
    if (request !== undefined) return messageSchema.safeParse(request.input).data ?? null;
  }
  return null;
}
