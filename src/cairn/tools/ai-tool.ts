import type {
  FlexibleSchema,
  InferToolInput,
  InferToolOutput,
  ToolExecutionOptions,
  ToolResultOutput,
  ToolSet,
} from "@ai-sdk/provider-utils";
import type * as z from "zod";
import { toJson } from "../core/log/json.ts";
import type { Gate, Preview } from "../core/log/tool.ts";
import { startOf } from "../core/text/cut.ts";
import { aiInputOf, validateOf, type SchemaProblem, type Verdict } from "./ai-schema.ts";
import { gateOf } from "./card.ts";
import {
  defineTool,
  plainPreview,
  titleOf,
  ToolError,
  type FirstTool,
  type Tool,
  type ToolContext,
  type ToolOptions,
} from "./define.ts";
import { findUnplain } from "./input/plain.ts";
import { isSame } from "./input/steady.ts";

/** Characters of an error of a tool that the model is shown. */
const ERROR_CHARS_MAX = 500;

/** Everything that an AI SDK tool does not declare. Other fields of defineTool may be set too. */
export interface AiToolOptions<Input, Output, Services>
  extends
    Pick<FirstTool<z.ZodType<Input>, Output, Services>, "name" | "effect" | "tier">,
    Omit<ToolOptions<z.ZodType<Input>, Output, Services>, "inputSchema" | "argsSchema"> {
  /** for the model; default: that of the tool */
  readonly description?: string;
  /** makes the `context` that the tool declares with `contextSchema`, for each call; the services are the bindings */
  readonly toolContext?: (services: Services) => unknown;
}

/** The fields of an AI SDK tool that are read. The callbacks `onInput…`, `strict`, `inputExamples`, `outputSchema` and `providerOptions` are not. */
interface AiTool {
  readonly type?: string;
  readonly id?: string;
  readonly title?: string;
  readonly description?: unknown;
  readonly inputSchema?: FlexibleSchema;
  readonly contextSchema?: FlexibleSchema;
  readonly needsApproval?:
    | boolean
    | ((input: unknown, options: ToolExecutionOptions<unknown>) => boolean | PromiseLike<boolean>);
  readonly execute?: (input: unknown, options: ToolExecutionOptions<unknown>) => unknown;
  readonly toModelOutput?: (of: {
    readonly toolCallId: string;
    readonly input: unknown;
    readonly output: unknown;
  }) => ToolResultOutput | PromiseLike<ToolResultOutput>;
}

/**
 * Turns a tool of the AI SDK (`tool()`, `dynamicTool()`) into one of Cairn's, unchanged. Throws at load where it has no `execute`,
 * is a provider's own, or contradicts the options.
 *
 * - `execute` gets `toolCallId` (`context.key`, equal for all attempts of a call), `abortSignal` and `context`. `messages` is
 *   empty: a call is run from the log, maybe after a crash, and no list of messages is stored with it. Of an async iterable the
 *   last value is the result. An error that it throws is shown to the model; a change may have been made then.
 * - `needsApproval: true` always asks. A function asks where it does not return false, and where it throws.
 * - `toModelOutput` decides the result where it returns `text`, `json` or an error; anything else (`content`) leaves the output as it is.
 *
 *     tools: [fromAiTool(weather, { name: "weather", effect: "read", tier: "open" })]
 */
export function fromAiTool<Given extends ToolSet[string], Services = object>(
  given: Given,
  options: AiToolOptions<InferToolInput<Given>, InferToolOutput<Given>, Services>,
): Tool<z.ZodType<InferToolInput<Given>>, Services, InferToolOutput<Given>> {
  // The types of the SDK differ by what a tool has; it is read here as it may be.
  const tool = given as unknown as AiTool;
  const loose = options as unknown as AiToolOptions<unknown, unknown, Services>;
  const made = definitionOf(tool, loose);
  return defineTool(made) as unknown as Tool<
    z.ZodType<InferToolInput<Given>>,
    Services,
    InferToolOutput<Given>
  >;
}

