import { loadDocuments } from "../../../build/modules/documents.ts";
import * as z from "zod";
import type { Json } from "../../cairn/core/log/json.ts";
import { err, ok, type Result } from "../../cairn/core/log/result.ts";
import type { Passage } from "../../cairn/core/log/receipt.ts";
import { defineTool, ToolError, type ToolContext } from "../../cairn/tools/define.ts";
import { bestPassages, PASSAGE_CHARS_MAX, partsOf } from "../../cairn/documents/passages.ts";
import type { FileFault } from "../../cairn/documents/file-fault.ts";
import type { FileText } from "../../cairn/documents/file-text.ts";
import { fileIdOf } from "../../cairn/uploads/named-file.ts";
import { loadFamilyFile, type StoredFile } from "../../cairn/uploads/store.ts";

const FILES_MAX = 5;
/** an id, or the name of a file */
const ID_CHARS_MAX = 255;
const GOAL_CHARS_MAX = 2_000;
const READ_MS = 60_000;
/** passages of one file, and of all files of a call */
const PASSAGES_MAX = 8;
const PASSAGES_ALL_MAX = 16;
const OBSERVATION_CHARS = 20_000;

const input = z.strictObject({
  files: z
    .array(z.string().trim().min(1).max(ID_CHARS_MAX))
    .min(1)
    .max(FILES_MAX)
    .describe("ids of files that were sent here, such as f_0123456789abcdef01234567, or their names"),
  goal: z
    .string()
    .trim()
    .min(1)
    .max(GOAL_CHARS_MAX)
    .optional()
    .describe("What you want to know from them, in the words of the files. Without it you get the beginning"),
  offset: z
    .int()
    .min(0)
    .optional()
    .describe("Characters to leave out: `next` of the result before, to read on"),
});
type Input = z.output<typeof input>;

export interface FileServices {
  readonly bucket: R2Bucket;
}
type Context = ToolContext<FileServices>;

/** Reads files that a person sent, keeps their text as pages of the session, and shows what of it is about the goal. */
export const readFile = defineTool<FileServices, typeof input, Json>({
  name: "read_file",
  lean: true,
  title: "Read files",
  description:
    "Reads files that a person sent (text, tables, PDF, Word, Excel): the passages about your goal, or the beginning, each with an id to cite, such as [e12]. The text is kept: read_observation with its page, such as p7, reads all of it.",
  input,
  effect: "read",
  tier: "open",
  reads: "outside",
  reach: "none",
  timeoutMs: READ_MS,
  observationMax: OBSERVATION_CHARS,
  shape: { target: ["files"], query: "goal" },
  run: readFiles,
});

async function readFiles({ files, goal, offset = 0 }: Input, context: Context): Promise<Json> {
  const wanted = [...new Set(files)];
  const results: { readonly id: string; readonly read: Result<Read, FileFault> }[] = [];
  // One after the other: together they may not fit into memory.
  for (const id of wanted) {
    results.push({ id, read: await read(id, offset, context) });
    context.progress(`Read ${results.length} of ${wanted.length}`, (100 * results.length) / wanted.length);
  }
  const [first] = results;
  const good = results.filter(({ read }) => read.ok).length;
  if (good === 0 && first?.read.ok === false) throw toolError(first.read.error, results.length);
  const most = Math.min(PASSAGES_MAX, Math.floor(PASSAGES_ALL_MAX / good));
  return {
    files: results.map(({ id, read }) => {
      if (read.ok) return shown(read.value, { goal: goal ?? null, offset, most }, context);
      const { code, message, hint } = read.error;
      return { file: id, error: { code, message, hint } };
    }),
    by:
      goal === undefined
        ? "order: from the offset on"
        : "words: the passages that share most words with the goal",
  };
}

interface Read {
  readonly file: StoredFile;
  readonly text: FileText;
}

async function read(
  id: string,
  offset: number,
  { services, facts, signal }: Context,
): Promise<Result<Read, FileFault>> {
  const { bucket } = services;
  const { session, createdAt } = facts;
  const known = await fileIdOf(bucket, session, id, createdAt);
  const loaded = known === null ? null : await loadFamilyFile(bucket, session, known, createdAt);
  if (loaded === null)
    return err({
      class: "not_found",
      code: "file_not_found",
      message: `No file ${id} was sent in this session.`,
      hint: "Take an id from a message of the person, or ask for the file.",
    });
  const { file, bytes } = loaded;
  const { readFileText } = await loadDocuments();
  const text = await readFileText(file.name, bytes, signal);
  if (!text.ok) return text;
  const { length } = text.value.text;
  if (offset >= length && offset > 0)
    return err({
      class: "invalid_args",
      code: "past_the_end",
      message: `${file.name} has ${length} characters.`,
      hint: "It was read to its end. Begin again without an offset, or say a goal.",
    });
  return ok({ file, text: text.value });
}

interface ReadRequest {
  readonly goal: string | null;
  readonly offset: number;
  readonly most: number;
}

function shown({ file, text }: Read, request: ReadRequest, { outside, at }: Context): Json {
  const passages = passagesOf(text.text, request);
  const { title, date, links, cut, pages, rows } = text;
  const url = `upload:${file.id}`;
  const page = { url, title: file.name, date, text: text.text, links, fetchedAt: at, passages };
  const stored = outside?.keepPage(page);
  if (stored === undefined) throw new Error("read_file needs a run that keeps its pages");
  const end = passages.at(-1)?.end ?? 0;
  return {
    file: file.id,
    page: { ...stored.page },
    name: file.name,
    ...(title === "" ? {} : { title }),
    type: file.mediaType,
    ...(pages === undefined ? {} : { pages }),
    ...(rows === undefined ? {} : { rows }),
    chars: text.text.length,
    ...(cut ? { cut: `Only the first ${text.text.length} characters are kept.` } : {}),
    quotes: passages.map(({ quote }, index) => ({ id: { ...stored.evidence[index] }, quote })),
    ...(request.goal === null && end < text.text.length ? { next: end } : {}),
  };
}

/** Shown passages: those that share most with the goal, or else the first. */
function passagesOf(text: string, { goal, offset, most }: ReadRequest): Passage[] {
  const rest = text.slice(offset);
  const found =
    goal === null
      ? partsOf(rest, PASSAGE_CHARS_MAX)
          .slice(0, most)
          .map(({ start, end }) => ({ start, end, quote: rest.slice(start, end) }))
      : bestPassages(rest, goal, most);
  return found.map(({ start, end, quote }) => ({ start: start + offset, end: end + offset, quote }));
}

function toolError({ class: errorClass, code, message, hint }: FileFault, count: number): ToolError {
  const others = count === 1 ? "" : ` None of the ${count} files could be read.`;
  return new ToolError(errorClass, code, `${message}${others}`, { hint, retryable: false });
}
