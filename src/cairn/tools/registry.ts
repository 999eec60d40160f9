import * as z from "zod";
import { createdAtIn, FIND_TOOL, isReserved } from "../core/log/names.ts";
import { ownValue, type Json, toJson } from "../core/log/json.ts";
import type { PluginOptions } from "../core/log/plugin-options.ts";
import type {
  CallOrder,
  Checked,
  EntityRef,
  ErrorClass,
  InputForm,
  PreviewOutcome,
  ToolCard,
  ToolFailure,
  ToolOutcome,
  Progress,
} from "../core/log/tool.ts";
import type { ListedNames } from "../core/guards/named-tools.ts";
import { dollars } from "../core/guards/budget/amounts.ts";
import { unknownTool } from "../core/entries/grant.ts";
import { complaintOf, createRedactor, type Redact } from "../core/text/redact.ts";
import { cardOf } from "./card.ts";
import { editedSchema } from "./input/edited.ts";
import { findUnplain, type Unplain } from "./input/plain.ts";
import { Reading } from "./reading.ts";
import { CallReporter } from "./call-reporter.ts";
import {
  plainPreview,
  servicesOf,
  ToolError,
  type AnyTool,
  type Pack,
  type PackRegistry,
  type ToolContext,
} from "./define.ts";
import type { ToolProblem } from "./rules.ts";
import { logError } from "../operator-log.ts";

interface Registered {
  readonly card: ToolCard;
  readonly tool: AnyTool<unknown>;
  readonly services: unknown;
  readonly ready: (at: number) => Promise<void>;
  /** whose options narrow it; null: it is of no plugin */
  readonly plugin: string | null;
}

/** packs of the kernel */
const OWN: readonly string[] = ["builtin", "agents"];

/** Maximum number of argument faults listed: more would not help. */
const FAULTS_LISTED_MAX = 8;

/** The tools of a deployment: what is offered, and how a call of one is checked, previewed and run. Nothing here throws. */
export class Registry {
  readonly #tools = new Map<string, Registered>();
  readonly #notOffered: { tool: string; why: string }[] = [];
  readonly #problems: ToolProblem[] = [];
  readonly #prompts: { readonly pack: string; readonly modules: Pack<never, never>["prompts"] }[] = [];
  readonly #listed: ListedNames[] = [];
  readonly #session: string;
  readonly #clock: () => number;
  readonly #redact: Redact;
  /** those of the tools; null after a change */
  #cards: readonly ToolCard[] | null = null;

  /** `redact` scrubs what is logged; without it only keys that are known by their form */
  constructor(session: string, clock: () => number, redact: Redact = createRedactor([])) {
    this.#redact = redact;
    this.#session = session;
    this.#clock = clock;
  }

