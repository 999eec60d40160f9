import type * as z from "zod";
import { rulesFault } from "../core/guards/approval-rules.ts";
import type { ApprovalRules } from "../core/log/approval.ts";
import type { Json } from "../core/log/json.ts";
import type { EffectClass } from "../core/log/names.ts";
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
} from "../core/log/tool.ts";
import type { Redact } from "../core/text/redact.ts";

/** What a tool is handed beside its input. Everything that differs between two runs of the same call is in here. */
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
  readonly facts: { readonly session: string; readonly run: string; readonly subject: string };
  /** set when a person approved this call; `basis` is that of the preview shown */
  readonly approved: { readonly approval: string; readonly basis: string | null } | null;
}

export interface ToolDefinition<Input extends z.ZodType, Output, Services> {
  /** `[a-z][a-z0-9_]{1,47}` */
  readonly name: string;
  readonly version: number;
  /** for people: a short verb phrase such as `Delete pages` */
  readonly title: string;
  /** for the model */
  readonly description: string;
  readonly input: Input;
  readonly effect: EffectClass;
  /** what its effects are called, so that an answer which claims one can be held against the calls of its run */
  readonly verbs?: readonly Verb[];
  readonly tier: Tier;
  /** where what it tells comes from; default by tier: external and danger `outside`, the others `private` */
  readonly reads?: Reads;
  /** whether it carries words out of this deployment; default by tier: external and danger do */
  readonly reach?: Reach;
  /** guests may have it called; only where its tier is open */
  readonly public?: boolean;
  /** what it does is no work of its own: it keeps the run's books; or it sends the person something. Default: work */
  readonly kind?: ToolTraits["kind"];
  /** equal calls spaced by the interval are no loop, up to `maxPolls` equal results */
  readonly polling?: { readonly minIntervalMs: number; readonly maxPolls: number };
  /** an effect that may be wanted again with equal arguments */
  readonly repeatable?: boolean;
  /** milliseconds for which an equal ok read is answered from the log; default 600 000 */
  readonly freshMs?: number;
  /** calls a run, a step and a minute at most, and milliseconds from one to the next */
  readonly maxCalls?: number;
  readonly perStep?: number;
  readonly perMinute?: number;
  readonly cooldownMs?: number;
  /** what of arguments and output says the same thing in other words, where ids, queries and targets stand */
  readonly shape?: Partial<CallShape>;
  /** default by tier: open and write never ask, the others ask. `depends` lets the preview decide and needs one */
  readonly approval?: Gate;
  /** who decides its calls, and how; a tool that says so asks, unless its preview decides that */
  readonly approvals?: ApprovalRules;
  /** reads only; what the call would do. Refusals (not found, invalid content) are thrown here, before a person is asked */
  readonly preview?: (input: z.output<Input>, context: ToolContext<Services>) => Promise<Preview>;
  /** default 30 000 */
  readonly timeoutMs?: number;
  /** characters of the observation shown inline; default 8 192 */
  readonly observationMax?: number;
  readonly entities?: (input: z.output<Input>, output: Output) => readonly EntityRef[];
  /** `Output` must be JSON; expected failures are thrown as ToolError */
  readonly run: (input: z.output<Input>, context: ToolContext<Services>) => Promise<Output>;
}

/** A tool with its types erased, as the registry holds it. */
export interface AnyTool<Services = never> {
  readonly definition: ToolDefinition<z.ZodType, unknown, Services>;
}

const NAME = /^[a-z][a-z0-9_]{1,47}$/;

/** Declares a tool. Throws at load when the declaration contradicts itself, so that it cannot be deployed. */
export function defineTool<Services, Input extends z.ZodType, Output>(
  definition: ToolDefinition<Input, Output, Services>,
): AnyTool<Services> {
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
  return { definition: definition as unknown as ToolDefinition<z.ZodType, unknown, Services> };
}

/** An expected failure of a tool, worded for the model and for the person. */
export class ToolError extends Error {
  readonly failure: ToolFailure;
  /** the effect certainly did not happen, whatever the class says */
  readonly nothingDone: boolean;

  constructor(
    errorClass: ErrorClass,
    code: string,
    message: string,
    more: {
      /** with a class that leaves the outcome open (server, network, timeout): nothing was done after all */
      nothingDone?: boolean;

      hint?: string;
      suggestions?: readonly Json[];
      at?: string;
      details?: Json;
      retryable?: boolean;
    } = {},
  ) {
    super(message);
    this.name = "ToolError";
    const { nothingDone = false, ...told } = more;
    this.nothingDone = nothingDone;
    this.failure = {
      class: errorClass,
      code,
      message,
      retryable: more.retryable ?? RETRYABLE.has(errorClass),
      ...told,
    };
  }
}

/** Tools that belong together: their services, and the prompt module that teaches their use. */
export interface Pack<Env, Services> {
  readonly name: string;
  readonly tools: readonly AnyTool<Services>[];
  /** file names under prompts/, without the ending */
  readonly prompts: readonly string[];
  /** the services, or why the pack cannot be offered in this deployment */
  readonly services: (env: Env) => Services | { readonly unavailable: string };
  /** awaited before a tool of the pack is previewed or run; repeats must be cheap. A throw fails that call, retryably */
  readonly ready?: (env: Env, at: number) => Promise<void>;
}

export function definePack<Env, Services>(pack: Pack<Env, Services>): Pack<Env, Services> {
  return pack;
}

/** The services of a pack. One that throws where it should say what is missing must not take the others down. */
export function servicesOf<Env, Services>(
  pack: Pack<Env, Services>,
  env: Env,
  redact: Redact,
): ReturnType<Pack<Env, Services>["services"]> {
  try {
    return pack.services(env);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { unavailable: `It does not start: ${redact(said)}` };
  }
}
