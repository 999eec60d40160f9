import { ID_PATTERN } from "../core/log/names.ts";
import { ownValue } from "../core/log/json.ts";
import {
  isModelHead,
  isRulesName,
  modelForms,
  modelText,
  parseModelName,
  type Dialect,
  type Endpoint,
  type ModelName,
  type OwnNames,
} from "../core/log/model.ts";
import type { PriceList, WindowList } from "../core/model-tables.ts";
import { LOG_LEVELS, type LogLevel } from "../operator-log.ts";
import { parseLinkSecrets } from "../protocol/signed/approval-link.ts";
import { parseOpenAiCompatible, parseOpenRouter } from "./endpoints.ts";
import { parseDialects, parsePrices, parseWindows, type DialectList } from "./model-tables.ts";
import { parseTokens, type Grant } from "./tokens.ts";
import { isObject, isSet, parseList, parseObject, parseSwitch, text, url } from "../protocol/variables.ts";
import { parseWebhookSecrets, parseWebhookTargets, type WebhookTarget } from "./webhook-config.ts";

/**
 * The configuration, parsed from the environment once per isolate. Every variable either becomes a value or a problem
 * that names the variable and the reason, never the value. An unreadable value falls back to the closed one: nobody can
 * log in, nobody is anonymous, no model.
 */

/** C: everything but /healthz is off. M: no run starts. F: only the feature of that variable is off. */
export type ProblemClass = "C" | "M" | "F";

/** A sentence for users of the deployment per problem class, shown after the reason. */
export const PROBLEM_MEANS: Readonly<Record<ProblemClass, string>> = {
  C: "Until it is fixed, everything but /healthz is answered with 503.",
  M: "Until it is fixed, no run starts; reading and deciding go on.",
  F: "Only what it is for is off.",
};

export interface ConfigProblem {
  readonly variable: string;
  readonly class: ProblemClass;
  readonly message: string;
}

/** Everything that it takes to call a model. */
export interface Models {
  readonly primary: ModelName;
  readonly fallbacks: readonly ModelName[];
  /** exact model strings, or heads ending in `*` */
  readonly allowed: readonly string[];
  readonly openaiCompatible: Endpoint | null;
  readonly openrouter: Endpoint | null;
  readonly gatewayId: string | null;
  /** whether the binding AI exists; local ones exist and do not work */
  readonly ai: boolean;
  readonly own: OwnModels;
}

/** The models of the project and the rules of its plugins by name, each with the reason why it cannot be called, or null. null: they cannot be seen from here. */
export type OwnModels = ReadonlyMap<string, string | null> | null;

const NO_OWN_MODELS: OwnModels = new Map();

export const ownNames = ({ own }: Pick<Models, "own">): OwnNames => (own === null ? null : [...own.keys()]);

/** Default of each limit. docs/configuration.md shows the comments. */
const LIMITS = {
  /** Bytes of a request; one JSON value per 20 bytes */
  bodyBytes: 1_048_576,
  /** Bytes of a message or answer */
  messageBytes: 65_536,
  /** Bytes of a socket frame */
  frameBytes: 1_048_576,
  /** Bytes of an incoming webhook */
  hookBytes: 1_048_576,
  /** Bytes of an imported session */
  importBytes: 16_777_216,
  /** Per session */
  messagesPerMinute: 60,
  /** Per subject */
  requestsPerMinute: 600,
  /** Per address */
  authFailuresPerMinute: 300,
  /** Verified, per source */
  hooksPerMinute: 300,
  /** Per socket */
  framesPerMinute: 600,
  /** Open sockets */
  socketsPerSession: 32,
  /** Age of a socket in milliseconds */
  socketMaxAgeMs: 43_200_000,
  /** Difference of a signed time */
  webhookToleranceSeconds: 300,
};
export type RequestLimits = { readonly [Name in keyof typeof LIMITS]: number };