function definitionOf<Services>(
  tool: AiTool,
  options: AiToolOptions<unknown, unknown, Services>,
): Parameters<typeof defineTool<Services, z.ZodType, unknown>>[0] {
  const { toolContext, ...declared } = options;
  const { name } = declared;
  const execute = executeOf(tool, options);
  const { input, inputSchema, validateLater } = inputIn(tool, name);
  const title = declared.title ?? tool.title ?? titleOf(name);
  const { needsApproval, toModelOutput } = tool;
  const approval = approvalOf(tool, options);
  const optionsOf = async ({ key, signal, services }: ToolContext<Services>) => ({
    toolCallId: key,
    messages: [],
    abortSignal: signal,
    context: await contextIn(tool, name, () => toolContext?.(services)),
  });
  const validate = async (value: unknown): Promise<void> => {
    if (validateLater !== undefined)
      refuseValue(name, value, await verdictOf(name, () => validateLater(value)));
  };
  const asks = typeof needsApproval === "function" ? needsApproval : null;
  const preview = async (value: unknown, context: ToolContext<Services>): Promise<Preview> => {
    await validate(value);
    const shown = await declared.preview?.(value, context);
    const reason =
      asks === null
        ? null
        : await reasonToAsk(title, () => optionsOf(context).then((given) => asks(value, given)));
    if (shown === undefined)
      return plainPreview(title, needOf(reason, asks === null ? `${title} asks every time.` : null));
    return shown.need.kind === "none" ? { ...shown, need: needOf(reason, null) } : shown;
  };
  const isPreviewed = declared.preview !== undefined || asks !== null || validateLater !== undefined;
  return {
    ...declared,
    title,
    description: descriptionOf(tool, options) ?? title,
    input,
    ...(inputSchema === undefined ? {} : { inputSchema }),
    ...(approval === undefined ? {} : { approval }),
    ...(isPreviewed ? { preview } : {}),
    run: async (value, context) => {
      await validate(value);
      const given = await optionsOf(context);
      const output = await outputOf(() => execute(value, given), context.signal);
      return toModelOutput === undefined
        ? output
        : modelOutput(output, () => toModelOutput({ toolCallId: context.key, input: value, output }));
    },
  };
}

function executeOf(
  { type = "function", id, execute, toModelOutput, contextSchema }: AiTool,
  { name, entities, toolContext }: AiToolOptions<unknown, unknown, never>,
): NonNullable<AiTool["execute"]> {
  if (type !== "function" && type !== "dynamic")
    throw new Error(
      `tool ${name}: ${id ?? "it"} is defined by a provider, which no other model knows. Write it with tool().`,
    );
  if (typeof execute !== "function")
    throw new Error(
      `tool ${name}: it has no execute. Add one: tools that the client runs are not offered yet.`,
    );
  if (toModelOutput !== undefined && entities !== undefined)
    throw new Error(`tool ${name}: entities would read what toModelOutput makes. Leave one of them out.`);
  if (contextSchema !== undefined && toolContext === undefined)
    throw new Error(
      `tool ${name}: it has a contextSchema. Say how its context is made: toolContext: (env) => ({ … })`,
    );
  return execute;
}

function inputIn({ inputSchema }: AiTool, name: string): ReturnType<typeof aiInputOf> {
  try {
    return aiInputOf(inputSchema);
  } catch (error) {
    throw new Error(`tool ${name}: ${messageOf(error)}`, { cause: error });
  }
}

function descriptionOf(
  { description }: AiTool,
  { name, description: own }: AiToolOptions<unknown, unknown, never>,
): string | undefined {
  if (own !== undefined) return own;
  if (description === undefined || typeof description === "string") return description;
  throw new Error(
    `tool ${name}: its description is a function. Give a text as description: it is the same in every run.`,
  );
}

/** Returns the stricter of the tool's own setting and the options. */
function approvalOf(
  { needsApproval }: AiTool,
  { name, approval, tier }: AiToolOptions<unknown, unknown, never>,
): Gate | undefined {
  if (needsApproval === undefined || needsApproval === false) return approval;
  if (approval === "never" || (approval === "depends" && needsApproval === true))
    throw new Error(`tool ${name}: it needs approval, so its approval is not "${approval}"`);
  if (approval !== undefined) return approval;
  return needsApproval === true || gateOf(tier) === "ask" ? "ask" : "depends";
}

