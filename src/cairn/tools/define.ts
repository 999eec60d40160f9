import { boundedProgress } from "../core/text/progress.ts";
import * as z from "zod";
import type { SendTo } from "../core/address.ts";
import { rulesFault } from "../core/guards/approval-rules.ts";
import type { ApprovalRules } from "../core/log/approval.ts";
import { type Json, type JsonObject, toJson } from "../core/log/json.ts";
import type { EffectClass } from "../core/log/names.ts";
import type { FoundSources } from "../core/log/receipt.ts";
import {
  type Verb,
  type CallShape,
  type EntityRef,
  type ErrorClass,
  type Gate,
  type Preview,
  type Reach,
  type Reads,
  type Tier,
  type ToolFailure,
  type ToolTraits,
  RETRYABLE,
  type Progress,
} from "../core/log/tool.ts";
import type { Redact } from "../core/text/redact.ts";
import { inputFault } from "./input/fault.ts";
import { findUnplain } from "./input/plain.ts";
import { Reading, type Outside } from "./reading.ts";

/** The session, the run and the person that a call works for. */
export interface SessionFacts {
  readonly session: string;
  readonly run: string;
  readonly subject: string;
  /** when the session was made, milliseconds: a name can be used again, so what is older belongs to another session. Absent: not known */
  readonly createdAt?: number;
}

/** Context of a tool run. Contains everything that differs between two runs of the same call. */
export interface ToolContext<Services> {
  /** idempotency key of the call, `<session>/<call>`; equal for all attempts */
  readonly key: string;
  /** name of the call in its session, such as `r3s4c0` */
  readonly call: string;
  /** from 1 */
  readonly attempt: number;
  /** milliseconds since the epoch, read once when the call was claimed */
  readonly at: number;
  /** aborts at the tool's time limit and at a cancel */
  readonly signal: AbortSignal;
  readonly services: Services;
  readonly facts: SessionFacts;
  /** set when a person approved this call; `basis` is that of the preview shown */
  readonly approved: { readonly approval: string; readonly basis: string | null } | null;
  /**
   * Adds a line to the trace and the operator's log; the model does not see it. The first 20 lines of a call are
   * stored, 500 characters of each
   */
  readonly log: (text: string) => void;
  /** Shows progress while the tool runs: at most four times a second, and not stored. `percent` from 0 to 100 */
  readonly progress: (text: string, percent?: number) => void;
  /** Reports US dollars spent. The run is charged with the sum; without any report, with all of `costUsd` */
  readonly spend: (usd: number) => void;
  /** Records what the call reads outside. Absent without a run: a person who calls the tool by hand */
  readonly outside?: Outside;
}

/** The six required declarations of a tool. A first tool needs no more; ToolOptions has the rest. */
export interface FirstTool<Input extends z.ZodType, Output, Services> {
  /** `[a-z][a-z0-9_]{1,47}` */
  readonly name: string;
  /** for the model */
  readonly description: string;
  /** what the model may send; it is checked before the tool is called */
  readonly input: Input;
  /** what a second run does, after a crash: `read` no harm, `keyed` nothing by `context.key`, `once` is never made */
  readonly effect: EffectClass;
  /** how dangerous it is: who may have it called, and whether a person is asked */
  readonly tier: Tier;
  /** `Output` must be JSON; expected failures are thrown as ToolError */
  readonly run: (input: z.output<Input>, context: ToolContext<Services>) => Promise<Output>;
}

/** Optional declarations of a tool, by topic. */
export interface ToolOptions<Input extends z.ZodType, Output, Services> {
  // How people see it.

  /** a short verb phrase such as `Delete pages`; default: its name in words */
  readonly title?: string;
  /** default 1 */
  readonly version?: number;
  /** JSON Schema of the input, of a tool whose `input` was made from it; default: made from `input` */
  readonly inputSchema?: JsonObject;
  /** the same with the names of fields that the checked input has, where they are others than a model is offered */
  readonly argsSchema?: JsonObject;

  // Approval

