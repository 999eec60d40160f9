import type { Address, Email } from "postal-mime";
import { loadPostalMime } from "../../../build/modules/mail.ts";
import { MESSAGE_BYTES_MAX } from "../../wire/chat-body.ts";
import { digestOfBytes } from "../../wire/webhooks/signatures.ts";
import { ChannelFault, type IncomingFile, type Received } from "../channel.ts";
import { fileName, parseCommand, readStream } from "../request.ts";
import { isMailbox, isOf, type Mailbox } from "./mailbox.ts";
import { partQuotes, textOfHtml, type Parted } from "./quotes.ts";
import { writeReference } from "./reference.ts";
import { isAuthentic } from "./trust.ts";

/** A mail as the platform hands it over (`ForwardableEmailMessage`): the envelope, and the whole of it as it came. */
export interface IncomingMail {
  readonly from: string;
  readonly to: string;
  readonly raw: ReadableStream<Uint8Array>;
  readonly rawSize: number;
}

/** What a person has written. */
export interface HeardMail {
  readonly said: Extract<Received, { kind: "message" | "command" }>;
  /** the server that received it vouches for its sender: without that nobody knows who wrote it */
  readonly isVouched: boolean;
}

/** of one mail, with all that is attached */
export const MAIL_BYTES_MAX = 10 * 1_048_576;
const ID_CHARS_MAX = 250;
/** pictures of a signature, which nobody has sent on purpose */
const DECORATION_BYTES_MAX = 32_768;

/** What a mail says; null for one that a machine sent, or that says nothing. Throws ChannelFault: `too_large`, `malformed`. */
export async function readMail(
  mail: IncomingMail,
  mailbox: Mailbox,
  now: () => number,
): Promise<HeardMail | null> {
  const tooLarge = new ChannelFault("too_large", `A mail may have ${MAIL_BYTES_MAX} bytes.`);
  if (mail.rawSize > MAIL_BYTES_MAX) throw tooLarge;
  const bytes = await readStream(mail.raw, MAIL_BYTES_MAX);
  if (bytes === null) throw tooLarge;
  const parsed = await parseMail(bytes);
  if (isAutomatic(parsed, mail)) return null;
  const sender = senderOf(parsed);
  if (isOf(mailbox, sender.address)) return null;

  const id = idOf(parsed.messageId) ?? `sha256:${await digestOfBytes(bytes)}`;
  const references = idsOf(parsed.references);
  const parent = idsOf(parsed.inReplyTo)[0] ?? null;
  const at = Date.parse(parsed.date ?? "");
  const heard = {
    // A stranger who knows the id of another's mail cannot take its place.
    ...{ deliveryId: `${sender.address} ${id}`, user: { id: sender.address, name: sender.name } },
    address: { channel: "email" as const, place: sender.address, thread: references[0] ?? parent ?? id },
    ...{ isGroup: false, at: Number.isNaN(at) ? now() : at },
    id: writeReference({ id, references, subject: parsed.subject ?? "" }),
  };
  const isVouched = isVouchedFor(parsed, sender.address, mailbox);
  const words = wordsOf(parsed);
  const command = commandIn(parsed, words.own);
  if (command !== null)
    return { isVouched, said: { ...heard, kind: "command", command: command.name, args: command.args } };
  const { own, foreign, isTail } = words;
  const files = parsed.attachments.flatMap(fileOf);
  if (own === "" && foreign === null && files.length === 0) return null;
  if (new TextEncoder().encode(own).length > MESSAGE_BYTES_MAX)
    throw new ChannelFault("too_large", `The words of a mail may have ${MESSAGE_BYTES_MAX} bytes.`);
  const message = { text: own, foreign, files, isForUs: true, isEdit: false, answers: null };
  const quotesThread = parent !== null && isTail && own !== "";
  return {
    isVouched,
    said: { ...heard, kind: "message", ...message, ...(quotesThread ? { quotesThread } : {}) },
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
  if (heads.length !== 1 || !isMailbox(address) || isListOfSeveral(heads[0]?.value ?? ""))
    throw new ChannelFault("malformed", "The mail names no sender, or several.");
  const name = from?.name?.trim() ?? "";
  return { address, name: name === "" ? null : name };
}

/** A comma outside of quotes, or a second address in brackets. */
const isListOfSeveral = (value: string): boolean => {
  const bare = value.replace(/"(?:[^"\\]|\\.)*"/g, "");
  return bare.includes(",") || (bare.match(/</g) ?? []).length > 1 || bare.includes(":");
};

/** Whoever has a signed mail of another can send it here once more: what they wrote to us names us. */
const isVouchedFor = ({ headers, to = [], cc = [] }: Email, sender: string, mailbox: Mailbox): boolean =>
  [...to, ...cc].flatMap(mailboxesOf).some((address) => isOf(mailbox, address)) &&
  isAuthentic(headers, sender.slice(sender.lastIndexOf("@") + 1), mailbox.authServer);

const mailboxesOf = ({ address, group }: Address): readonly string[] =>
  group === undefined ? [address] : group.map((each) => each.address);

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
    ["list-id", "list-unsubscribe", "x-autoreply", "x-autorespond"].some((name) => value(name) !== "") ||
    from.trim() === "" ||
    /^(?:<>|mailer-daemon@|postmaster@)/i.test(from.trim())
  );
}

const ANSWERS = /^\s*(?:re|aw|sv|vs|antw|rif|odp)\s*(?:\[\d+\])?:/i;
const FORWARDS = /^\s*(?:fwd?|wg|tr|rv|doorst|vl)\s*(?:\[\d+\])?:/i;
/** Those that say everything in one line: what comes below is a signature. */
const WHOLE = new Set(["link", "start", "new", "stop", "help"]);

/** In the first line; a code may stand in the subject too. */
function commandIn({ subject = "" }: Email, own: string): { name: string; args: string } | null {
  const [line = "", ...rest] = own.split("\n");
  if (isWhole(line) && rest.every((each) => !each.startsWith("/"))) return parseCommand(line);
  const title = parseCommand(subject);
  return title?.name === "link" && title.bot === null ? title : null;
}

function isWhole(line: string): boolean {
  const command = parseCommand(line);
  return command !== null && command.bot === null && WHOLE.has(command.name);
}

/** The subject of a new mail is a part of what is said; that of an answer is what was said before. */
function wordsOf({ text = "", html = "", subject = "" }: Email): Parted {
  const parted = partQuotes(text.trim() === "" ? textOfHtml(html) : text);
  if (FORWARDS.test(subject)) return { ...parted, isTail: false };
  const title = subject.replace(/\s+/g, " ").trim();
  const { own, foreign } = parted;
  if (ANSWERS.test(subject) || title === "" || own.startsWith("/") || foreign !== null) return parted;
  if (own === "") return { ...parted, own: title };
  return isWhole(title) ? parted : { ...parted, own: `${title}\n\n${own}` };
}

function fileOf({
  filename,
  mimeType,
  content,
  related,
}: Email["attachments"][number]): readonly IncomingFile[] {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
  if (related === true && bytes.length <= DECORATION_BYTES_MAX) return [];
  const name = fileName(filename, mimeType === "message/rfc822" ? "mail.eml" : "attachment");
  return [{ name, type: mimeType, size: bytes.length, read: async () => bytes }];
}

const idsOf = (header: string | undefined): readonly string[] =>
  (header?.match(/<[!-;=?-~]{1,248}>/g) ?? []).slice(0, 50);
const idOf = (header: string | undefined): string | null => {
  const id = idsOf(header)[0];
  return id === undefined || id.length > ID_CHARS_MAX ? null : id;
};
