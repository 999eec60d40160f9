import * as z from "zod";
import type { Frozen } from "../../../cairn/protocol/api.ts";
import { notifyAnswer } from "./notify.ts";

/** The answers of the routes of channels, for the OpenAPI document and for the page. */

const time = z.iso.datetime();

const makeAnswers = () => ({
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
        /** their subject in this deployment */
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
    /** addresses that open a chat and send the code there, of the channels that have such */
    open: z.array(z.object({ channel: z.string(), url: z.string() })),
  }),
  Notify: notifyAnswer,
});

let made: ReturnType<typeof makeAnswers> | null = null;

/** Made when first asked for, as those of the kernel. */
export function channelAnswers(): ReturnType<typeof makeAnswers> {
  return (made ??= makeAnswers());
}

export type ChannelAnswerName = keyof ReturnType<typeof makeAnswers>;

/** The answer of a route of channels, as a type. */
export type ChannelAnswer<Name extends ChannelAnswerName> = Frozen<
  z.output<ReturnType<typeof makeAnswers>[Name]>
>;

/** An answer as a route documents it. */
export const channelAnswer = (name: ChannelAnswerName) => ({
  name,
  schema: () => channelAnswers()[name],
});