  /** reads only; what the call would do. Refusals (not found, invalid content) are thrown here, before a person is asked */
  readonly preview?: (input: z.output<Input>, context: ToolContext<Services>) => Promise<Preview>;
  /** default by tier: open and write never ask, the others ask. `depends` lets the preview decide and needs one */
  readonly approval?: Gate;
  /** who decides its calls, and how; a tool with rules asks, unless its preview decides that */
  readonly approvals?: ApprovalRules;
  /** guests may have it called; only where its tier is open */
  readonly public?: boolean;

  // Outside content and reach

  /** source of its output; default by tier: external and danger `outside`, the others `private` */
  readonly reads?: Reads;
  /** whether it carries words out of this deployment; default by tier: external and danger do */
  readonly reach?: Reach;
  /** what it begins is worked after the run, such as a schedule: a promise may rest on it, and a run that has read from outside asks */
  readonly later?: true;

  // Effects, for the session's memory and the review of an answer

  readonly entities?: (input: z.output<Input>, output: Output) => readonly EntityRef[];
  /** verbs of its effects, so that an answer's claims can be checked against the calls of its run */
  readonly verbs?: readonly Verb[];

  /** of a tool that sends a message: where to, as the server's address book knows it */
  readonly sendTo?: (input: z.output<Input>, services: Services) => SendTo;

  // Costs

  /** US dollars that one attempt may cost at most, set aside in the run's budget before it begins; absent costs nothing */
  readonly costUsd?: (input: z.output<Input>, services: Services) => number;

  /** offered to runs of the class `lean`: briefly described, and needed often */
  readonly lean?: true;

  // How often and how long.

  /** default 30 000 */
  readonly timeoutMs?: number;
  /** calls a run, a step and a minute at most, and milliseconds from one to the next */
  readonly maxCalls?: number;
  readonly perStep?: number;
  readonly perMinute?: number;
  readonly cooldownMs?: number;
  /** characters of the observation shown inline; default 8 192 */
  readonly observationMax?: number;

  /** a run works by what it returns, such as instructions: it stays in the prompt as it was, however long the run goes on */
  readonly keepWhole?: true;
  /** what the options of an agent leave of it */
  readonly narrowed?: Narrowed<z.output<Input>>;

  // When an equal call is no loop, and when its answer is read from the log.

  /** `bookkeeping` for the run's own records, or a message to the person. Default: work */
  readonly kind?: ToolTraits["kind"];
  /** equal calls spaced by the interval are no loop, up to `maxPolls` equal results */
  readonly polling?: { readonly minIntervalMs: number; readonly maxPolls: number };
  /** an effect that may be wanted again with equal arguments */
  readonly repeatable?: boolean;
  /** milliseconds for which an equal ok read is answered from the log; default 600 000 */
  readonly freshMs?: number;
  /** how to compare arguments and output: volatile parts, IDs, queries and targets */
  readonly shape?: Partial<CallShape>;
}

/** The part of a tool that the options of an agent leave: those for the tool's plugin; undefined where the agent has none. */
export interface Narrowed<Input = unknown, Options extends JsonObject = JsonObject> {
  /** why a run with these options is not offered it; null: it is */
  withheld(options?: Options): string | null;
  /** why these options do not allow a call; null: they do */
  refused(input: Input, options?: Options): ToolFailure | null;
}

export interface ToolDefinition<Input extends z.ZodType, Output, Services>
  extends FirstTool<Input, Output, Services>, ToolOptions<Input, Output, Services> {}

/** A tool with its types erased, as the registry holds it. */
export interface AnyTool<Services = never> {
  readonly definition: ToolDefinition<z.ZodType, unknown, Services> & {
    readonly title: string;
    readonly version: number;
  };
}

/** A tool with the types of its input and output, for calling it by hand. */
export interface Tool<Input extends z.ZodType, Services, Output = unknown> extends AnyTool<Services> {
  readonly definition: AnyTool<Services>["definition"] &
    Pick<FirstTool<Input, Output, Services>, "input" | "run">;
}

const NAME = /^[a-z][a-z0-9_]{1,47}$/;

