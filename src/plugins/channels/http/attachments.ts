import { ChannelFault, type IncomingFile } from "../channel.ts";
import type { PromptPart } from "../../../cairn/core/log/model.ts";
import type { NamedSession } from "../people/chats.ts";
import { ID_TAKEN } from "../../../cairn/session/api/errors.ts";
import type { Actor, ApiError } from "../../../cairn/session/api/session-api.ts";
import type { ChannelDeps } from "./deps.ts";
import { looksLikeDocument } from "../../../cairn/documents/kinds.ts";
import type { FileBindings } from "../../../cairn/http/kit/pictures.ts";
import { keepSent } from "../../../cairn/http/uploads/sent-file.ts";

/** Attachments of a chat message: files, and text by others. All of it is from outside. */

/** of one message */
const FILES_MAX = 10;
/** of one file; a larger one is named and not fetched */
const BYTES_MAX = 20 * 1_048_576;
/** for all files of a message: the vendor waits for an answer */
const READ_MS_MAX = 20_000;

/** for one recording */
const TRANSCRIBE_MS_MAX = 120_000;

export type FileStores = FileBindings;

type AttachmentDeps = Pick<ChannelDeps, "sessions" | "now" | "newId" | "pictures" | "admins" | "transcriber">;

/** The message whose files are stored. */
interface AttachmentContext {
  readonly id: string;
  readonly actor: Actor;
  readonly stores: FileStores;
  readonly deps: AttachmentDeps;
}

export interface StoredAttachments {
  readonly parts: readonly PromptPart[];
  /** what was not taken, and why, a line each */
  readonly rejected: readonly string[];
  /** of the session that has the files; where none was stored, as it was given */
  readonly sessionAt: number | null;
  /** the session no longer exists: nothing was stored, and the text must not be sent either */
  readonly refused?: ApiError;
}

/** Stores the files of a message as the session's, as those that are sent on the page, and writes down what is spoken. */
export async function storeAttachments(
  files: readonly IncomingFile[],
  { session, sessionAt: meant }: NamedSession,
  context: AttachmentContext,
): Promise<StoredAttachments> {
  const { actor, deps } = context;
  let sessionAt = meant;
  // Before a file is fetched: some vendors give it once.
  if (files.length > 0 && meant !== null) {
    const entered = await deps.sessions(session).enter(actor, { sessionAt: meant });
    if (!entered.ok && entered.error.code === ID_TAKEN.code)
      return { parts: [], rejected: [], sessionAt, refused: entered.error };
  }
  const parts: PromptPart[] = [];
  const left: string[] = [];
  const signal = AbortSignal.timeout(READ_MS_MAX);
  for (const [at, file] of files.entries()) {
    const why = at >= FILES_MAX ? `only ${FILES_MAX} files of a message are taken` : null;
    const named = { session, sessionAt, key: `channel:${context.id}:${at}` };
    const stored = why ?? (await storeFile(file, named, context, signal));
    if (typeof stored === "string") left.push(`“${file.name}” was not taken: ${stored}`);
    else if ("refused" in stored) return { parts: [], rejected: [], sessionAt, refused: stored.refused };
    else {
      parts.push(stored.part);
      sessionAt = stored.sessionAt;
    }
  }
  return { parts, rejected: left, sessionAt };
}

type StoredFile =
  | { readonly part: PromptPart; readonly sessionAt: number | null }
  | { readonly refused: ApiError };

/** The speaker of a recording: the sender if the vendor says so, else somebody else. */
export const speechOf = ({ speech, type }: IncomingFile): IncomingFile["speech"] =>
  speech ?? (type.startsWith("audio/") ? "foreign" : undefined);

/** The file as a part of the message, or why there is none. */
async function storeFile(
  file: IncomingFile,
  { session, sessionAt, key }: NamedSession & { readonly key: string },
  { actor, deps, stores }: AttachmentContext,
  signal: AbortSignal,
): Promise<StoredFile | string> {
  const { name, size, read } = file;
  const { transcriber = null } = deps;
  const speech = speechOf(file);
  if (speech !== undefined && transcriber === null) return NO_TRANSCRIBER;
  if (speech === undefined && stores.MEDIA === undefined) return "this deployment keeps no files.";
  if (size > BYTES_MAX) return "it is larger than 20 MB.";
  let bytes: Uint8Array;
  try {
    bytes = await read(signal);
  } catch (error) {
    if (error instanceof ChannelFault) return error.message;
    throw error;
  }
  if (speech !== undefined && transcriber !== null) {
    const recording = { bytes: Uint8Array.from(bytes), mediaType: file.type };
    const written = await transcriber.transcribe(recording, AbortSignal.timeout(TRANSCRIBE_MS_MAX));
    if (written.kind === "failed") return written.message;
    const { text } = written;
    return {
      part: speech === "own" ? { type: "text", text } : { type: "text", text, foreign: true },
      sessionAt,
    };
  }
  const sent = { session, sessionAt, name, bytes };
  const { pictures } = deps;
  if (pictures?.isPicture(bytes) === true) {
    const stored = await pictures.keep(stores, deps, actor, { ...sent, key });
    if (!stored.ok) return refused(stored.error);
    const { image, mediaType } = stored.value;
    return { part: { type: "file", url: image.url, mediaType }, sessionAt: stored.value.sessionAt };
  }
  if (!looksLikeDocument(name, bytes))
    return "it is no picture, and no text can be read from it. The page accepts the same files.";
  const stored = await keepSent(stores, deps, actor, sent);
  if (!stored.ok) return refused(stored.error);
  const { url, mediaType } = stored.value;
  return { part: { type: "file", url, mediaType }, sessionAt: stored.value.sessionAt };
}

const NO_TRANSCRIBER =
  "recordings are not written down here. Write your message, or ask the operator of this Cairn to set TRANSCRIPTION_MODEL.";

const refused = (error: ApiError): StoredFile | string =>
  error.code === ID_TAKEN.code ? { refused: error } : [error.message, error.hint ?? ""].join(" ").trim();
