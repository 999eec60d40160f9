import type { Endpoint } from "../core/log/model.ts";
import { isSet, parseSwitch, text, url } from "../protocol/variables.ts";

/** The APIs in the format of OpenAI: one that the deployment names by its address, and OpenRouter. */

type Env = Readonly<Record<string, unknown>>;
type Refuse = (variable: string, message: string) => void;

const OPENROUTER_BASE_URL = "https://openrouter.ai/api/v1";
/** what a header can hold, and people read */
const TITLE = /^[\x20-\x7e]{1,100}$/;

/** Null without an address. */
export function parseOpenAiCompatible(env: Env, refuse: Refuse): Endpoint | null {
  const reportsCost = parseSwitch(env["OPENAI_COMPATIBLE_REPORTS_COST"], ["1", "true"], ["0", "false"]);
  if (reportsCost === "malformed") refuse("OPENAI_COMPATIBLE_REPORTS_COST", "Must be 1 or 0.");
  const baseUrl = parseAddress(env, "OPENAI_COMPATIBLE_BASE_URL", refuse);
  if (baseUrl === null) return null;
  const apiKey = text(env["OPENAI_COMPATIBLE_API_KEY"]);
  return { baseUrl, apiKey, headers: {}, reportsCost: reportsCost === true };
}

/** Null without a key. */
export function parseOpenRouter(env: Env, refuse: Refuse): Endpoint | null {
  const own = parseAddress(env, "OPENROUTER_BASE_URL", refuse);
  const app = parseAddress(env, "OPENROUTER_APP_URL", refuse);
  const title = text(env["OPENROUTER_APP_TITLE"]);
  if (isSet(env["OPENROUTER_APP_TITLE"]) && (title === null || !TITLE.test(title)))
    refuse("OPENROUTER_APP_TITLE", "Must be at most 100 characters of plain ASCII.");
  const apiKey = text(env["OPENROUTER_API_KEY"]);
  if (apiKey === null) return null;
  // https://openrouter.ai/docs/app-attribution
  const headers = {
    ...(app === null ? {} : { "HTTP-Referer": app }),
    ...(title === null ? {} : { "X-OpenRouter-Title": title }),
  };
  return { baseUrl: own ?? OPENROUTER_BASE_URL, apiKey, headers, reportsCost: true };
}

/** An absolute URL without its last slash. */
export function parseAddress(env: Env, variable: string, refuse: Refuse): string | null {
  const value = env[variable];
  if (!isSet(value)) return null;
  const given = text(value) ?? "";
  if (/^https?:$/.test(url(given)?.protocol ?? "")) return given.replace(/\/+$/, "");
  refuse(variable, "Must be an absolute http or https URL.");
  return null;
}

/** The variables of an endpoint other than that of the chat model: the name of its address, and both values. */
export interface OwnEndpoint {
  readonly variable: string;
  readonly address: unknown;
  readonly key: unknown;
}

/** A separate address with a separate key, else those of the chat model: a key is never sent to another address. */
export function parseEndpoint(
  env: Readonly<Record<string, unknown>>,
  { variable, address, key }: OwnEndpoint,
  refuse: (variable: string, message: string) => void,
): Endpoint | null {
  const baseUrl = parseAddress(env, variable, refuse);
  const apiKey = text(key);
  if (baseUrl !== null) return { baseUrl, apiKey, headers: {}, reportsCost: false };
  if (isSet(address)) return null;
  // A fault of these is reported where the chat model is read.
  const shared = parseOpenAiCompatible(env, () => {});
  return shared === null || apiKey === null ? shared : { ...shared, apiKey };
}
