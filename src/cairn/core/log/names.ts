/** Names are derived, never drawn: the same fact has the same name after a crash. */

/** The tool by which a model ends its run. */
export const COMPLETE = "complete";

export const runName = (n: number): string => `r${n}`;

export const stepName = (run: string, n: number): string => `${run}s${n}`;

export const callName = (step: string, index: number): string => `${step}c${index}`;

export const approvalName = (call: string, n: number): string => `${call}a${n}`;

/** Name of the question of a call, or of the step after which a guard asks: each asks at most once. */
export const questionName = (asker: string): string => `${asker}q1`;

/** Name of a run's budget question: a run asks at most once. */
export const budgetQuestionName = (run: string): string => `${run}b1`;

/** Public id of a run: `<session>.r3`. */
export const runId = (session: string, run: string): string => `${session}.${run}`;

/** Session of the child that a call starts: `ses_demo~r3s4c0`. No other session may have such a name. */
export const childName = (session: string, call: string): string => `${session}~${call}`;

/** The session and the call that a child session is named by, or null where it is none. */
export function parentOf(session: string): { readonly session: string; readonly call: string } | null {
  const match = /^(.+)~(r[1-9]\d*s[1-9]\d*c\d+)$/.exec(session);
  return match?.[1] === undefined || match[2] === undefined ? null : { session: match[1], call: match[2] };
}

/** Ids in requests and settings: of sessions, environments, pages, targets of webhooks. */
export const ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** Names of people. Those of webhooks begin with `hook:`, and nobody else's may. */
export const SUBJECT_PATTERN = /^(?!hook:)[A-Za-z0-9_.@:-]{1,64}$/;

/** Names of targets of a run, such as `site`. */
export const TARGET_NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** The field under which a run returns its result. */
export const RESULT_KEY = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Names of sessions, children among them. */
export const SESSION_NAME = /^[A-Za-z0-9_-]{1,64}(?:~r[1-9]\d{0,8}s[1-9]\d{0,8}c\d{1,3}){0,3}$/;

/** The session and the local name in the public id of a run, or null. */
export function readRunId(id: string): { readonly session: string; readonly run: string } | null {
  const [, session = "", run = ""] = /^([^.]+)\.(r[1-9]\d{0,8})$/.exec(id) ?? [];
  return SESSION_NAME.test(session) ? { session, run } : null;
}

/** Returns the session at the root of this session's tree. */
export const rootOf = (session: string): string => session.split("~", 1)[0] ?? session;

/**
 * Idempotency key of a call: `ses_demo@1767225600000/r3s4c0`. `createdAt`: creation time of the session, milliseconds
 * since the epoch, so that a later session of the same name has other keys; null if unknown.
 */
export const callKey = (session: string, createdAt: number | null, call: string): string =>
  `${session}${createdAt === null ? "" : `@${createdAt}`}/${call}`;

/** The `createdAt` of the session in a key of `callKey`; null where the key has none. */
export function createdAtIn(key: string): number | null {
  const at = /@(\d{1,16})\/[^/]*$/.exec(key)?.[1];
  return at === undefined ? null : Number(at);
}

/** The local name of a public run id of this session, or null when it is another's or malformed. */
export function localRun(session: string, id: string): string | null {
  const prefix = `${session}.`;
  if (!id.startsWith(prefix)) return null;
  const run = id.slice(prefix.length);
  return /^r[1-9]\d*$/.test(run) ? run : null;
}

/** The run that a step, call or approval belongs to: `r3` of `r3s4c0a1`. */
export function runOf(name: string): string | null {
  return /^(r[1-9]\d*)s[1-9]\d*/.exec(name)?.[1] ?? null;
}

/** Parses such a name into seq and part; null if it is another name. */
export function readInputName(name: string): { readonly seq: number; readonly part: number } | null {
  const match = /^input-([1-9]\d{0,15})-(\d{1,4})$/.exec(name);
  return match === null ? null : { seq: Number(match[1]), part: Number(match[2]) };
}

/** Name under which read_observation finds a part of a person's message. */
export const inputName = (seq: number, part: number): string => `input-${seq}-${part}`;

/** read: may run again. keyed: run again under the same key has no second effect. once: never run again. */
export type EffectClass = "read" | "keyed" | "once";

/** Pattern of agent names. */
export const AGENT_NAME = /^[a-z][a-z0-9_-]{0,63}$/;
export const DEFAULT_AGENT = "default";
/** Names of the built-in tools, and other names under which a model may call them. No tool of a pack may bear one of them. */

export const BUILTIN_TOOLS = [
  "complete",
  "ask_human",
  "read_observation",
  "store_memory",
  "retrieve_memory",
  "update_plan",
  "log_progress",
  "find_tool",
] as const;
type BuiltinTool = (typeof BUILTIN_TOOLS)[number];

/** The tool that offers a run more tools. */
export const FIND_TOOL = "find_tool";

/** `any`: in every dialect. `json`: in replies that are written as JSON. */
export const ALIASES: Readonly<Record<"any" | "json", Readonly<Record<string, BuiltinTool>>>> = {
  any: { pause_for_human: "ask_human" },
  json: {
    __complete__: "complete",
    __pause_for_human__: "ask_human",
    __store_memory__: "store_memory",
    __retrieve_memory__: "retrieve_memory",
    __log_progress__: "log_progress",
  },
};

/** Resolves a tool name from a model: an alias becomes its built-in, any other name is unchanged. */
export function toolNamed(name: string, dialect: "any" | "json" = "any"): string {
  const alias = (of: "any" | "json"): string | undefined =>
    Object.hasOwn(ALIASES[of], name) ? ALIASES[of][name] : undefined;
  return alias("any") ?? (dialect === "json" ? alias("json") : undefined) ?? name;
}

/** True if the name is reserved, so that no tool of a pack may have it. */
export function isReserved(name: string): boolean {
  return (
    BUILTIN_TOOLS.some((builtin) => builtin === name) ||
    name === "run_agent" ||
    toolNamed(name, "json") !== name ||
    name.startsWith("__")
  );
}