export interface Config {
  readonly problems: readonly ConfigProblem[];
  /** the text of MODEL when it is a model name, whether or not it can be called */
  readonly modelName: string | null;
  /** null while there is a problem of class M */
  readonly models: Models | null;
  readonly tokens: readonly Grant[];
  readonly anonymous: boolean;
  /** what `npm start` puts on each request that came in by its own port; null elsewhere */
  readonly localKey: string | null;
  /** exact origins in addition to the own one */
  readonly origins: readonly string[];
  readonly publicUrl: string | null;
  readonly limits: RequestLimits;
  /** model prices set by the operator; empty if there are none */
  readonly prices: PriceList;
  /** context windows in tokens set by the operator; empty if there are none */
  readonly windows: WindowList;
  /** reply dialects set by the operator; empty if there are none */
  readonly dialects: DialectList;
  /** by the name of the source */
  readonly webhookSecrets: ReadonlyMap<string, readonly string[]>;
  readonly webhookTargets: readonly WebhookTarget[];
  /** the first signs links to approvals, all verify; empty when there are none */
  readonly linkSecrets: readonly string[];
  /** a real model names a session after its first answer */
  readonly titles: boolean;
  /** what an operator's tail shows */
  readonly logLevel: LogLevel;
  /** models that can see: they are shown the pictures of messages, and plugins ask the first */
  readonly visionModels: readonly string[];
  /** reads documents for tools; null: words choose the passages */
  readonly extractorModel: string | null;
}

const FALLBACKS_MAX = 3;

/** True if a caller may name this model (MODELS_ALLOWED). */
export function modelAllowed(models: Models, name: ModelName): boolean {
  const text = modelText(name);
  return models.allowed.some((entry) =>
    entry.endsWith("*") ? text.startsWith(entry.slice(0, -1)) : entry === text,
  );
}

/** Returns the dialect of a model: by its exact name, else by the longest matching prefix. */
export function dialectOf({ dialects }: Pick<Config, "dialects">, model: string): Dialect {
  const heads = Object.keys(dialects)
    .filter((entry) => entry.endsWith("*") && model.startsWith(entry.slice(0, -1)))
    .toSorted((a, b) => b.length - a.length);
  return ownValue(dialects, model) ?? ownValue(dialects, heads[0] ?? "") ?? "native";
}

/** Returns the setting that is missing to call this model, worded for the operator, or null. */
export function modelGap(
  have: Pick<Models, "openaiCompatible" | "openrouter" | "gatewayId" | "ai" | "own">,
  name: ModelName,
): string | null {
  if (name.provider === "own" || name.provider === "rules") return have.own?.get(name.id) ?? null;
  if (name.provider === "workers-ai" && !have.ai) return "needs the binding AI";
  if (name.provider === "gateway" && !have.ai) return "needs the binding AI";
  if (name.provider === "gateway" && have.gatewayId === null) return "needs AI_GATEWAY_ID";
  if (name.provider === "openai-compatible" && have.openaiCompatible === null)
    return "needs OPENAI_COMPATIBLE_BASE_URL";
  if (name.provider === "openrouter" && have.openrouter === null) return "needs OPENROUTER_API_KEY";
  return null;
}

