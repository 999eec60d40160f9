import { startOf } from "../../cairn/core/text/cut.ts";
import { readJson } from "../../cairn/core/log/json.ts";
import * as z from "zod";
import { err, ok, type Result } from "../../cairn/core/log/result.ts";
import { base64Of } from "../../cairn/core/base64.ts";
import { OUTPUT_CHARS_MAX, TOO_LONG, type CodeFault, type CodeFile, type CodeResult } from "./result.ts";
import { readBytes } from "../../cairn/core/bytes.ts";

/** Code in a sandbox that speaks as SandboxFusion does: https://bytedance.github.io/SandboxFusion/docs/api/run-code-run-code-post */

export interface Sandbox {
  /** of the operator's address, or of the binding */
  readonly ask: (path: string, init: RequestInit) => Promise<Response>;
  readonly authorization: string;
}

const RUN_SECONDS = 50;
const ANSWER_BYTES_MAX = 4 * 1_048_576;

const answer = z.object({
  status: z.enum(["Success", "Failed", "SandboxError"]),
  message: z.string().nullish(),
  run_result: z
    .object({
      status: z.string().nullish(),
      return_code: z.number().nullish(),
      stdout: z.string().nullish(),
      stderr: z.string().nullish(),
    })
    .nullish(),
});

/** Faults: `sandbox_unavailable`, `sandbox_auth`. Throws when the signal aborts. */
export async function runInSandbox(
  { ask, authorization }: Sandbox,
  code: string,
  files: readonly CodeFile[],
  signal: AbortSignal,
): Promise<Result<CodeResult, CodeFault>> {
  const body = {
    code,
    language: "python",
    run_timeout: RUN_SECONDS,
    files: Object.fromEntries(files.map(({ name, bytes }) => [name, base64Of(bytes)])),
  };
  const headers = { "content-type": "application/json", ...(authorization === "" ? {} : { authorization }) };
  try {
    const response = await ask("/run_code", {
      method: "POST",
      headers,
      signal,
      redirect: "manual",
      body: JSON.stringify(body),
    });
    const bytes = await readBytes(response.body, ANSWER_BYTES_MAX);
    if (response.status === 401 || response.status === 403)
      return err({
        class: "auth",
        code: "sandbox_auth",
        message: "The sandbox refuses this deployment.",
        hint: "Say that the operator must set SANDBOX_AUTHORIZATION.",
      });
    if (!response.ok) return unavailable(`it answered ${response.status}`);
    if (bytes === null)
      return ok({ ...NOTHING, failed: { message: "It printed far too much.", line: null } });
    const parsed = answer.safeParse(readJson(new TextDecoder().decode(bytes)));
    if (!parsed.success) return unavailable("it answered something else");
    return resultOf(parsed.data);
  } catch (error) {
    signal.throwIfAborted();
    return unavailable(error instanceof SyntaxError ? "it answered something else" : "it did not answer");
  }
}

const NOTHING: CodeResult = { output: "", value: null, failed: null, left: 0 };

function resultOf({
  status,
  message,
  run_result: run,
}: z.output<typeof answer>): Result<CodeResult, CodeFault> {
  if (status === "SandboxError") return unavailable(message || "it says SandboxError");
  const stdout = run?.stdout ?? "";
  const stderr = run?.stderr ?? "";
  const isLate = run?.status === "TimeLimitExceeded";
  const isGood = status === "Success" && !isLate;
  // Python prints the error last, after the traceback.
  const words =
    stderr.trim().split("\n").at(-1) || message || `It ended with ${run?.return_code ?? "an error"}.`;
  const line = Array.from(stderr.matchAll(/, line (\d+)/g)).at(-1)?.[1];
  const output = isGood && stderr !== "" ? `${stdout}\n[stderr]\n${stderr}` : stdout;
  return ok({
    output: startOf(output, OUTPUT_CHARS_MAX).toWellFormed(),
    value: null,
    failed: isGood
      ? null
      : {
          message: isLate ? TOO_LONG : startOf(words, 2_000),
          line: line === undefined ? null : Number(line),
        },
    left: Math.max(0, output.length - OUTPUT_CHARS_MAX),
  });
}

const unavailable = (why: string): Result<never, CodeFault> =>
  err({
    class: "server",
    code: "sandbox_unavailable",
    message: `The sandbox could not run it: ${why}.`,
    hint: "Try once more, or calculate without code and say so.",
  });
