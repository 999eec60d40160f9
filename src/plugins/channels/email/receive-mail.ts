import type { Channel } from "../channel.ts";
import { ChannelFault } from "../channel.ts";
import { readMail, type ParsedMail, type IncomingMail } from "./incoming.ts";
import { isEmail, STRANGERS_MAX } from "./email.ts";
import { isOf } from "./mailbox.ts";
import { shouldSendInstructions } from "../people/links.ts";
import type { DeliveredMail } from "../../../cairn/http/deps.ts";
import type { ChannelDeps } from "../http/deps.ts";
import type { FileStores } from "../http/attachments.ts";
import { receiveEvent, reply, type ReceiveDeps } from "../http/receive-events.ts";

/** Receives mails to the agent. A sender that the receiving server vouches for is handled as on every channel. */

export async function receiveMail(
  deps: ReceiveDeps & Pick<ChannelDeps, "channels">,
  stores: FileStores,
  mail: DeliveredMail,
): Promise<void> {
  const { channels, now, report } = deps;
  const channel = channels.find("email");
  if (!isEmail(channel)) return mail.setReject("Mail is not set up here.");
  const { mailbox } = channel;
  if (!isOf(mailbox, mail.to)) return mail.setReject("There is no such mailbox here.");
  let parsed: ParsedMail | null;
  try {
    parsed = await readMail(mail, mailbox, now);
  } catch (error) {
    if (!(error instanceof ChannelFault)) throw error;
    if (error.code === "too_large") mail.setReject(error.message);
    return report(error, "mail");
  }
  if (parsed === null) return;
  const context = { deps, db: stores.DB, channel, traceId: deps.newId(), stores };
  if (parsed.isVouched) return await receiveEvent(context, parsed.event);
  if (mailbox.authServer === null) return await explain(context, parsed.from, mail);
  // An answer would go to someone who never wrote.
  report(
    new ChannelFault("bad_signature", "The server that received the mail does not vouch for its sender."),
    "mail",
  );
}

const NOBODY_VOUCHES =
  "I work for people who are linked, and cannot link anybody by mail yet: whoever runs this Cairn has to name the server that " +
  "checks who sends (EMAIL_AUTH_SERVER; docs/channels.md of Cairn says how). Until then, speak with me on the page.";

/** Sent once an hour, and only if the envelope sender is the named one. */
async function explain(
  context: Parameters<typeof receiveEvent>[0] & { readonly channel: Channel },
  event: Extract<ParsedMail, { isVouched: false }>["from"],
  { from }: IncomingMail,
): Promise<void> {
  const { db, channel, deps } = context;
  if (from.trim().toLowerCase() !== event.user.id) return;
  if (await shouldSendInstructions(db, channel.name, event.user.id, deps.now(), STRANGERS_MAX))
    await reply(context, event, NOBODY_VOUCHES);
}
