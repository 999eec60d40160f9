import { readArguments, readServerAddress, usage, type Parsed } from "../start/start-options.ts";

/** Options of `npm run rollouts -- …`. */
export interface RolloutOptions {
  readonly questions: string;
  readonly out: string;
  /** rollouts of each question */
  readonly n: number;
  /** number of parallel rollouts */
  readonly concurrency: number;
  /** after so many minutes a rollout is stopped */
  readonly minutes: number;
  /** null: the deployment's own */
  readonly agent: string | null;
  readonly preset: string | null;
  /** null: that of the agent */
  readonly model: string | null;
  /** names and `pack:<name>`; null: those of the agent */
  readonly tools: readonly string[] | null;
  /** null: the agent's own setting */
  readonly citations: Citations | null;
  /** `words`, `exact`, or the name of a model */
  readonly judge: string;
  readonly url: string;
  readonly token: string | null;
}

const CITATIONS = ["off", "check", "require"] as const;
type Citations = (typeof CITATIONS)[number];

const ROLLOUTS_MAX = 32;
const CONCURRENCY_MAX = 16;
const MINUTES_MAX = 1_440;

export const ROLLOUTS_USAGE = `npm run rollouts -- QUESTIONS --out RESULTS.jsonl     asks each question several times, and scores the answers
  QUESTIONS has one per line (.jsonl), or a list (.json): {"question":"…","answer":"…","id":"…","files":["…"]}; only the
  question is required; files are paths relative to QUESTIONS
  Run it again with the same files to continue with what is not in RESULTS.jsonl yet.
  --n N                attempts per question, each in a new session (3)
  --concurrency N      attempts at the same time (2)
  --minutes N          time limit of a run (180)
  --agent NAME         the agent (the deployment's own)
  --preset NAME        such as deepresearch
  --model NAME         the model (that of the agent)
  --tools A,B          allowed tools, and pack:NAME; none for the built-in ones only (those of the agent)
  --citations RULE     off, check or require citations (check; with --agent its rule)
  --judge WHO          exact, words (the prediction contains the answer), or the name of a model (words)
  --url URL            address of Cairn (http://127.0.0.1:8787, or CAIRN_URL)
  --token TOKEN        your token (CAIRN_TOKEN); not needed on this machine
Exit code: 0 all have ended, 1 stopped, 2 wrong use, 130 interrupted.`;

/** Reads the arguments of `npm run rollouts`; the environment gives what they leave out. */
export function parseRolloutOptions(
  argv: readonly string[],
  variables: { readonly [name: string]: string | undefined },
): Parsed<RolloutOptions> {
  const text = { type: "string" } as const;
  const read = readArguments(
    argv,
    {
      n: text,
      out: text,
      concurrency: text,
      minutes: text,
      agent: text,
      preset: text,
      url: text,
      token: text,
      model: text,
      tools: text,
      citations: text,
      judge: text,
    },
    true,
  );
  if (read.kind !== "options") return read;
  const { values, positionals } = read;
  const [questions, ...more] = positionals;
  if (questions === undefined || questions === "" || more.length > 0)
    return usage("It takes one file of questions.");
  const { out, agent = null, preset = null, model = null, judge = "words" } = values;
  if (out === undefined || out === "") return usage("--out names the file for the results.");
  if (out === questions) return usage("--out takes another file than that of the questions.");
  const numbers = {
    n: numberIn(values.n, 3, ROLLOUTS_MAX),
    concurrency: numberIn(values.concurrency, 2, CONCURRENCY_MAX),
    minutes: numberIn(values.minutes, 180, MINUTES_MAX),
  };
  const { n, concurrency, minutes } = numbers;
  if (n === null) return usage(`--n takes 1 to ${ROLLOUTS_MAX}, not ${JSON.stringify(values.n)}`);
  if (concurrency === null)
    return usage(`--concurrency takes 1 to ${CONCURRENCY_MAX}, not ${JSON.stringify(values.concurrency)}`);
  if (minutes === null)
    return usage(`--minutes takes 1 to ${MINUTES_MAX}, not ${JSON.stringify(values.minutes)}`);
  if (model === "") return usage("--model takes the name of a model.");
  if (judge === "") return usage("--judge takes exact, words or the name of a model.");
  const tools = toolsIn(values.tools);
  if (tools?.includes("")) return usage("--tools takes names with commas between them, or none.");
  // An agent has its own strictness; without an agent a missing mark does not make an answer wrong.
  const { citations: asked = agent === null ? "check" : null } = values;
  const citations = asked === null ? null : (CITATIONS.find((one) => one === asked) ?? "wrong");
  if (citations === "wrong")
    return usage(`--citations takes ${CITATIONS.join(", ")}, not ${JSON.stringify(asked)}`);
  const server = readServerAddress(values, variables);
  if ("kind" in server) return server;
  return {
    kind: "options",
    options: {
      questions,
      out,
      n,
      concurrency,
      minutes,
      agent,
      preset,
      model,
      tools,
      citations,
      judge,
      ...server,
    },
  };
}

function toolsIn(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  return text.trim() === "none" ? [] : [...new Set(text.split(",").map((name) => name.trim()))];
}

function numberIn(text: string | undefined, usual: number, max: number): number | null {
  if (text === undefined) return usual;
  const number = Number(text);
  return /^\d{1,6}$/.test(text) && number >= 1 && number <= max ? number : null;
}
