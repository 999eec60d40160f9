import * as z from "zod";
import type { Door } from "../start/diagnose.ts";

/** `/more`: gives the run at work more to use, while it works. */

const STEPS = 5;
const NUMBER_MAX = 1_000_000_000;

/** of `POST …/extend`, by the words that people type */
const UNITS = {
  steps: ["steps", "step"],
  minutes: ["minutes", "minute", "min"],
  tokens: ["tokens", "token"],
  costUsd: ["usd", "dollars", "dollar", "$"],
} as const;
const NAMES = { steps: "steps", minutes: "minutes", tokens: "tokens", costUsd: "US dollars" } as const;
type Unit = keyof typeof UNITS;

export interface More {
  readonly unit: Unit;
  readonly amount: number;
}

export const MORE_USAGE =
  "It looks like /more, /more 10, /more 20 minutes, /more 50000 tokens or /more 2 usd.";

export const isMore = (line: string): boolean => /^\/more(\s|$)/.test(line.trim());

/** What is asked for; null where it is not said in a way that can be read. */
export function parseMore(line: string): More | null {
  const [, number = String(STEPS), word = "steps", ...rest] = line.trim().split(/\s+/);
  const unit = (Object.keys(UNITS) as Unit[]).find((each) =>
    (UNITS[each] as readonly string[]).includes(word.toLowerCase()),
  );
  const amount = /^\d+(\.\d+)?$/.test(number) ? Number(number) : NaN;
  const isWhole = unit === "costUsd" || Number.isInteger(amount);
  if (unit === undefined || rest.length > 0 || !isWhole || !(amount > 0 && amount <= NUMBER_MAX)) return null;
  return { unit, amount };
}

const refusal = z.object({ error: z.object({ message: z.string(), hint: z.string().nullish() }) });

/** Gives the run so much more. What came of it, in words; never throws. */
export async function giveMore(
  { url, session, token }: Door,
  runId: string,
  { unit, amount }: More,
  request: typeof fetch = fetch,
): Promise<string> {
  try {
    const response = await request(new URL(`/api/sessions/${session}/extend`, url), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ runId, [unit]: amount }),
    });
    const body: unknown = await response.json().catch(() => null);
    if (response.ok) return `The run has ${amount} ${NAMES[unit]} more.`;
    const refused = refusal.safeParse(body);
    if (!refused.success) return `The run was not given more: the server answered ${response.status}.`;
    const { message, hint } = refused.data.error;
    return [message, hint ?? ""].join(" ").trim();
  } catch {
    return "The run was not given more: the server cannot be reached.";
  }
}
