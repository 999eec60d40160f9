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

/** Context of a tool run. Contains everything that differs between two runs of the same call. docs/tools.md shows its comments. */
export interface ToolContext<Services> {
  /** Idempotency key, `<session>/<call>`; equal for all attempts of a call */
  readonly key: string;
  /** Call ID, such as `r3s4c0` */
  readonly call: string;
  /** From 1 */
  readonly attempt: number;
  /** Time of the claim in milliseconds; use it instead of `Date.now()` */
  readonly at: number;
  /** Aborts at the time limit and on cancel */
  readonly signal: AbortSignal;
  /** Services of the pack */
  readonly services: Services;
  /** `{ session, run, subject, createdAt? }` */
  readonly facts: SessionFacts;
  /** `{ approval, basis }` after an approval, else `null`. `basis` is that of the preview shown */
  readonly approved: { readonly approval: string; readonly basis: string | null } | null;
  /** `log(text)` adds a line to the trace and the operator's log, unseen by the model: 20 per attempt, 500 characters each @see deploy.md#logs */
  readonly log: (text: string) => void;
  /** `progress(text, percent?)` shows progress, not stored, four times a second at most */
  readonly progress: (text: string, percent?: number) => void;
  /** `spend(usd)` reports the cost; otherwise all of `costUsd` is charged */
  readonly spend: (usd: number) => void;
  /** `keepPage(page)` stores a page and returns citation marks; `foundUrls(urls)` registers addresses (`src/plugins/web/visit.ts`). Absent outside of a run */
  readonly outside?: Outside;
}

/** The six required declarations of a tool. A first tool needs no more; ToolOptions has the rest. docs/tools.md shows its comments. */
export interface FirstTool<Input extends z.ZodType, Output, Services> {
  /** A small letter, then 1 to 47 small letters, digits or `_`; unique */
  readonly name: string;
  /** For the model: what it does, and when to use it */
  readonly description: string;
  /** A `z.strictObject`, checked before each call. Give each string a `max`, and `.describe()` unclear fields */
  readonly input: Input;
  /** `read`, `keyed` or `once` @see tools.md#effect */
  readonly effect: EffectClass;
  /** Risk @see tools.md#tier */
  readonly tier: Tier;
  /** `(input, context) => Promise<output>`; the output is JSON. Throw expected failures as `ToolError` */
  readonly run: (input: z.output<Input>, context: ToolContext<Services>) => Promise<Output>;
}

/** Optional declarations of a tool, by topic. docs/tools.md shows its comments. */
export interface ToolOptions<Input extends z.ZodType, Output, Services> {
  // How people see it.

  /** For people, such as `Delete pages` @default the name in words */
  readonly title?: string;
  /** Raise it when the meaning changes; started runs and remembered decisions use the old one @default 1 */
  readonly version?: number;
  /** JSON Schema offered to the model @default from `input` */
  readonly inputSchema?: JsonObject;
  /** JSON Schema with the field names of cards and `run` @default `inputSchema` */
  readonly argsSchema?: JsonObject;

  // Approval

  /** `(input, context) => Promise<Preview>` @see tools.md#previews @default none: people see the arguments */
  readonly preview?: (input: z.output<Input>, context: ToolContext<Services>) => Promise<Preview>;
  /** `never`, `ask`, `depends` (on the preview) or `deny` @default by tier */
  readonly approval?: Gate;
  /** Rules for who decides; implies asking @see agents.md#approval-rules @default the session's owner */
  readonly approvals?: ApprovalRules;
  /** `true`: readers may use it (tier `open` only) @default `false` */
  readonly public?: boolean;

  // Outside content and reach

  /** Source of its output @see tools.md#data-flow @default by tier */
  readonly reads?: Reads;
  /** Where data goes @see tools.md#data-flow @default by tier */
  readonly reach?: Reach;
  /** `true`: it starts work after the run; tainted runs ask first @default `false` */
  readonly later?: true;

  // Effects, for the session's memory and the review of an answer

  /** `(input, output)` → `{ op, type, id, name, slug?, parent? }[]`: things touched, created or deleted; for memory and receipts @default none */
  readonly entities?: (input: z.output<Input>, output: Output) => readonly EntityRef[];
  /** Names of its effects, such as `["create"]` (`src/plugins/plain-words/data`), to check claims @default claims are not checked */
  readonly verbs?: readonly Verb[];

  /** Recipient from the address book: `{name, known, configured}` @default nobody */
  readonly sendTo?: (input: z.output<Input>, services: Services) => SendTo;

  // Costs

  /** `(input, services)` → maximum US dollars per attempt, reserved first @default nothing */
  readonly costUsd?: (input: z.output<Input>, services: Services) => number;

  /** `true`: offered to `lean` runs @default `false` */
  readonly lean?: true;

  // How often and how long.

  /** Time limit of a preview, and of a run @default 30,000 */
  readonly timeoutMs?: number;
  /** Calls per run @default unlimited while at least half find something new */
  readonly maxCalls?: number;
  /** Calls per step @default no limit */
  readonly perStep?: number;
  /** Calls per minute @default no limit */
  readonly perMinute?: number;
  /** Pause between calls @default 0 */
  readonly cooldownMs?: number;
  /** Characters of the result shown to the model @default 8,192 */
  readonly observationMax?: number;

  /** `true`: the result is never shortened in the prompt @default `false` */
  readonly keepWhole?: true;
  /** `{ withheld, refused }`: functions that hide the tool or refuse a call, by the agent's options @see plugins.md#agent-options @default all of it */
  readonly narrowed?: Narrowed<z.output<Input>>;

  // When an equal call is no loop, and when its answer is read from the log.

  /** `bookkeeping` (the run's notes) or `send` (to the person) @default `work` */
  readonly kind?: ToolTraits["kind"];
  /** `{ minIntervalMs, maxPolls }`: equal calls that are not a loop @default equal calls are a loop */
  readonly polling?: { readonly minIntervalMs: number; readonly maxPolls: number };
  /** `true`: equal changes may be repeated @default `false` */
  readonly repeatable?: boolean;
  /** Time during which equal reads are answered from the log @default 600,000 */
  readonly freshMs?: number;
  /** How guards compare calls: arguments `target`, `query`, `cursors`, `value`; ignored keys `volatile`; output `ids`, such as `items[].id` @default `query` or `q` is the query */
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