/** Declares a tool. Throws at load when the declaration contradicts itself, so that it cannot be deployed. */
export function defineTool<Services, Input extends z.ZodType, Output>(
  definition: ToolDefinition<Input, Output, Services>,
): Tool<Input, Services, Output> {
  const { name, approval, approvals, preview, tier, reach } = definition;
  if (!NAME.test(name)) throw new Error(`tool ${name}: a name is [a-z][a-z0-9_]{1,47}`);
  if (approval === "depends" && preview === undefined) {
    throw new Error(`tool ${name}: approval "depends" needs a preview that decides`);
  }
  const fault = approvals === undefined ? null : rulesFault(approvals);
  if (fault !== null) throw new Error(`tool ${name}: ${fault}`);
  if (approvals !== undefined && (approval === "never" || approval === "deny")) {
    throw new Error(`tool ${name}: nobody is asked, so its approvals are nobody's`);
  }
  if (tier === "external" && reach === "none") {
    throw new Error(`tool ${name}: the tier "external" reaches out, so its reach is not "none"`);
  }
  const unsteady = unsteadyInput(definition);
  if (unsteady !== null) throw new Error(`tool ${name}: ${unsteady}`);
  const whole = { version: 1, title: titleOf(name), ...definition };
  return { definition: whole as unknown as Tool<Input, Services, Output>["definition"] };
}

/** Why the input cannot be one value from its card to `run`; null also where it was made from JSON Schema, which knows JSON alone. */
function unsteadyInput({
  input,
  inputSchema,
}: {
  readonly input: z.ZodType;
  readonly inputSchema?: JsonObject | undefined;
}): string | null {
  if (!("_zod" in input) || (inputSchema !== undefined && input._zod.def.type === "lazy")) return null;
  return inputFault(input);
}

/** The default preview: every interface shows the arguments (core/text/decision-text.ts). */
export function plainPreview(title: string, need: Preview["need"]): Preview {
  const impact = [`${title} with exactly the arguments below.`];
  return { need, title, summary: `${title}.`, impact, basis: null };
}

/** `reading_time` → `Reading time` */
export function titleOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** An expected failure of a tool, worded for the model and for the person. */
export class ToolError extends Error {
  readonly failure: ToolFailure;
  /** the effect certainly did not happen, despite the class */
  readonly nothingDone: boolean;
  /** the effect may have happened, despite the class */
  readonly mayBeDone: boolean;

  constructor(
    errorClass: ErrorClass,
    code: string,
    message: string,
    more: {
      /** with a class that leaves the outcome open (server, network, timeout): nothing was done after all */
      nothingDone?: boolean;
      /** with any other class: the failure was found after the effect may have happened, such as in its answer */
      mayBeDone?: boolean;
      hint?: string;
      suggestions?: readonly Json[];
      at?: string;
      details?: Json;
      retryable?: boolean;
      /** after which the other side wants to be asked again; no time at all is left out */
      retryAfterMs?: number | null;
    } = {},
  ) {
    super(message);
    this.name = "ToolError";
    const { nothingDone = false, mayBeDone = false, retryAfterMs, ...told } = more;
    const waits = typeof retryAfterMs === "number" && Number.isFinite(retryAfterMs) && retryAfterMs > 0;
    this.nothingDone = nothingDone;
    this.mayBeDone = mayBeDone;
    this.failure = {
      class: errorClass,
      code,
      message,
      retryable: more.retryable ?? RETRYABLE.has(errorClass),
      ...told,
      ...(waits ? { retryAfterMs: Math.ceil(retryAfterMs) } : {}),
    };
  }
}

