import * as z from "zod";
import { receiptSchema } from "../../cairn/protocol/receipt.ts";
import { oneLine } from "./screen/ansi.ts";
import { receiptOnScreen } from "./screen/view.ts";
import type { SessionRequest } from "./session-request.ts";

/** The last turns of a session, for a person who returns to it. */

const MESSAGES = 6;
const TURN_CHARS_MAX = 600;

const messages = z.array(
  z.object({
    id: z.string(),
    role: z.string(),
    metadata: z.object({ receipt: receiptSchema.nullish() }).nullish().catch(null),
    parts: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  }),
);

/** The turns as lines; null if there are none. The live run is shown separately. Never throws. */
export async function pastTurns(request: SessionRequest, runAtWork: string | null): Promise<string | null> {
  const answer = await request("GET", `/messages?limit=${MESSAGES}`);
  if (!answer.ok) return null;
  const turns = (messages.safeParse(answer.body).data ?? []).flatMap(({ id, role, metadata, parts }) => {
    const texts = parts.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
    // The last text of an answer is the answer.
    const text = role === "user" ? texts.join(" ") : (texts.at(-1) ?? "");
    if (id === runAtWork || text.trim() === "") return [];
    const receipt = metadata?.receipt?.lines ?? [];
    return [
      ...(receipt.length === 0 ? [] : [receiptOnScreen(receipt)]),
      `${role === "user" ? "you>" : "    "} ${oneLine(text, TURN_CHARS_MAX)}`,
    ];
  });
  return turns.length === 0 ? null : ["Latest messages:", ...turns].join("\n");
}
