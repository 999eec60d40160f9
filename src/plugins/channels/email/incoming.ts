import type { Address } from "postal-mime";
import { loadDocuments } from "../../../../build/modules/documents.ts";
import { loadMailWords } from "../../../../build/modules/mail.ts";
import { readBytes } from "../../../cairn/core/bytes.ts";
import { startOf } from "../../../cairn/core/text/cut.ts";
import { MESSAGE_BYTES_MAX } from "../../../cairn/protocol/chat-body.ts";
import { digestOfBytes } from "../../../cairn/webhooks/signatures.ts";
import { ChannelFault, type IncomingFile, type Received } from "../channel.ts";
import { DELIVERY_RETENTION_MS } from "../people/deliveries.ts";
import { fileName, parseCommand } from "../request.ts";
import { isMailbox, isOf, type Mailbox } from "./mailbox.ts";
import {
  decodeCharset,
  extendedParameter,
  headerIn,
  readHead,
  readParts,
  unflow,
  type Head,
  type MailPart,
} from "./mime.ts";
import { partQuotes, textOfHtml, type Parted } from "./quotes.ts";
import { writeReference } from "./reference.ts";
import type { MailHeader } from "./mail-header.ts";
import { authorOf, prefixOf } from "./subject.ts";
import { coversHeaders, isAuthentic } from "./trust.ts";

/** A mail as the platform hands it over (`ForwardableEmailMessage`): the envelope, and the whole of it as it came. */
export interface IncomingMail {
  readonly from: string;
  readonly to: string;
  readonly raw: ReadableStream<Uint8Array>;
  readonly rawSize: number;
}

/** A mail that a person has written. */
export type ParsedMail =
  | { readonly isVouched: true; readonly event: Extract<Received, { kind: "message" | "command" }> }
  /** No server vouches for the sender, so the author is unknown, and the body was not read. */
  | { readonly isVouched: false; readonly from: Extract<Received, { kind: "message" }> };

/** of one mail, with all that is attached */
export const MAIL_BYTES_MAX = 10 * 1_048_576;
const ID_CHARS_MAX = 250;
/** small pictures of a signature, not sent on purpose */
const DECORATION_BYTES_MAX = 32_768;

/** of one address header; longer ones are cut */
const ADDRESSES_CHARS_MAX = 8_192;
const FROM_CHARS_MAX = 1_000;
const SUBJECT_CHARS_MAX = 1_000;
/** of the parts that are the text of a mail, together */
const TEXT_BYTES_MAX = 1_048_576;

/**
 * The text of a mail; null for an automatic mail and for an empty one. The sender is checked from the headers first: only
 * the body of a mail that the receiving server vouches for is parsed. Throws ChannelFault: `too_large`, `malformed`.
 */
