import * as z from "zod";

/** Deliveries of a session: to webhooks, and to people on channels. */
export function deliveriesAnswer() {
  const time = z.iso.datetime();
  const count = z.number().int().min(0);
  return z.object({
    items: z.array(
      z.object({
        id: z.string(),
        /** of a webhook its id; else `place:`, `person:` or `card:` with a name */
        target: z.string(),
        type: z.string(),
        /** number of the log entry that is delivered */
        seq: count.nullable(),
        /** held: for the end of quiet hours; noted: for a digest, or sent in one; unknown: it may have arrived, and is not sent again */
        state: z.enum(["pending", "held", "noted", "delivered", "failed", "unknown"]),
        tries: count,
        lastStatus: count.nullable(),
        createdAt: time,
        nextAt: time.nullable(),
        endedAt: time.nullable(),
      }),
    ),
    nextCursor: z.string().nullable(),
  });
}