  /**
   * A pack that cannot be offered is a problem, and the others work. `plugin`: whose it is. Throws at load on a name that two
   * packs use.
   */
  add<Env, Services>(pack: Pack<Env, Services>, env: Env, plugin: string | null = null): this {
    const services = servicesOf(pack, env, this.#redact);
    const ready = async (at: number): Promise<void> => {
      try {
        await pack.ready?.(env, at);
      } catch (error) {
        if (error instanceof ToolError) throw error;
        logError(`the pack ${pack.name} is not ready`, complaintOf(error, this.#redact));
        throw new ToolError("server", "unavailable", `The ${pack.name} tools are not ready.`, {
          hint: "Try again.",
          nothingDone: true,
        });
      }
    };
    const lacking =
      typeof services === "object" && services !== null && "unavailable" in services ? services : null;
    const missing = lacking?.unavailable ?? null;
    if (missing === null) this.#prompts.push({ pack: pack.name, modules: pack.prompts });
    else if (lacking?.wanted !== false) this.#problems.push({ about: `pack ${pack.name}`, message: missing });
    this.#cards = null;
    for (const tool of pack.tools) {
      const { name } = tool.definition;
      if (!OWN.includes(pack.name) && isReserved(name))
        throw new Error(`tool ${name} of the pack ${pack.name}: this name is that of a built-in tool`);
      const other = this.#tools.get(name);
      if (other !== undefined)
        throw new Error(
          `two tools are named ${name}: one of the pack ${other.card.pack}, one of the pack ${pack.name}`,
        );
      if (missing !== null) this.#notOffered.push({ tool: name, why: missing });
      else
        this.#tools.set(name, {
          card: cardOf(tool as AnyTool<unknown>, pack.name, pack.shortList?.includes(name) === false),
          tool: tool as AnyTool<unknown>,
          services,
          ready,
          plugin,
        });
    }
    return this;
  }

  /** Notes that tools are missing because their code threw. */
  notStarted(about: string, error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    this.#problems.push({ about, message: `It does not start: ${this.#redact(words)}` });
  }

  /** The same tools, to which others may be added. */
  copy(): Registry {
    const copied = new Registry(this.#session, this.#clock, this.#redact);
    for (const [name, tool] of this.#tools) copied.#tools.set(name, tool);
    copied.#notOffered.push(...this.#notOffered);
    copied.#problems.push(...this.#problems);
    copied.#prompts.push(...this.#prompts);
    copied.#listed.push(...this.#listed);
    return copied;
  }

  /** Names that belong to tools which are listed before a run. */
  expectLists(listed: ListedNames): this {
    this.#listed.push(listed);
    return this;
  }

  listedNames(): readonly ListedNames[] {
    return this.#listed;
  }

  /** Tools that could not be had where the others came from. */
  leave(left: readonly { readonly tool: string; readonly why: string }[]): this {
    this.#notOffered.push(...left);
    return this;
  }

  /** Takes in packs of this plugin. */
  packsOf(plugin: string): PackRegistry {
    return { add: (pack, env) => this.add(pack, env, plugin) };
  }

  /** why the options of an agent withhold this tool; null: they do not */
  withheld(name: string, options: PluginOptions = {}): string | null {
    const { tool, plugin } = this.#tools.get(name) ?? {};
    try {
      return tool?.definition.narrowed?.withheld(ownValue(options, plugin ?? "")) ?? null;
    } catch (error) {
      logError(`the tool ${name} fails on the options of an agent`, complaintOf(error, this.#redact));
      return "It fails on the options of its agent.";
    }
  }

  /** why the options of an agent do not allow a call of this tool; null: they do */
  refused(name: string, input: Json, options: PluginOptions = {}): ToolFailure | null {
    const { tool, plugin } = this.#tools.get(name) ?? {};
    try {
      return tool?.definition.narrowed?.refused(input, ownValue(options, plugin ?? "")) ?? null;
    } catch (error) {
      logError(`the tool ${name} fails on the options of an agent`, complaintOf(error, this.#redact));
      return optionsThrew(name);
    }
  }

  cards(): readonly ToolCard[] {
    if (this.#cards !== null) return this.#cards;
    const cards = [...this.#tools.values()].map((item) => item.card);
    // Where every tool is offered at once, there is none to find.
    const isFinding = cards.some(({ onDemand }) => onDemand === true);
    this.#cards = isFinding ? cards : cards.filter(({ name }) => name !== FIND_TOOL);
    return this.#cards;
  }

  /** prompt modules of these packs, without those whose tools are all others than `taught` */
  promptsOf(packs: ReadonlySet<string>, taught: ReadonlySet<string>): readonly string[] {
    return this.#prompts.flatMap(({ pack, modules }) =>
      packs.has(pack)
        ? modules.flatMap((module) => {
            if (typeof module === "string") return [module];
            return module.tools.some((tool) => taught.has(tool)) ? [module.name] : [];
          })
        : [],
    );
  }

  /** what was found wrong when the packs came together */
  problems(): readonly ToolProblem[] {
    return this.#problems;
  }

  notOffered(): readonly { readonly tool: string; readonly why: string }[] {
    return this.#notOffered;
  }

  check(name: string, input: Json, malformed?: string, form: InputForm = "asked"): Checked {
    const found = this.#tools.get(name);
    if (found === undefined)
      return { ok: false, card: null, failure: unknownTool(name, [...this.#tools.keys()]) };
    const { card, tool } = found;
    if (malformed !== undefined) return { ok: false, card, failure: malformedInput(name) };
    const checked = checkInput(card, tool.definition.input, input, form);
    if (!checked.ok) return checked;
    const { costUsd, sendTo } = tool.definition;
    const usd = costUsd?.(checked.input, found.services) ?? 0;
    return {
      ...checked,
      ...(usd === 0 ? {} : { costMax: dollars(usd) }),
      ...(sendTo === undefined ? {} : { sendTo: sendTo(checked.input, found.services) }),
    };
  }

  async preview(order: CallOrder, signal: AbortSignal): Promise<PreviewOutcome> {
    const found = this.#tools.get(order.tool);
    if (found === undefined) return { kind: "failed", failure: gone(order.tool) };
    const { preview, title } = found.tool.definition;
    if (preview === undefined) {
      const need = { kind: "ask", reason: `${title} asks every time.` } as const;
      return { kind: "ok", preview: plainPreview(title, need) };
    }
    // A preview has no result for its lines, and its progress is not shown.
    const reporter = new CallReporter(this.#session, order, this.#redact, () => {});
    const ran = await this.#within(timeOf(order, found.card), signal, async (inner) => {
      await found.ready(order.at);
      return preview(order.input, this.#context(order, found.services, inner, reporter, new Reading()));
    });
    reporter.end();
    return ran.ok ? { kind: "ok", preview: ran.value } : { kind: "failed", failure: ran.failure };
  }

  async run(
    order: CallOrder,
    signal: AbortSignal,
    tell: (progress: Progress) => void = () => {},
  ): Promise<ToolOutcome> {
    const began = this.#clock();
    const found = this.#tools.get(order.tool);
    if (found === undefined) return { kind: "failed", failure: gone(order.tool), lost: false, ms: 0 };
    const { run, entities } = found.tool.definition;
    const reporter = new CallReporter(this.#session, order, this.#redact, tell);
    const reading = new Reading();
    const ran = await this.#within(timeOf(order, found.card), signal, async (inner) => {
      await found.ready(order.at);
      return run(order.input, this.#context(order, found.services, inner, reporter, reading));
    });
    const report = reporter.end();
    const ms = this.#clock() - began;
    if (!ran.ok) return { kind: "failed", failure: ran.failure, lost: ran.lost, ms, ...report };
    const text = JSON.stringify(toJson(ran.value));
    const sources = reading.found();
    let touched: readonly EntityRef[] = [];
    try {
      touched = entities?.(order.input, ran.value) ?? [];
    } catch {
      // The tool has already acted; a fault in describing the result must not turn it into a failure.
    }
    return {
      kind: "ok",
      text,
      showMax: found.card.observationMax,
      entities: touched,
      ms,
      ...report,
      ...(sources.pages.length + sources.urls.length === 0 ? {} : { sources }),
    };
  }

  #context(
    order: CallOrder,
    services: unknown,
    signal: AbortSignal,
    reporter: CallReporter,
    reading: Reading,
  ): ToolContext<unknown> {
    const { key, call, attempt, at, approved, run, subject } = order;
    const createdAt = createdAtIn(key);
    return {
      outside: reading,
      key,
      call,
      attempt,
      at,
      signal,
      services,
      facts: { session: this.#session, run, subject, ...(createdAt === null ? {} : { createdAt }) },
      approved,
      log: (text) => reporter.log(text),
      progress: (text, percent) => reporter.progress(text, percent),
      spend: (usd) => reporter.spend(usd),
    };
  }

  /** Runs a tool's own code under its time limit. Whatever it throws becomes a failure with a class. */
  async #within<Value>(
    timeoutMs: number,
    signal: AbortSignal,
    body: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Ended<Value>> {
    // Not AbortSignal.timeout: its timer cannot be cleared, and a pending timer keeps an idle object awake.
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    const inner = AbortSignal.any([signal, limit.signal]);
    const stopped = new Promise<Ended<Value>>((resolve) => {
      const stopNow = (): void =>
        resolve({ ok: false, lost: true, failure: stop(limit.signal.aborted, timeoutMs) });
      inner.addEventListener("abort", stopNow, { once: true });
    });
    try {
      if (inner.aborted) return { ok: false, lost: false, failure: stop(false, timeoutMs) };
      const ended = body(inner).then(
        (value): Ended<Value> => ({ ok: true, value }),
        (error: unknown): Ended<Value> => ({
          ok: false,
          ...this.#failureOf(error, inner.aborted, limit.signal.aborted, timeoutMs),
        }),
      );
      return await Promise.race([ended, stopped]);
    } finally {
      clearTimeout(timer);
    }
  }

  #failureOf(
    error: unknown,
    aborted: boolean,
    timedOut: boolean,
    timeoutMs: number,
  ): { failure: ToolFailure; lost: boolean } {
    if (error instanceof ToolError) {
      const { failure, nothingDone, mayBeDone } = error;
      return { failure, lost: !nothingDone && (mayBeDone || OPEN_OUTCOME.has(failure.class)) };
    }
    if (aborted) return { failure: stop(timedOut, timeoutMs), lost: true };
    logError("a tool threw", complaintOf(error, this.#redact));
    const message = "The tool failed inside. Nothing more is known.";
    return { failure: { class: "internal", code: "tool_threw", message, retryable: false }, lost: true };
  }
}

export const malformedInput = (tool: string): ToolFailure => ({
  class: "invalid_args",
  code: "invalid_json",
  message: `The arguments of ${tool} are no valid JSON.`,
  retryable: false,
  hint: "Send one JSON object.",
});

/** The input as the schema takes it, or each field that does not fit. */
export function checkInput(
  card: ToolCard,
  schema: z.ZodType,
  input: Json,
  form: InputForm = "asked",
): Checked {
  let parsed: z.ZodSafeParseResult<unknown>;
  try {
    parsed = z.safeParse(form === "edited" ? editedSchema(schema) : schema, input);
  } catch {
    return { ok: false, card, failure: checkThrew(card.name) };
  }
  // One value from here on: stored, shown, bound by the digest, and given to `run`.
  const unplain = parsed.success ? findUnplain(parsed.data) : null;
  if (unplain !== null) return { ok: false, card, failure: notStored(card.name, unplain) };
  if (parsed.success) return { ok: true, card, input: toJson(parsed.data) };
  const faults = parsed.error.issues.slice(0, FAULTS_LISTED_MAX);
  const issues = faults.map(({ path, code, message }) => ({
    path: pathOf(path),
    code: codeOf(code),
    message,
  }));
  return { ok: false, card, failure: refusedInput(card.name, faults), issues };
}

/** The schema's own code threw, or is asynchronous for these arguments. */
function checkThrew(tool: string): ToolFailure {
  return {
    class: "internal",
    code: "schema_threw",
    message: `The schema of ${tool} fails on these arguments. Nothing was done.`,
    retryable: false,
    hint: "Send other arguments, or use another tool. The operator has to change this one.",
  };
}

const optionsThrew = (tool: string): ToolFailure => ({
  class: "internal",
  code: "tool_threw",
  message: `${tool} fails on the options of its agent. Nothing was done.`,
  retryable: false,
});

function notStored(tool: string, { path, what, isNumber }: Unplain): ToolFailure {
  const at = pathOf(path);
  const field = at || "(input)";
  return isNumber
    ? {
        class: "invalid_args",
        code: "invalid_input",
        message: `The arguments of ${tool} do not fit: ${field}: ${what}`,
        retryable: false,
        hint: "Correct these fields and call again.",
        at,
      }
    : {
        class: "internal",
        code: "schema_not_json",
        message: `The schema of ${tool} makes ${what} of ${field}, which cannot be stored as JSON. Nothing was done.`,
        retryable: false,
        hint: "Use another tool. The operator has to change this one.",
        at,
      };
}

/** After these a change may have been made all the same: the answer was lost, not necessarily the act. */
const OPEN_OUTCOME: ReadonlySet<ErrorClass> = new Set(["server", "network", "timeout"]);

/** A run that is nearly out of time cuts its tools. */
const timeOf = ({ timeMs = Infinity }: CallOrder, { timeoutMs }: ToolCard): number =>
  Math.min(timeMs, timeoutMs);

type Ended<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: ToolFailure; readonly lost: boolean };

function stop(timedOut: boolean, timeoutMs: number): ToolFailure {
  if (timedOut)
    return {
      class: "timeout",
      code: "timed_out",
      message: `No result within ${timeoutMs} ms.`,
      retryable: true,
    };
  return { class: "policy", code: "cancelled", message: "Stopped while it ran.", retryable: false };
}

function gone(tool: string): ToolFailure {
  return {
    class: "permission",
    code: "tool_not_available",
    message: `${tool} is not offered any more.`,
    retryable: false,
  };
}

function refusedInput(name: string, issues: readonly z.core.$ZodIssue[]): ToolFailure {
  const first = issues[0];
  const faults = issues.map(
    (issue) => `${pathOf(issue.path) || "(input)"}: ${issue.message.replace(/\.$/, "")}`,
  );
  const at = first === undefined ? {} : { at: pathOf(first.path) };
  return {
    class: "invalid_args",
    code: codeOf(first?.code),
    message: `The arguments of ${name} do not fit: ${faults.join("; ")}`,
    retryable: false,
    hint: "Correct these fields and call again.",
    ...at,
  };
}

const codeOf = (code: string | undefined): string =>
  code === "unrecognized_keys" ? "unknown_field" : "invalid_input";

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`,
    )
    .join("");
}
