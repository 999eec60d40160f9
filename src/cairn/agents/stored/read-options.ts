import * as z from "zod";
import { isObject, toJson, type JsonObject } from "../../core/log/json.ts";
import { optionsFault, type PluginOptions } from "../../core/log/plugin-options.ts";
import { nearestWords } from "../../core/text/nearest.ts";
import { faultWords } from "../../protocol/fault-words.ts";
import { pathText } from "../../protocol/issues.ts";
import { issuesOf } from "../../protocol/run-spec/faults.ts";
import type { Agent, AgentIssue } from "../define.ts";

/** Options of agents, as the plugins of a deployment read them. */

/** By the names of the plugins that take options. */
export type OptionSchemas = ReadonlyMap<string, z.ZodType<JsonObject>>;

export interface ReadOptions {
  /** without those that have a fault */
  readonly options: PluginOptions;
  /** what the plugins refuse */
  readonly faults: readonly AgentIssue[];
  /** names under which no plugin takes options */
  readonly absent: readonly AgentIssue[];
}

/** Never throws. */
export function readOptions(written: PluginOptions, schemas: OptionSchemas): ReadOptions {
  const options: [string, JsonObject][] = [];
  const faults: AgentIssue[] = [];
  const absent: AgentIssue[] = [];
  for (const [name, value] of Object.entries(written)) {
    const schema = schemas.get(name);
    if (schema === undefined) {
      absent.push(absentPlugin(name, [...schemas.keys()]));
      continue;
    }
    const found = readOne(name, value, schema);
    if (found.ok) options.push([name, found.value]);
    else faults.push(...found.issues);
  }
  return { options: Object.fromEntries(options), faults, absent };
}

type ReadOne =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly issues: readonly AgentIssue[] };

function readOne(name: string, value: JsonObject, schema: z.ZodType<JsonObject>): ReadOne {
  const at = ["options", name];
  const unread = { path: pathText(at), code: "wrong_type", message: "Its plugin cannot read it." };
  try {
    const parsed = z.safeParse(schema, value, { error: faultWords, reportInput: true });
    if (parsed.success) {
      const read = toJson(parsed.data);
      // The log of each run stores the parsed value, so it has the same bound.
      const isSound = isObject(read) && optionsFault({ [name]: read }) === null;
      return isSound ? { ok: true, value: read } : { ok: false, issues: [unread] };
    }
    const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    const issues = parsed.error.issues.flatMap((fault) =>
      issuesOf(
        fault,
        (path) => pathText([...at, ...path]),
        (path) => (path.length === 0 ? fields : []),
      ),
    );
    return { ok: false, issues };
  } catch {
    // The schema's own code threw, or is asynchronous.
    return { ok: false, issues: [unread] };
  }
}

function absentPlugin(name: string, names: readonly string[]): AgentIssue {
  const [near] = nearestWords(name, names);
  return {
    path: pathText(["options", name]),
    code: "unknown_field",
    message: "No plugin of this deployment takes options under this name.",
    ...(near === undefined ? {} : { suggestion: near }),
  };
}

/** The agent with options that plugins have read. */
export function withOptions(agent: Agent, options: PluginOptions): Agent {
  const { options: _written, ...spec } = agent.spec;
  return { ...agent, spec: Object.keys(options).length === 0 ? spec : { ...spec, options } };
}
