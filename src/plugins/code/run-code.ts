import * as z from "zod";
import type { Json } from "../../cairn/core/log/json.ts";
import type { Result } from "../../cairn/core/log/result.ts";
import type { Preview } from "../../cairn/core/log/tool.ts";
import { defineTool, ToolError, type ToolContext } from "../../cairn/tools/define.ts";
import { loadFile } from "../../cairn/uploads/store.ts";
import { withTimeLimit } from "../../cairn/time-limit.ts";
import { runInWorker, type JavaScriptRunner } from "./dynamic-worker.ts";
import { OUTPUT_CHARS_MAX, type CodeFault, type CodeFile, type CodeResult } from "./result.ts";
import { runInSandbox, type Sandbox } from "./sandbox.ts";

const CODE_CHARS_MAX = 100_000;
const FILES_MAX = 5;
const ID_CHARS_MAX = 100;
const CALL_MS = 60_000;
/** of all files of a call: they go to the code at once */
const FILES_BYTES_MAX = 20 * 1_048_576;
const OBSERVATION_CHARS = 16_000;

export interface CodeServices {
  /** null where no JavaScript is run */
  readonly javascript: JavaScriptRunner | null;
  /** null where no Python is run */
  readonly sandbox: Sandbox | null;
  /** null if no files are stored */
  readonly bucket: R2Bucket | null;
}
type Context = ToolContext<CodeServices>;

const code = z.string().min(1).max(CODE_CHARS_MAX);
const files = z
  .array(z.string().trim().min(1).max(ID_CHARS_MAX))
  .max(FILES_MAX)
  .optional()
  .describe("ids of files that were sent here");

const input = z.strictObject({ language: z.enum(["javascript", "python"]), code, files });

/** Runs code that reaches nothing: it calculates, and is gone. */
export const runCode = defineTool<CodeServices, typeof input, Json>({
  name: "run_code",
  title: "Run code",
  description:
    "Runs code without network, packages or tools; nothing is kept between calls. JavaScript is the body of an async function: console.log prints, return gives a value, `files` are {name, type, bytes, text()}. Python reads files by their names.",
  input,
  effect: "read",
  tier: "open",
  // The output may contain text of a file.
  reads: "outside",
  reach: "none",
  timeoutMs: CALL_MS,
  observationMax: OBSERVATION_CHARS,
  run: async ({ language, code: text, files: ids = [] }, context) => {
    const { javascript, sandbox } = context.services;
    if (language === "javascript") {
      if (javascript === null) throw notOffered("JavaScript", "python");
      const given = await filesOf(ids, context);
      return shown(await limited(context, (signal) => runInWorker(javascript, text, given, signal)));
    }
    if (sandbox === null) throw notOffered("Python", "javascript");
    return python(sandbox, text, ids, context);
  },
});

const networked = z.strictObject({ code, files });

/** The same in a sandbox that may reach the network: it may do anything there, so it runs once, and a person is asked. */
export const runNetworkedCode = defineTool<CodeServices, typeof networked, Json>({
  name: "run_networked_code",
  title: "Run code with network",
  description:
    "Runs Python in a sandbox that may reach the network. It has no tools; nothing is kept between calls. It reads files by their names. A person is asked each time.",
  input: networked,
  effect: "once",
  tier: "danger",
  timeoutMs: CALL_MS,
  observationMax: OBSERVATION_CHARS,
  preview: async ({ code: text, files: ids = [] }, context): Promise<Preview> => {
    if (context.services.sandbox === null) throw notOffered("Python", "javascript");
    // Named by what they are called: the arguments have their ids alone.
    const given = await filesOf(ids, context);
    return {
      need: { kind: "ask", reason: "The code may reach the network, and do there what it likes." },
      title: "Run code with network",
      summary: `Runs ${text.split("\n").length} lines of Python${ids.length === 0 ? "" : ` with ${ids.length} files`}.`,
      impact: given.map(
        ({ name, type, bytes }) => `The code gets the file “${name}” (${type}, ${bytes.length} bytes).`,
      ),
      basis: null,
    };
  },
  run: ({ code: text, files: ids = [] }, context) => {
    const { sandbox } = context.services;
    if (sandbox === null) throw notOffered("Python", "javascript");
    return python(sandbox, text, ids, context);
  },
});

async function python(
  sandbox: Sandbox,
  text: string,
  ids: readonly string[],
  context: Context,
): Promise<Json> {
  const given = await filesOf(ids, context);
  return shown(await limited(context, (signal) => runInSandbox(sandbox, text, given, signal)));
}

/** Ends before the call does, so that its output can still be returned. */
const limited = <Value>({ signal }: Context, work: (signal: AbortSignal) => Promise<Value>): Promise<Value> =>
  withTimeLimit(CALL_MS - 3_000, signal, work);

/** The bytes of the files, under names of which no two are one. */
async function filesOf(
  ids: readonly string[],
  { services: { bucket }, facts }: Context,
): Promise<readonly CodeFile[]> {
  const given: CodeFile[] = [];
  for (const id of new Set(ids)) {
    const found = bucket === null ? null : await loadBeforeRun(bucket, facts.session, id, facts.createdAt);
    if (found === null)
      throw new ToolError("not_found", "file_not_found", `No file ${id} was sent in this session.`, {
        hint: "Take an id from a message of the person, or ask for the file.",
      });
    const { name, mediaType: type } = found.file;
    const taken = given.some((one) => one.name === name);
    given.push({ name: taken ? `${id}-${name}` : name, type, bytes: found.bytes });
  }
  if (given.reduce((sum, { bytes }) => sum + bytes.length, 0) > FILES_BYTES_MAX)
    throw new ToolError("too_large", "too_large", "The files have more than 20 MB together.", {
      hint: "Give the code fewer of them.",
    });
  return given;
}

/** The code has not run: a bucket that fails leaves no outcome open. */
async function loadBeforeRun(...of: Parameters<typeof loadFile>): ReturnType<typeof loadFile> {
  try {
    return await loadFile(...of);
  } catch {
    throw new ToolError("server", "files_unavailable", "The files could not be read, so nothing was run.", {
      nothingDone: true,
    });
  }
}

function shown(done: Result<CodeResult, CodeFault>): Json {
  if (!done.ok) {
    const { class: errorClass, code: name, message, hint } = done.error;
    throw new ToolError(errorClass, name, message, { hint, retryable: false });
  }
  const { output, value, failed, left } = done.value;
  return {
    output,
    ...(value === null ? {} : { value }),
    ...(failed === null ? {} : { failed: { ...failed } }),
    ...(left === 0
      ? {}
      : { cut: `${left} characters more are left out; at most ${OUTPUT_CHARS_MAX} are kept. Print less.` }),
  };
}

const notOffered = (wanted: string, other: "javascript" | "python"): ToolError =>
  new ToolError("invalid_args", "language_not_offered", `${wanted} is not run in this deployment.`, {
    hint: `Write it in ${other}.`,
  });
