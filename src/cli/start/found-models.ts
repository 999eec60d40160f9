import * as z from "zod";
import { ownValue } from "../../cairn/core/log/json.ts";

/** Language models that this machine could use: a key in the environment, or a local server. None is used unasked. */

/** A model that could be used, and the options of `npm start` that use it. */
export interface FoundModel {
  /** such as `ANTHROPIC_API_KEY in the environment` */
  readonly where: string;
  /** `KEY:VALUE`, each for one `--var`; keys are named, never printed */
  readonly vars: readonly string[];
}

interface Keyed {
  readonly variable: string;
  readonly vars: readonly string[];
}

/** In the order in which they are named. */
const KEYS: readonly Keyed[] = [
  {
    variable: "ANTHROPIC_API_KEY",
    vars: [
      "MODEL:openai-compatible:claude-sonnet-5",
      "OPENAI_COMPATIBLE_BASE_URL:https://api.anthropic.com/v1",
      '"OPENAI_COMPATIBLE_API_KEY:$ANTHROPIC_API_KEY"',
    ],
  },
  {
    variable: "OPENAI_API_KEY",
    vars: [
      "MODEL:openai-compatible:gpt-5-mini",
      "OPENAI_COMPATIBLE_BASE_URL:https://api.openai.com/v1",
      '"OPENAI_COMPATIBLE_API_KEY:$OPENAI_API_KEY"',
    ],
  },
  {
    variable: "OPENROUTER_API_KEY",
    vars: ["MODEL:openrouter:openai/gpt-5-mini", '"OPENROUTER_API_KEY:$OPENROUTER_API_KEY"'],
  },
];

/** Servers of models on this machine, by their usual ports. Both speak the OpenAI format. */
const SERVERS = [
  { name: "Ollama", url: "http://127.0.0.1:11434/v1" },
  { name: "LM Studio", url: "http://127.0.0.1:1234/v1" },
] as const;

const ASK_MS_MAX = 500;
const ANSWER_CHARS_MAX = 100_000;
const listSchema = z.object({
  data: z.array(z.object({ id: z.string().regex(/^[\w./:@-]{1,100}$/) })).min(1),
});

/** Keys first. `read`: an answer's text, null where there is none. */
export async function findModels(
  environment: Readonly<Record<string, string | undefined>>,
  read: (url: string) => Promise<string | null> = readAnswer,
): Promise<readonly FoundModel[]> {
  const keyed = KEYS.filter(({ variable }) => (ownValue(environment, variable) ?? "") !== "").map(
    ({ variable, vars }): FoundModel => ({ where: `${variable} in the environment`, vars }),
  );
  const served = await Promise.all(
    SERVERS.map(async ({ name, url }): Promise<readonly FoundModel[]> => {
      const model = firstModel(await read(`${url}/models`));
      if (model === null) return [];
      const vars = [`MODEL:openai-compatible:${model}`, `OPENAI_COMPATIBLE_BASE_URL:${url}`];
      return [{ where: `${name} on this machine`, vars }];
    }),
  );
  return [...keyed, ...served.flat()];
}

function firstModel(text: string | null): string | null {
  if (text === null || text.length > ANSWER_CHARS_MAX) return null;
  try {
    const listed = listSchema.safeParse(JSON.parse(text));
    return listed.success ? (listed.data.data[0]?.id ?? null) : null;
  } catch {
    return null;
  }
}

/** Never throws: a server that is not there, or is slow, is no model. */
export async function readAnswer(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ASK_MS_MAX), redirect: "error" });
    if (!response.ok || response.body === null) return null;
    let text = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.length > ANSWER_CHARS_MAX) return null;
    }
    return text;
  } catch {
    return null;
  }
}

/** One line for each, with the options that use it. */
export const foundLines = (found: readonly FoundModel[]): readonly string[] =>
  found.map(
    ({ where, vars }) =>
      `  Found         ${where}, not used. To use it: npm start -- ${vars.map((each) => `--var ${each}`).join(" ")}`,
  );
