import { readJson } from "../../cairn/core/log/json.ts";
import * as z from "zod";
import { err, ok, type Result } from "../../cairn/core/log/result.ts";
import { readBytes } from "../../cairn/core/bytes.ts";
import { OUTPUT_CHARS_MAX, TOO_LONG, type CodeFault, type CodeFile, type CodeResult } from "./result.ts";
import { STEP, withSteps } from "./steps.ts";

/**
 * JavaScript in a separate worker, made for this one call: no network, no bindings, nothing of this one.
 * https://developers.cloudflare.com/dynamic-workers/api-reference
 */

const COMPATIBILITY_DATE = "2026-08-15";
const WAIT_MS = 50_000;
const ANSWER_BYTES_MAX = 1_048_576;

/** Code around the program: prints, counts and answers. It is text, because it runs in the other worker. */
const around = (cpuMs: number): string => `
const MAX = ${OUTPUT_CHARS_MAX}, now = Date.now, stringify = JSON.stringify, later = setTimeout, Answer = Response;
const plain = (_, one) => typeof one === "bigint" ? String(one) : one instanceof Map ? [...one] : one instanceof Set ? [...one] : one instanceof Error ? String(one) : one;
const shown = (one) => { if (typeof one === "string") return one; try { return stringify(one, plain) ?? String(one); } catch { return String(one); } };
export default { async fetch(request, env) {
  let output = "", left = 0, turns = 0;
  const cut = (text, room) => { left += Math.max(0, text.length - room); return text.slice(0, room); };
  const say = (...all) => { output += cut(all.map(shown).join(" ") + "\\n", MAX - output.length); };
  for (const name of ["log", "info", "warn", "error", "debug"]) console[name] = say;
  const end = now() + ${cpuMs};
  const late = () => new Error(${JSON.stringify(TOO_LONG)});
  const step = () => { if ((++turns & 16383) === 0 && now() > end) throw late(); };
  let value = null, failed = null;
  try {
    const { default: run } = await import("code.js");
    const files = env.FILES.map(({ name, type, bytes }) => ({ name, type, bytes: new Uint8Array(bytes), text: () => new TextDecoder().decode(bytes) }));
    const given = await Promise.race([run(files, step), new Promise((_, no) => later(() => no(late()), ${WAIT_MS}))]);
    if (given !== undefined) value = cut(shown(given), MAX);
  } catch (error) {
    const line = /code\\.js:(\\d+)/.exec(error?.stack ?? "")?.[1];
    failed = { message: cut(error?.message === ${JSON.stringify(TOO_LONG)} ? error.message : String(error), 2000), line: line === undefined ? null : Number(line) };
  }
  return new Answer(stringify({ output, value, failed, left }));
} };`;

const answer = z.object({
  output: z.string().max(OUTPUT_CHARS_MAX),
  value: z.string().max(OUTPUT_CHARS_MAX).nullable(),
  failed: z.object({ message: z.string(), line: z.number().nullable() }).nullable(),
  left: z.number(),
});

export interface JavaScriptRunner {
  readonly loader: WorkerLoader;
  /** processor time of one call; the platform counts it, and the steps where it does not */
  readonly cpuMs: number;
}

/** Faults: `code_not_run`. Throws when the signal aborts. */
export async function runInWorker(
  { loader, cpuMs }: JavaScriptRunner,
  code: string,
  files: readonly CodeFile[],
  signal: AbortSignal,
): Promise<Result<CodeResult, CodeFault>> {
  const stepped = await withSteps(code);
  if (!stepped.ok) return ok(failure(stepped.error.message, stepped.error.line));
  try {
    const worker = loader.load({
      compatibilityDate: COMPATIBILITY_DATE,
      mainModule: "around.js",
      // On the first line of the code, so that the lines are those that were written.
      modules: {
        "around.js": around(cpuMs),
        "code.js": `export default async (files, ${STEP}) => {${stepped.value}\n}`,
      },
      env: { FILES: files.map(({ name, type, bytes }) => ({ name, type, bytes: bytes.slice().buffer })) },
      globalOutbound: null,
      limits: { cpuMs, subRequests: 0 },
    });
    const response = await worker.getEntrypoint().fetch("http://code/", { signal });
    const bytes = await readBytes(response.body, ANSWER_BYTES_MAX);
    const parsed = answer.safeParse(bytes === null ? null : jsonIn(bytes));
    return parsed.success
      ? ok(parsed.data)
      : ok(failure("It did not answer as code does that ends by itself."));
  } catch (error) {
    signal.throwIfAborted();
    return faultOf(error);
  }
}

const failure = (message: string, line: number | null = null): CodeResult => ({
  output: "",
  value: null,
  left: 0,
  failed: { message, line },
});

/** Messages of the platform about stopped code are results; everything else is a fault of ours. */
function faultOf(error: unknown): Result<CodeResult, CodeFault> {
  const parsed = error instanceof Error ? error.message : String(error);
  if (/exceeded.*cpu|cpu.*limit|time limit/i.test(parsed)) return ok(failure(TOO_LONG));
  if (/memory/i.test(parsed)) return ok(failure("It used more memory than there is and was stopped."));
  const syntax = /(SyntaxError: [^\n]{1,300})(?:[\s\S]*code\.js:(\d+))?/.exec(parsed);
  if (syntax !== null)
    return ok(failure(syntax[1] ?? parsed, syntax[2] === undefined ? null : Number(syntax[2])));
  return err({
    class: "server",
    code: "code_not_run",
    message: "The code could not be run here.",
    hint: "Try once more, or calculate without code and say so.",
  });
}

const jsonIn = (bytes: Uint8Array): unknown => readJson(new TextDecoder().decode(bytes)) ?? null;
