import { ChannelFault, type Channel, type ChannelFaultCode, type Outgoing } from "../channel.ts";
import { plainRun, safeUrl, textOfBlock, type Block } from "../text/blocks.ts";
import { blocksOfMessage } from "../text/message-blocks.ts";
import { toMailHtml } from "../text/html.ts";
import { shortened } from "../../../cairn/core/text/cut.ts";
import { toPlain } from "../text/plain.ts";
import { splitBlocks } from "../text/split.ts";
import { isMailbox, type Mailbox } from "./mailbox.ts";
import { readReference, threadHeaders, type MailReference } from "./reference.ts";

/** The binding `send_email` of Cloudflare. */
export interface Mailer {
  send(mail: {
    readonly from: string;
    readonly to: string;
    readonly subject: string;
    readonly text: string;
    readonly html: string;
    readonly headers: Record<string, string>;
  }): Promise<{ readonly messageId: string }>;
}

export interface EmailOptions extends Pick<Mailbox, "address">, Partial<Pick<Mailbox, "authServer">> {
  readonly mailer: Mailer;
}

/** The channel with the mailbox in which mails arrive, which come by no request. */
export interface EmailChannel extends Channel {
  readonly mailbox: Mailbox;
}

export const isEmail = (channel: Channel | null): channel is EmailChannel =>
  channel !== null && "mailbox" in channel;

/** Anybody can write a mail, also in masses: so many of them are answered in an hour. */
export const STRANGERS_MAX = 20;

const TEXT_CHARS_MAX = 200_000;
const SUBJECT_CHARS_MAX = 78;

/**
 * Sends mails by the worker's binding. Cloudflare makes the Message-ID itself, so our ID goes into another header,
 * and a mail with an open outcome is not sent again. Mails are received without a request (incoming.ts).
 */
export function createEmail({ mailer, address: from, authServer = null }: EmailOptions): EmailChannel {
  return {
    name: "email",
    mailbox: { address: from, authServer },
    decidesByLink: true,
    strangersMax: STRANGERS_MAX,
    isPrivate: () => true,
    receive: () => Promise.resolve(null),

    async send(message, { place, thread }, key, signal) {
      if (!isMailbox(place)) throw new ChannelFault("refused", "A mailbox is name@domain.");
      const reference = referenceOf(message, thread);
      const blocks = await blocksOf(message);
      const text = toPlain(blocks);
      const headers = {
        ...(reference === null ? {} : threadHeaders(reference)),
        "Auto-Submitted": reference === null ? "auto-generated" : "auto-replied",
        "X-Cairn-Delivery": key.replace(/[^ -~]/g, "?"),
      };
      const subject = subjectOf(reference, message.title ?? text);
      const mail = { from, to: place, subject, text, html: toMailHtml(blocks), headers };
      const { messageId } = await sendMail(mailer, mail, signal);
      return { id: messageId.startsWith("<") ? messageId : `<${messageId}>`, parts: 1 };
    },
  };
}

function referenceOf({ answers }: Outgoing, thread: string | undefined): MailReference | null {
  const answered = answers === undefined ? null : readReference(answers);
  if (answered === null) return thread === undefined ? null : readReference(thread);
  const isKnown = thread === undefined || thread === answered.id || answered.references.includes(thread);
  return isKnown ? answered : { ...answered, references: [thread, ...answered.references] };
}

/** A program groups by the subject too: that of the thread, or the heading or first line of a new mail. */
function subjectOf(reference: MailReference | null, text: string): string {
  const subject = reference?.subject ?? "";
  if (subject !== "") return /^re:/i.test(subject) ? subject : `Re: ${subject}`;
  const [line = ""] = text.split("\n").filter((each) => each.trim() !== "");
  return shortened(line.trim(), SUBJECT_CHARS_MAX);
}

/** A button that decides needs a place that can be pressed: a mail has only those that lead somewhere. */
async function blocksOf(message: Outgoing): Promise<readonly Block[]> {
  const { link, buttons = [] } = message;
  const links = buttons.flatMap(({ label, url }): readonly Block[] => {
    const safe = url === undefined ? null : safeUrl(url);
    if (safe === null) return [];
    return [
      { kind: "text", runs: [plainRun(`${label}: `), plainRun(safe, safe)], isQuote: false, isTight: false },
    ];
  });
  const max = TEXT_CHARS_MAX;
  const cost = (block: Block): number => textOfBlock(block).length;
  const blocks = await blocksOfMessage(message);
  const [part = []] = splitBlocks(blocks, { max, partsMax: 1, cost, link: link ?? null });
  return [...part, ...links];
}

async function sendMail(
  mailer: Mailer,
  mail: Parameters<Mailer["send"]>[0],
  signal: AbortSignal,
): Promise<{ readonly messageId: string }> {
  if (signal.aborted) throw new ChannelFault("unavailable", "There was no time left to send the mail.");
  let stop: () => void = () => undefined;
  // The binding takes no signal.
  const late = new Promise<never>((_resolve, reject) => {
    stop = () => reject(lost());
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([mailer.send(mail), late]);
  } catch (error) {
    if (error instanceof ChannelFault) throw error;
    throw faultOf(error);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const lost = (): ChannelFault =>
  new ChannelFault("unknown", "The mail was not answered for: it may have been sent.");

/** https://developers.cloudflare.com/email-service/api/send-emails/workers-api/#error-codes */
const CODES: ReadonlyMap<string, ChannelFaultCode> = new Map([
  ["E_SENDER_NOT_VERIFIED", "auth"],
  ["E_SENDER_DOMAIN_NOT_AVAILABLE", "auth"],
  ["E_RECIPIENT_NOT_ALLOWED", "blocked"],
  ["E_RECIPIENT_SUPPRESSED", "blocked"],
  ["E_RATE_LIMIT_EXCEEDED", "rate_limited"],
  ["E_DAILY_LIMIT_EXCEEDED", "rate_limited"],
  ["E_DELIVERY_FAILED", "refused"],
  ["E_INTERNAL_SERVER_ERROR", "unknown"],
]);

function faultOf(error: unknown): ChannelFault {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : "";
  const known = CODES.get(code) ?? (code.startsWith("E_") ? "refused" : null);
  if (known !== null) return new ChannelFault(known, `Cloudflare does not send the mail: ${code}.`);
  // Without a code, as of a binding that names who may be written to.
  if (/^email (?:to|from) \S+ not allowed$/.test(message))
    return new ChannelFault(
      message.startsWith("email to") ? "blocked" : "auth",
      `Cloudflare does not send the mail: ${message}.`,
    );
  if (message === "destination address is not a verified address")
    return new ChannelFault("blocked", `Cloudflare does not send the mail: ${message}.`);
  return lost();
}
