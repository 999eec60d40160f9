import type { Email } from "postal-mime";
import { loadPostalMime } from "../../../build/modules/mail.ts";
import { digestOfBytes } from "../../wire/webhooks/signatures.ts";
import { ChannelFault, type IncomingFile, type Received } from "../channel.ts";
import { fileName, parseCommand, readStream } from "../request.ts";
import { partQuotes, textOfHtml } from "./quotes.ts";
import { writeReference } from "./reference.ts";
import { isAuthentic } from "./trust.ts";

/** A mail as the platform hands it over (`ForwardableEmailMessage`): the envelope, and the whole of it as it came. */
export interface IncomingMail {
  readonly from: string;
  readonly to: string;
  readonly raw: ReadableStream<Uint8Array>;
  readonly rawSize: number;
}

export interface Mailbox {
  /** where mails to the agent arrive, and from where it writes */
  readonly address: string;
  /** who receives for it, as its `Authentication-Results` name it; null where nobody has said so: no sender is believed */
  readonly authServer: string | null;
}

/** of one mail, with all that is attached */
export const MAIL_BYTES_MAX = 10 * 1_048_576;
const ID_CHARS_MAX = 250;

/**
 * What a mail says; null for one that a machine sent. Throws ChannelFault: `bad_signature` where the receiving server does not
 * vouch for the sender, so that nobody is answered who never wrote; `too_large`, `malformed`.
 */
export async function readMail(
  mail: IncomingMail,
  mailbox: Mailbox,
  now: () => number,
): Promise<Received | null> {
  const tooLarge = new ChannelFault("too_large", `A mail may have ${MAIL_BYTES_MAX} bytes.`);
  if (mail.rawSize > MAIL_BYTES_MAX) throw tooLarge;
  const bytes = await readStream(mail.raw, MAIL_BYTES_MAX);
  if (bytes === null) throw tooLarge;
  const parsed = await parseMail(bytes);
  if (isAutomatic(parsed, mail)) return null;
  const sender = senderOf(parsed);
  if (sender.address === mailbox.address.toLowerCase()) return null;
  const domain = sender.address.slice(sender.address.lastIndexOf("@") + 1);
  if (!isAuthentic(parsed.headers, domain, mailbox.authServer))
    throw new ChannelFault(
      "bad_signature",
      "The server that received the mail does not vouch for its sender.",
    );

  const id = idOf(parsed.messageId) ?? `sha256:${await digestOfBytes(bytes)}`;
  const references = idsOf(parsed.references);
  const parent = idsOf(parsed.inReplyTo)[0] ?? null;
  const at = Date.parse(parsed.date ?? "");
  const heard = {
    // A stranger who knows the id of another's mail cannot take its place.
    ...{ deliveryId: `${sender.address} ${id}`, user: { id: sender.address, name: sender.name } },
    address: { channel: "email" as const, place: sender.address, thread: references[0] ?? parent ?? id },
    ...{ isGroup: false, at: Number.isNaN(at) ? now() : at },
  };
  const { own, foreign } = wordsOf(parsed);
  const [line = "", ...rest] = own.split("\n");
  const command = parseCommand(line);
  // What comes below a command is a signature.
  if (command !== null && command.bot === null && rest.every((each) => !each.startsWith("/")))
    return { ...heard, kind: "command", command: command.name, args: command.args };
  const files = parsed.attachments.flatMap(fileOf);
  if (own === "" && foreign === null && files.length === 0) return null;
  return {
    ...heard,
    ...{ kind: "message", text: own, foreign, files, isForUs: true, isEdit: false, answers: parent },
    id: writeReference({ id, references, subject: parsed.subject ?? "" }),
  };
}

async function parseMail(bytes: Uint8Array): Promise<Email> {
  const PostalMime = await loadPostalMime();
  try {
    // A mail that is attached to another holds the words of others: it stays a file.
    return await PostalMime.parse(bytes, { forceRfc822Attachments: true });
  } catch {
    throw new ChannelFault("malformed", "The mail cannot be read.");
  }
}

/** The one mailbox in `From`: what has none, or several, is from nobody. */
function senderOf({ from, headers }: Email): { address: string; name: string | null } {
  const heads = headers.filter(({ key }) => key === "from");
  const address = from?.address?.trim().toLowerCase() ?? "";
  if (heads.length !== 1 || (heads[0]?.value.match(/@/g) ?? []).length < 1)
    throw new ChannelFault("malformed", "The mail names no sender, or several.");
  if (!/^[^\s@<>(),;:"]{1,64}@[a-z0-9.-]{1,190}$/.test(address) || isListOfSeveral(heads[0]?.value ?? ""))
    throw new ChannelFault("malformed", "The mail names no sender, or several.");
  return { address, name: from?.name?.trim() === "" ? null : (from?.name?.trim() ?? null) };
}

/** A comma outside of quotes, or a second address in brackets. */
const isListOfSeveral = (value: string): boolean => {
  const bare = value.replace(/"(?:[^"\\]|\\.)*"/g, "");
  return bare.includes(",") || (bare.match(/</g) ?? []).length > 1 || bare.includes(":");
};

/** RFC 3834, and what mail programs do instead. */
function isAutomatic({ headers }: Email, { from }: IncomingMail): boolean {
  const value = (name: string): string =>
    headers
      .find(({ key }) => key === name)
      ?.value.trim()
      .toLowerCase() ?? "";
  const submitted = value("auto-submitted");
  return (
    (submitted !== "" && submitted !== "no") ||
    /^(?:bulk|junk|list|auto_reply)$/.test(value("precedence")) ||
    ["list-id", "x-autoreply", "x-autorespond"].some((name) => value(name) !== "") ||
    from === "" ||
    /^(?:<>|mailer-daemon@|postmaster@)/i.test(from)
  );
}

/** The subject of a new mail is a part of what is said; that of an answer is what was said before. */
function wordsOf({ text, html, subject = "" }: Email): { own: string; foreign: string | null } {
  const { own, foreign } = partQuotes(text ?? (html === undefined ? "" : textOfHtml(html)));
  const isNew = !/^\s*(?:re|aw|fwd?|wg|sv|vs|antw|tr|rv|rif|odp)\s*(?:\[\d+\])?:/i.test(subject);
  const title = subject.replace(/\s+/g, " ").trim();
  if (!isNew || title === "" || own.startsWith("/") || foreign !== null) return { own, foreign };
  return { own: own === "" ? title : `${title}\n\n${own}`, foreign };
}

function fileOf({
  filename,
  mimeType,
  content,
  related,
}: Email["attachments"][number]): readonly IncomingFile[] {
  // Pictures of a signature.
  if (related === true && filename === null) return [];
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
  const name = fileName(filename, mimeType === "message/rfc822" ? "mail.eml" : "attachment");
  return [{ name, type: mimeType, size: bytes.length, read: async () => bytes }];
}

const idsOf = (header: string | undefined): readonly string[] =>
  (header?.match(/<[^<>\s]{1,248}>/g) ?? []).slice(0, 50);
const idOf = (header: string | undefined): string | null => {
  const id = idsOf(header)[0];
  return id === undefined || id.length > ID_CHARS_MAX ? null : id;
};