export async function readMail(
  mail: IncomingMail,
  mailbox: Mailbox,
  now: () => number,
): Promise<ParsedMail | null> {
  const tooLarge = new ChannelFault("too_large", `A mail may have ${MAIL_BYTES_MAX} bytes.`);
  if (mail.rawSize > MAIL_BYTES_MAX) throw tooLarge;
  const bytes = await readBytes(mail.raw, MAIL_BYTES_MAX);
  if (bytes === null) throw tooLarge;
  const head = readHead(bytes);
  if ("refused" in head) throw new ChannelFault("too_large", head.refused);
  const { headers } = head;
  if (isAutomatic(headers, mail)) return null;
  refuseRepeated(headers);
  const words = await loadMailWords();
  const sender = senderOf(headers, words);
  if (isOf(mailbox, sender.address)) return null;

  const subject = words.decodeWords(headerIn(headers, "subject").slice(0, SUBJECT_CHARS_MAX));
  const id = idOf(headerIn(headers, "message-id")) ?? `sha256:${await digestOfBytes(bytes)}`;
  const references = idsOf(headerIn(headers, "references"));
  const parent = idsOf(headerIn(headers, "in-reply-to"))[0] ?? null;
  const date = Date.parse(headerIn(headers, "date"));
  const at = Number.isNaN(date) ? now() : date;
  if (at <= now() - DELIVERY_RETENTION_MS)
    throw new ChannelFault("malformed", "The mail is more than 90 days old: it may have been read before.");
  const base = {
    user: { id: sender.address, name: sender.name },
    address: { channel: "email" as const, place: sender.address, thread: references[0] ?? parent ?? id },
    isGroup: false,
    at,
    id: writeReference({ id, references, subject }),
  };
  const defaults = { isForUs: true, isEdit: false, answers: null };
  if (!isVouchedFor(headers, sender.address, mailbox, words)) {
    const nothing = { text: "", foreign: null, files: [], ...defaults };
    return {
      isVouched: false,
      from: { ...base, deliveryId: `${sender.address} ${id}`, kind: "message", ...nothing },
    };
  }
  const deliveryId = `${sender.address} ${await digestOfSigned(bytes, head)}`;
  const body = await bodyOf(bytes, head, words);
  const parted = partMail(body, subject, parent !== null || references.length > 0);
  const command = commandIn(subject, parted.own);
  if (command !== null)
    return {
      isVouched: true,
      event: { ...base, deliveryId, kind: "command", command: command.name, args: command.args },
    };
  const { own, isTail } = parted;
  const foreign = foreignIn(parted);
  const { files } = body;
  if (own === "" && foreign === null && files.length === 0) return null;
  if (new TextEncoder().encode(own).length > MESSAGE_BYTES_MAX)
    throw new ChannelFault("too_large", `The words of a mail may have ${MESSAGE_BYTES_MAX} bytes.`);
  const message = { text: own, foreign, files, ...defaults };
  const quotesThread = parent !== null && isTail && own !== "" && quotesUs(parted, subject, mailbox);
  return {
    isVouched: true,
    event: { ...base, deliveryId, kind: "message", ...message, ...(quotesThread ? { quotesThread } : {}) },
  };
}

/** Headers that a mail has at most once (RFC 5322 section 3.6, RFC 2045 sections 4 to 6). */
const SINGLE: ReadonlySet<string> = new Set([
  "from",
  "sender",
  "reply-to",
  "to",
  "cc",
  "subject",
  "date",
  "message-id",
  "in-reply-to",
  "references",
  "mime-version",
  "content-type",
  "content-transfer-encoding",
]);

/**
 * A signature covers the last header of a name (RFC 6376 section 5.4.2), so a mail stays signed if somebody adds
 * another one above. Throws ChannelFault `malformed`.
 */
function refuseRepeated(headers: readonly MailHeader[]): void {
  const seen = new Set<string>();
  for (const { key } of headers) {
    if (SINGLE.has(key) && seen.has(key))
      throw new ChannelFault("malformed", `The mail has more than one header "${key}".`);
    seen.add(key);
  }
}

/**
 * An ID that is equal for all copies of a mail, and for no other mail of its sender: a digest of its date, subject
 * and body. Signatures often omit Message-ID, so a resender can replace it. They allow changed blanks (RFC 6376
 * section 3.4), so blanks are ignored.
 */
async function digestOfSigned(bytes: Uint8Array, { headers, bodyAt }: Head): Promise<string> {
  const named = ["date", "subject"].map((name) => headerIn(headers, name).replace(/\s/g, ""));
  const first = new TextEncoder().encode(`${named.join("\n")}\n`);
  const signed = new Uint8Array(first.length + bytes.length - bodyAt);
  signed.set(first);
  let length = first.length;
  for (let at = bodyAt; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== 0x0a) signed[length++] = byte;
  }
  return digestOfBytes(signed.subarray(0, length));
}

type MailWords = Awaited<ReturnType<typeof loadMailWords>>;

/** The only mailbox in `From`: a mail with none, or with several, has no sender. */
function senderOf(
  headers: readonly MailHeader[],
  { addressParser }: MailWords,
): { address: string; name: string | null } {
  const nobody = new ChannelFault("malformed", "The mail names no sender, or several.");
  const value = headerIn(headers, "from");
  if (value.length > FROM_CHARS_MAX) throw nobody;
  const [from] = addressParser(value);
  const address = from?.address?.trim().toLowerCase() ?? "";
  if (!isMailbox(address) || isListOfSeveral(value)) throw nobody;
  const name = from?.name?.trim() ?? "";
  return { address, name: name === "" ? null : name };
}

