import * as z from "zod";

/** What the doors of channels and deliveries answer. */
export function channelAnswers() {
  const time = z.iso.datetime();
  const count = z.number().int().min(0);
  return {
    /** what is sent outside: to webhooks, and to people on channels */
    Deliveries: z.object({
      items: z.array(
        z.object({
          id: z.string(),
          /** of a webhook its id; else `place:`, `person:` or `card:` with a name */
          target: z.string(),
          type: z.string(),
          /** held: for the end of quiet hours; noted: for a digest, or told in one; unknown: it may have arrived, and is not sent again */
          state: z.enum(["pending", "held", "noted", "delivered", "failed", "unknown"]),
          tries: count,
          lastStatus: count.nullable(),
          createdAt: time,
          nextAt: time.nullable(),
          endedAt: time.nullable(),
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
    Channels: z.object({
      items: z.array(
        z.object({
          name: z.string(),
          /** it is set up */
          configured: z.boolean(),
          /** names of variables that are missing */
          missing: z.array(z.string()),
        }),
      ),
    }),
    Links: z.object({
      items: z.array(
        z.object({
          channel: z.string(),
          /** the channel's own id of the person */
          userId: z.string(),
          userName: z.string().nullable(),
          linkedAt: time,
        }),
      ),
    }),
    LinkCode: z.object({ code: z.string(), expiresAt: time }),
  };
}
