import * as z from "zod";

/** What the doors of channels and deliveries answer. */
export function channelAnswers() {
  const time = z.iso.datetime();
  const count = z.number().int().min(0);
  const browser = z.object({
    /** SHA-256 of its endpoint, in hex */
    id: z.string(),
    name: z.string(),
    since: time,
  });
  return {
    /** what is sent outside: to webhooks, and to people on channels */
    Deliveries: z.object({
      items: z.array(
        z.object({
          id: z.string(),
          /** of a webhook its id; else `place:`, `person:` or `card:` with a name */
          target: z.string(),
          type: z.string(),
          /** of the entry of the log that it tells of */
          seq: count.nullable(),
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
          /** who they are here */
          subject: z.string(),
          /** the grant that made the link has ended, so it does nothing */
          ended: z.boolean(),
          linkedAt: time,
        }),
      ),
    }),
    LinkCode: z.object({
      code: z.string(),
      expiresAt: time,
      /** addresses that open a chat and say the code there, of the channels that have such */
      open: z.array(z.object({ channel: z.string(), url: z.string() })),
    }),
    PushBrowser: browser,
    Push: z.object({
      /** what a browser subscribes with; null where push is not set up */
      publicKey: z.string().nullable(),
      items: z.array(browser),
    }),
  };
}