/** Tools that belong together: their services, and the prompt module that teaches their use. */
export interface Pack<Env, Services> {
  readonly name: string;
  readonly tools: readonly AnyTool<Services>[];
  /** names of prompts of its plugin, or of the kernel. One with `tools` is taught where one of them is offered */
  readonly prompts: readonly (string | ToolPrompt)[];
  /** names of its tools that a run is offered at once; the others are found with `find_tool`. Absent: all are offered at once */
  readonly shortList?: readonly string[];
  /**
   * the services, or why the pack is unavailable in this deployment. `wanted: false`: it is not configured, which is no
   * fault
   */
  readonly services: (env: Env) => Services | { readonly unavailable: string; readonly wanted?: false };
  /** awaited before a tool of the pack is previewed or run; repeats must be cheap. A throw fails that call, retryably unless it is a ToolError */
  readonly ready?: (env: Env, at: number) => Promise<void>;
}

/** Takes packs in. */
export interface PackRegistry {
  add<Env, Services>(pack: Pack<Env, Services>, env: Env): unknown;
}

/** A prompt module that teaches some tools of a pack. */
export interface ToolPrompt {
  readonly name: string;
  readonly tools: readonly string[];
}

export function definePack<Env, Services>(pack: Pack<Env, Services>): Pack<Env, Services> {
  return pack;
}

/** Returns the services of a pack. A throw makes only this pack unavailable. */
export function servicesOf<Env, Services>(
  pack: Pack<Env, Services>,
  env: Env,
  redact: Redact,
): ReturnType<Pack<Env, Services>["services"]> {
  try {
    return pack.services(env);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { unavailable: `It does not start: ${redact(message)}` };
  }
}

/** Outcome of trying a tool: the output as the log would store it, or the failure that the model would see. */
export type Tried =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly error: ToolFailure };

/** The call that a tool is tried with: the same each time, so that a `keyed` tool may be held to one effect by two of them. */
const TRIAL = {
  key: "test/r1s1c0",
  call: "r1s1c0",
  attempt: 1,
  at: 0,
  facts: { session: "test", run: "r1", subject: "me" },
} as const;

/**
 * For tests: calls a tool once, as the first call of a session does. The input is checked, the preview is made (null where
 * there is none, or where it fails) and taken as approved, then the tool runs. Expected failures (input that does not fit,
 * a ToolError) are the result; what else a tool throws is thrown on, because it is a fault of the tool.
 *
 *     const { result } = await tryTool(readingTime, { input: { text: "Two words." }, services: null });
 *     expect(result).toEqual({ ok: true, value: { words: 2, minutes: 1 } });
 */
export async function tryTool<Input extends z.ZodType, Services>(
  { definition }: Tool<Input, Services>,
  { input, services }: { readonly input: z.input<Input>; readonly services: Services },
): Promise<{
  readonly preview: Preview | null;
  readonly result: Tried;
  /** the lines that it logged, and each progress report */
  readonly logs: readonly string[];
  readonly progress: readonly Progress[];
  /** US dollars reported as spent */
  readonly spent: number;
  /** what it has read outside */
  readonly sources: FoundSources;
}> {
  const logs: string[] = [];
  const progress: Progress[] = [];
  let spent = 0;
  const reading = new Reading();
  const context = {
    outside: reading,
    ...TRIAL,
    signal: new AbortController().signal,
    services,
    approved: null,
    log: (text: string): void => void logs.push(text),
    progress: (text: string, percent?: number): void => void progress.push(boundedProgress(text, percent)),
    spend: (usd: number): void => void (spent += usd),
  };
  let preview: Preview | null = null;
  try {
    const parsed = z.safeParse(definition.input, input);
    if (!parsed.success) throw new ToolError("invalid_args", "invalid_input", parsed.error.message);
    if (findUnplain(parsed.data) !== null)
      throw new ToolError("invalid_args", "invalid_input", "The arguments cannot be stored as JSON.");
    // As a run stores them between the preview and the call.
    const stored = toJson(parsed.data);
    preview = (await definition.preview?.(stored, context)) ?? null;
    const approved = preview === null ? null : { approval: "a1", basis: preview.basis };
    const value = toJson(await definition.run(stored as z.output<Input>, { ...context, approved }));
    return { preview, result: { ok: true, value }, logs, progress, spent, sources: reading.found() };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return {
      preview,
      result: { ok: false, error: error.failure },
      logs,
      progress,
      spent,
      sources: reading.found(),
    };
  }
}