const needOf = (reason: string | null, otherwise: string | null): Preview["need"] => {
  const why = reason ?? otherwise;
  return why === null ? { kind: "none" } : { kind: "ask", reason: why };
};

/** Why a person is asked, or null. Only a plain no runs without a person. */
async function reasonToAsk(title: string, asks: () => PromiseLike<boolean>): Promise<string | null> {
  try {
    return (await asks()) === false ? null : `${title} asks for these arguments.`;
  } catch {
    return `${title} could not decide whether these arguments need approval.`;
  }
}

async function verdictOf(name: string, validate: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await validate();
  } catch {
    throw new ToolError(
      "internal",
      "schema_threw",
      `The schema of ${name} fails on these arguments. Nothing was done.`,
      {
        hint: "Send other arguments, or use another tool. The operator has to change this one.",
        nothingDone: true,
      },
    );
  }
}

/** Refuses arguments that do not fit, and those that the schema would make another value of. */
function refuseValue(name: string, value: unknown, verdict: Verdict): void {
  if (!verdict.ok)
    throw new ToolError(
      "invalid_args",
      "invalid_input",
      `The arguments of ${name} do not fit: ${verdict.problems.map(problemText).join("; ")}`,
      { hint: "Correct these fields and call again.", nothingDone: true },
    );
  if (findUnplain(verdict.value) !== null || !isSame(verdict.value, value))
    throw new ToolError(
      "internal",
      "schema_converts",
      `The schema of ${name} makes another value of these arguments than people are shown. Nothing was done.`,
      {
        hint: "Use another tool. The operator has to change this one: its inputSchema must be the Zod schema itself.",
        nothingDone: true,
      },
    );
}

const problemText = ({ path, message }: SchemaProblem): string =>
  path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;

async function contextIn({ contextSchema }: AiTool, name: string, make: () => unknown): Promise<unknown> {
  const refused = (why: string): ToolError =>
    new ToolError("internal", "tool_context", `The context of ${name} cannot be made: ${why}`, {
      hint: "Use another tool. The operator has to set what this one needs.",
      nothingDone: true,
    });
  let made: unknown;
  let verdict: Verdict | undefined;
  try {
    made = make();
    verdict = await validateOf(contextSchema)?.(made);
  } catch (error) {
    throw refused(messageOf(error));
  }
  if (verdict === undefined) return made;
  if (verdict.ok) return verdict.value;
  throw refused(verdict.problems.map(problemText).join("; "));
}

/** The output, or the last one of several, as plain JSON. */
async function outputOf(execute: () => unknown, signal: AbortSignal): Promise<unknown> {
  try {
    const made = await execute();
    if (!isAsyncIterable(made)) return toPlainOutput(made);
    let last: unknown = null;
    for await (const one of made) {
      signal.throwIfAborted();
      last = one;
    }
    return toPlainOutput(last);
  } catch (error) {
    if (error instanceof ToolError || signal.aborted) throw error;
    throw failed(messageOf(error));
  }
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const failed = (message: string): ToolError =>
  new ToolError("internal", "tool_failed", startOf(message, ERROR_CHARS_MAX) || "The tool failed.", {
    mayBeDone: true,
  });

/** As the AI SDK writes an output: `toJSON` of dates, addresses and the like is asked. */
function toPlainOutput(output: unknown): unknown {
  try {
    const text: string | undefined = JSON.stringify(output);
    return text === undefined ? null : JSON.parse(text);
  } catch {
    return toJson(output);
  }
}

/** The call is over, so an error in describing its output is none of the call. */
async function modelOutput(
  output: unknown,
  describe: () => ToolResultOutput | PromiseLike<ToolResultOutput>,
): Promise<unknown> {
  let shown: ToolResultOutput;
  try {
    shown = await describe();
  } catch {
    return output;
  }
  if (shown.type === "text" || shown.type === "json") return toPlainOutput(shown.value);
  if (shown.type === "error-text") throw failed(shown.value);
  if (shown.type === "error-json") throw failed(JSON.stringify(toJson(shown.value)));
  return output;
}