/** Reads the environment. `own`: the models of the project, and the rules of its plugins. Never throws; what it refuses is in `problems`. */
export function parseConfig(env: Record<string, unknown>, own: OwnModels = NO_OWN_MODELS): Config {
  const names = ownNames({ own });
  const problems: ConfigProblem[] = [];
  const refuse = (variable: string, of: ProblemClass, message: string): void => {
    problems.push({ variable, class: of, message });
  };
  for (const binding of ["SESSION", "DB"]) {
    if (!isObject(env[binding])) refuse(binding, "C", `The binding ${binding} is missing in wrangler.toml.`);
  }
  const tokens = parseTokens(env["AUTH_TOKENS"], (message) => refuse("AUTH_TOKENS", "C", message));
  const anonymous = parseSwitch(env["ALLOW_ANONYMOUS"], ["true"], ["false"]);
  if (anonymous === "malformed") refuse("ALLOW_ANONYMOUS", "C", "Must be true or false.");
  const origins = parseOrigins(env["ORIGINS"]);
  if (origins === null) {
    refuse(
      "ORIGINS",
      "C",
      "Must be a comma list of exact origins such as https://app.example.com: no *, no path.",
    );
  }
  const limits = parseLimits(env["LIMITS"], (message) => refuse("LIMITS", "C", message));
  // An unreadable price would be replaced by a possibly lower default, so money would be spent uncounted.
  const prices = parsePrices(env["MODEL_PRICES"], names, (message) => refuse("MODEL_PRICES", "M", message));
  const windows = parseWindows(env["MODEL_WINDOWS"], names, (message) =>
    refuse("MODEL_WINDOWS", "M", message),
  );
  const dialects = parseDialects(env["DIALECTS"], names, (message) => refuse("DIALECTS", "M", message));
  const publicUrl = parsePublicUrl(env["PUBLIC_URL"]);
  if (publicUrl === "malformed")
    refuse("PUBLIC_URL", "F", "Must be an https origin, such as https://cairn.example.com.");
  const titles = parseSwitch(env["TITLES"], ["1", "true"], ["0", "false"]);
  if (titles === "malformed") refuse("TITLES", "F", "Must be 1 or 0.");
  const logLevel = parseLogLevel(env["LOG_LEVEL"]);
  if (logLevel === null) refuse("LOG_LEVEL", "F", `Must be one of ${LOG_LEVELS.join(", ")}.`);
  for (const [name, gap] of own ?? [])
    if (gap !== null) refuse("models", "F", `The model ${name} of createCairn ${gap}.`);
  const model = parseModels(env, own, (variable, message) => refuse(variable, "M", message));
  const visionModels = parseModelList(env["VISION_MODELS"], model.models, (message) =>
    refuse("VISION_MODELS", "F", message),
  );
  const extractors = parseModelList(env["EXTRACTOR_MODEL"], model.models, (message) =>
    refuse("EXTRACTOR_MODEL", "F", message),
  );
  if (extractors.length > 1) refuse("EXTRACTOR_MODEL", "F", "Must be one model.");
  return {
    problems,
    modelName: model.name,
    models: problems.some((problem) => problem.class === "M") ? null : model.models,
    tokens: tokens ?? [],
    anonymous: anonymous === true,
    localKey: isSet(env["LOCAL_KEY"]) ? text(env["LOCAL_KEY"]) : null,
    origins: origins ?? [],
    publicUrl: publicUrl === "malformed" ? null : publicUrl,
    limits,
    prices,
    windows,
    dialects,
    webhookSecrets: parseWebhookSecrets(env["WEBHOOK_SECRETS"], (message) =>
      refuse("WEBHOOK_SECRETS", "C", message),
    ),
    webhookTargets: parseWebhookTargets(env["WEBHOOK_TARGETS"], (message) =>
      refuse("WEBHOOK_TARGETS", "C", message),
    ),
    linkSecrets: parseLinkSecrets(env["APPROVAL_LINK_SECRET"], (message) =>
      refuse("APPROVAL_LINK_SECRET", "C", message),
    ),
    titles: titles !== false,
    logLevel: logLevel ?? "error",
    visionModels,
    extractorModel: extractors.length === 1 ? (extractors[0] ?? null) : null,
  };
}

/** True if the configuration has a problem of this class. */
export const hasProblem = (config: Config, of: ProblemClass): boolean =>
  config.problems.some((problem) => problem.class === of);