/** A comma outside of quotes, or a second address in brackets. */
const isListOfSeveral = (value: string): boolean => {
  const bare = value.replace(/"(?:[^"\\]|\\.)*"/g, "");
  return bare.includes(",") || (bare.match(/</g) ?? []).length > 1 || bare.includes(":");
};

/** Headers with content, and those that identify a received mail: a changed one would make the mail a new one. */
const QUOTED_HEADERS = ["from", "date", "subject"];

/**
 * Somebody who has another's signed mail can send it here again. A mail to us names our mailbox, and only its sender
 * can have written that. A subject that the sender did not write would be text and commands by another.
 */
function isVouchedFor(
  headers: readonly MailHeader[],
  sender: string,
  mailbox: Mailbox,
  { addressParser }: MailWords,
): boolean {
  const domain = sender.slice(sender.lastIndexOf("@") + 1);
  if (!isAuthentic(headers, domain, mailbox.authServer)) return false;
  const covers = coversHeaders(headers, domain, mailbox.authServer);
  const isThere = (name: string): boolean => headers.some(({ key }) => key === name);
  if (!QUOTED_HEADERS.every((name) => !isThere(name) || covers(name))) return false;
  const signed = ["to", "cc"].filter(covers);
  // Microsoft 365 signs neither header: its users could not write to us otherwise. The documentation explains the
  // risk.
  return (signed.length > 0 ? signed : ["to", "cc"])
    .flatMap((name) => addressParser(headerIn(headers, name).slice(0, ADDRESSES_CHARS_MAX)))
    .flatMap(mailboxesOf)
    .some((address) => isOf(mailbox, address));
}

const mailboxesOf = ({ address, group }: Address): readonly string[] =>
  group === undefined ? [address] : group.map((each) => each.address);

/** RFC 3834, and what mail programs do instead. */
function isAutomatic(headers: readonly MailHeader[], { from }: IncomingMail): boolean {
  const value = (name: string): string => headerIn(headers, name).toLowerCase();
  const submitted = value("auto-submitted");
  return (
    (submitted !== "" && submitted !== "no") ||
    /^(?:bulk|junk|list|auto_reply)$/.test(value("precedence")) ||
    ["list-id", "list-unsubscribe", "x-autoreply", "x-autorespond"].some((name) => value(name) !== "") ||
    from.trim() === "" ||
    /^(?:<>|mailer-daemon@|postmaster@)/i.test(from.trim())
  );
}

/** Commands that are complete in one line: the rest is a signature. */
const WHOLE = new Set(["link", "start", "new", "stop", "help"]);

/** The command is in the first line; a code may be in the subject too. */
function commandIn(subject: string, own: string): { name: string; args: string } | null {
  const [line = "", ...rest] = own.split("\n");
  if (isWhole(line) && rest.every((each) => !each.startsWith("/"))) return parseCommand(line);
  const title = parseCommand(subject);
  return title?.name === "link" && title.bot === null ? title : null;
}

function isWhole(line: string): boolean {
  const command = parseCommand(line);
  return command !== null && command.bot === null && WHOLE.has(command.name);
}

interface MailBody {
  readonly text: string;
  readonly files: readonly IncomingFile[];
}

/**
 * The text of a mail, and its files. Of alternatives, plain text is preferred to HTML. Throws ChannelFault:
 * `too_large`.
 */
async function bodyOf(bytes: Uint8Array, head: Head, words: MailWords): Promise<MailBody> {
  const parts = readParts(bytes, head);
  if ("refused" in parts) throw new ChannelFault("too_large", parts.refused);
  const groups = new Map<number | MailPart, { plain: string[]; html: string[] }>();
  let bytesLeft = TEXT_BYTES_MAX;
  for (const part of parts.filter(isText)) {
    const key = part.alternative ?? part;
    const group = groups.get(key) ?? { plain: [], html: [] };
    groups.set(key, group);
    const text = decodeCharset(part.bytes, part.parameters.get("charset"), bytesLeft);
    bytesLeft = Math.max(0, bytesLeft - part.bytes.length);
    if (part.type === "text/html") group.html.push(text);
    else group.plain.push(textOfPlain(part, text));
  }
  const texts: string[] = [];
  for (const { plain, html } of groups.values()) {
    const text = plain.join("\n");
    const isHtml = text.trim() === "" && html.length > 0;
    texts.push(isHtml ? textOfHtml(html.join("\n"), (await loadDocuments()).readMarkup) : text);
  }
  return {
    text: texts.join("\n"),
    files: parts.filter((part) => !isText(part)).flatMap((part) => fileOf(part, words)),
  };
}

