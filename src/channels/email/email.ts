import {
  ChannelFault,
  type Channel,
  type ChannelFaultCode,
  type Outgoing,
  type Received,
} from "../channel.ts";
import { parseBlocks, plainRun, safeUrl, type Block } from "../text/blocks.ts";
import { toMailHtml } from "../text/html.ts";
import { firstUnits, toPlain } from "../text/plain.ts";
import { splitBlocks } from "../text/split.ts";
import { textOfBlock } from "../text/blocks.ts";
import { readMail, type IncomingMail, type Mailbox } from "./incoming.ts";
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

export interface EmailOptions extends Mailbox {
  readonly mailer: Mailer;
  /** milliseconds since 1970 */
  readonly now: () => number;
}

export interface EmailChannel extends Channel {
  /** What a mail that arrived says (incoming.ts). Throws ChannelFault. */
  hear(mail: IncomingMail): Promise<Received | null>;
}

const TEXT_CHARS_MAX = 200_000;
const SUBJECT_CHARS_MAX = 78;

/**
 * Mails, in by the worker's `email()` and out by its binding. Cloudflare makes the id of a mail itself, so ours travels in a header
 * of its own, and a mail whose outcome is open is not sent again.
 */
export function createEmail({ mailer, now, ...mailbox }: EmailOptions): EmailChannel {
  return {
    name: "email",
    // Mails come by no request.
    receive: () => Promise.resolve(null),
    hear: (mail) => readMail(mail, mailbox, now),

    async send(message, address, key, signal) {
      const { place } = address;
      if (!/^[^\s@<>(),;:"]{1,64}@[a-z0-9.-]{1,190}$/i.test(place))
        throw new ChannelFault("refused", "A mailbox is name@domain.");
      const reference = referenceOf(message, address.thread);
      const blocks = blocksOf(message);
      const text = toPlain(blocks);
      const mail = {
        ...{ from: mailbox.address, to: place, subject: subjectOf(reference, text) },
        ...{ text, html: toMailHtml(blocks) },
        headers: {
          ...(reference === null ? {} : threadHeaders(reference)),
          "Auto-Submitted": reference === null ? "auto-generated" : "auto-replied",
          "X-Cairn-Delivery": key,
        },
      };
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

/** A program groups by the subject too: that of the thread, or the first line of a new mail. */
function subjectOf(reference: MailReference | null, text: string): string {
  const subject = reference?.subject ?? "";
  if (subject !== "") return /^re:/i.test(subject) ? subject : `Re: ${subject}`;
  const [line = ""] = text.split("\n").filter((each) => each.trim() !== "");
  return firstUnits(line.trim(), SUBJECT_CHARS_MAX);
}

/** A button that decides needs a place that can be pressed: a mail has only those that lead somewhere. */
function blocksOf({ text, link, buttons = [] }: Outgoing): readonly Block[] {
  const links = buttons.flatMap(({ label, url }): readonly Block[] => {
    const safe = url === undefined ? null : safeUrl(url);
    if (safe === null) return [];
    return [
      { kind: "text", runs: [plainRun(`${label}: `), plainRun(safe, safe)], isQuote: false, isTight: false },
    ];
  });
  const max = TEXT_CHARS_MAX;
  const cost = (block: Block): number => textOfBlock(block).length;
  const [part = []] = splitBlocks(parseBlocks(text), { max, partsMax: 1, cost, link: link ?? null });
  return [...part, ...links];
}

async function sendMail(
  mailer: Mailer,
  mail: Parameters<Mailer["send"]>[0],
  signal: AbortSignal,
): Promise<{ readonly messageId: string }> {
  if (signal.aborted) throw new ChannelFault("unavailable", "There was no time left to send the mail.");
  const open = new ChannelFault("unknown", "The mail was not answered for: it may have been sent.");
  let stop: () => void = () => undefined;
  // The binding takes no signal.
  const late = new Promise<never>((_resolve, reject) => {
    stop = () => reject(open);
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
  const said = error instanceof Error ? error.message : "";
  const known = CODES.get(code) ?? (code.startsWith("E_") ? "refused" : null);
  if (known !== null) return new ChannelFault(known, `Cloudflare does not send the mail: ${code}.`);
  // Without a code, as of a binding that names who may be written to.
  if (/^email (?:to|from) \S+ not allowed$/.test(said))
    return new ChannelFault(
      said.startsWith("email to") ? "blocked" : "auth",
      `Cloudflare does not send the mail: ${said}.`,
    );
  return new ChannelFault("unknown", "The mail was not answered for: it may have been sent.");
}