function parseModels(
  env: Record<string, unknown>,
  own: OwnModels,
  refuse: (variable: string, message: string) => void,
): { name: string | null; models: Models | null } {
  const gateway = text(env["AI_GATEWAY_ID"]);
  const gatewayId = gateway !== null && ID_PATTERN.test(gateway) ? gateway : null;
  if (isSet(env["AI_GATEWAY_ID"]) && gatewayId === null)
    refuse("AI_GATEWAY_ID", "Must be the name of a gateway: letters, digits, - and _.");
  const have = {
    openaiCompatible: parseOpenAiCompatible(env, refuse),
    openrouter: parseOpenRouter(env, refuse),
    gatewayId,
    ai: isObject(env["AI"]),
    own,
  };
  const names = ownNames(have);

  const rules = (names ?? []).filter(isRulesName);
  const primary = parseModelName(isSet(env["MODEL"]) ? (text(env["MODEL"]) ?? "") : (rules[0] ?? ""), names);
  const isUnseen = names === null && !isSet(env["MODEL"]);
  if (primary === null && !isUnseen) refuse("MODEL", modelFault(env["MODEL"], names));
  const gap = primary === null ? null : modelGap(have, primary);
  if (gap !== null) refuse("MODEL", `The model ${gap}.`);

  const fallbacks: ModelName[] = [];
  const named = parseList(env["MODEL_FALLBACKS"]);
  if (named === null) refuse("MODEL_FALLBACKS", "Must be a comma list or a JSON array of text.");
  else if (named.length > FALLBACKS_MAX)
    refuse("MODEL_FALLBACKS", `Must name at most ${FALLBACKS_MAX} models.`);
  for (const [index, entry] of (named ?? []).entries()) {
    const name = parseModelName(entry, names);
    const missing = name === null ? `must be ${modelForms(names)}` : modelGap(have, name);
    if (missing !== null) refuse("MODEL_FALLBACKS", `Model ${index + 1} ${missing}.`);
    if (name !== null) fallbacks.push(name);
  }

  const allowed = parseList(env["MODELS_ALLOWED"]);
  if (allowed === null) refuse("MODELS_ALLOWED", "Must be a comma list of model names; a name may end in *.");
  for (const [index, entry] of (allowed ?? []).entries()) {
    if (!isModelHead(entry, names) && parseModelName(entry, names) === null)
      refuse("MODELS_ALLOWED", `Model ${index + 1} must be ${modelForms(names)}; it may end in *.`);
  }

  if (primary === null) return { name: null, models: null };
  const configured = [primary, ...fallbacks].map(modelText);
  return {
    name: modelText(primary),
    models: {
      ...have,
      primary,
      fallbacks,
      allowed: allowed === null || allowed.length === 0 ? [...new Set([...configured, ...rules])] : allowed,
    },
  };
}

/** Why a text is no model here. Rules are named, because the name is right where their plugin is. */
const modelFault = (value: unknown, names: OwnNames): string =>
  typeof value === "string" && isRulesName(value)
    ? `No plugin of this project brings the model ${value}. Add it to plugins, or use ${modelForms(names)}.`
    : `Must be ${modelForms(names)}.`;

/** None where one of them cannot be called: half a list would hide that. */
function parseModelList(value: unknown, models: Models | null, refuse: (message: string) => void): string[] {
  const named = parseList(value);
  if (named === null) refuse("Must be a comma list or a JSON array of text.");
  if (named === null || models === null) return [];
  const names: string[] = [];
  for (const [index, entry] of named.entries()) {
    const name = parseModelName(entry, ownNames(models));
    const gap = name === null ? `must be ${modelForms(ownNames(models))}` : modelGap(models, name);
    if (gap !== null) refuse(`Model ${index + 1} ${gap}.`);
    if (name !== null && gap === null) names.push(modelText(name));
  }
  return names.length === named.length ? names : [];
}

function parseLimits(value: unknown, refuse: (message: string) => void): RequestLimits {
  const table = parseObject(value);
  if (table === null) {
    refuse("Must be a JSON object of positive integers.");
    return LIMITS;
  }
  const limits = { ...LIMITS };
  const names = Object.keys(LIMITS) as (keyof RequestLimits)[];
  if (Object.keys(table).some((name) => !names.some((known) => known === name)))
    refuse(`Holds a name that is no limit. Known: ${names.join(", ")}.`);
  for (const name of names) {
    const limit = table[name];
    if (limit === undefined) continue;
    if (typeof limit === "number" && Number.isSafeInteger(limit) && limit > 0) limits[name] = limit;
    else refuse(`${name} must be a positive integer.`);
  }
  return limits;
}

/** `error` when left out; null when it is none. */
function parseLogLevel(value: unknown): LogLevel | null {
  return isSet(value) ? (LOG_LEVELS.find((level) => level === text(value)) ?? null) : "error";
}

function parseOrigins(value: unknown): string[] | null {
  const list = parseList(value);
  if (list === null) return null;
  return list.every((entry) => /^https?:$/.test(url(entry)?.protocol ?? "") && url(entry)?.origin === entry)
    ? list
    : null;
}

function parsePublicUrl(value: unknown): string | "malformed" | null {
  if (!isSet(value)) return null;
  const parsed = url(text(value) ?? "");
  const bare = parsed !== null && parsed.href === `${parsed.origin}/`;
  return bare && parsed.protocol === "https:" ? parsed.origin : "malformed";
}