const isText = ({ type, disposition }: MailPart): boolean =>
  (type === "text/plain" || type === "text/html") && disposition !== "attachment";

const textOfPlain = ({ parameters }: MailPart, text: string): string =>
  parameters.get("format")?.toLowerCase() === "flowed"
    ? unflow(text, parameters.get("delsp")?.toLowerCase() === "yes")
    : text;

/**
 * The subject of a new mail is part of the message; the subject of an answer is earlier text. In doubt it is shown as
 * another's text.
 */
function partMail({ text }: MailBody, subject: string, isInThread: boolean): Parted {
  const parted = partQuotes(text, subject);
  const title = subject.replace(/\s+/g, " ").trim();
  const { own, foreign } = parted;
  const author = authorOf(subject, isInThread);
  if (author === "thread" || title === "" || own.startsWith("/") || foreign !== null) return parted;
  if (author === "open") {
    const shown = `(The subject of this mail, which somebody else may have written: ${startOf(title, TITLE_CHARS_MAX)})`;
    return { ...parted, foreign: [shown, foreignIn(parted) ?? ""].join("\n\n").trim() };
  }
  if (own === "") return { ...parted, own: title };
  return isWhole(title) ? parted : { ...parted, own: `${title}\n\n${own}` };
}

const TITLE_CHARS_MAX = 300;

/** of the header of a quote */
const HEADER_CHARS_MAX = 2_000;

/**
 * True if the quote is of a mail that we sent, as its header shows: a mail may forward a stranger's mail, or answer
 * it with a copy to us, in one of our threads. Some programs name no address; they put the standard's "Re:" before
 * the subject of an answer.
 */
function quotesUs({ foreign }: Parted, subject: string, mailbox: Mailbox): boolean {
  const beginning = (foreign ?? "").slice(0, HEADER_CHARS_MAX);
  const header = /^(?:(?!>)[^\n]+\n){1,12}/.exec(`${beginning}\n`)?.[0] ?? "";
  const address = /[^\s<>()[\]:;,"'@]{1,64}@[^\s<>()[\]:;,"'@]{1,255}/.exec(header)?.[0];
  return address === undefined ? prefixOf(subject) === "reply" : isOf(mailbox, address.toLowerCase());
}

/**
 * Text by others. If it cannot be separated from the person's own, a note says so, and a run with it reads from
 * outside.
 */
const foreignIn = ({ foreign, doubt }: Parted): string | null =>
  foreign !== null || doubt === null
    ? foreign
    : `(Somebody else may have written a part of this mail, from this line on: ${startOf(doubt, DOUBT_CHARS_MAX)})`;

const DOUBT_CHARS_MAX = 100;

function fileOf(part: MailPart, words: MailWords): readonly IncomingFile[] {
  const { type, bytes, isRelated, hasContentId } = part;
  if (isRelated && hasContentId && bytes.length <= DECORATION_BYTES_MAX) return [];
  const name = fileName(nameOf(part, words), type === "message/rfc822" ? "mail.eml" : "attachment");
  return [{ name, type, size: bytes.length, read: async () => bytes }];
}

function nameOf({ parameters, dispositionParameters }: MailPart, { decodeWords }: MailWords): string | null {
  const extended =
    extendedParameter(dispositionParameters, "filename") ?? extendedParameter(parameters, "name");
  if (extended !== undefined) return extended;
  const given = dispositionParameters.get("filename") ?? parameters.get("name");
  return given === undefined ? null : decodeWords(given.slice(0, NAME_CHARS_MAX));
}

const NAME_CHARS_MAX = 1_000;

const idsOf = (header: string): readonly string[] => {
  const ids: string[] = [];
  for (const [id] of header.matchAll(/<[!-;=?-~]{1,248}>/g)) if (ids.push(id) === 50) break;
  return ids;
};
const idOf = (header: string): string | null => {
  const id = idsOf(header)[0];
  return id === undefined || id.length > ID_CHARS_MAX ? null : id;
};
