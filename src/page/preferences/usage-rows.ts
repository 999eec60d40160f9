import type { Answer } from "../../cairn/protocol/api.ts";

export interface UsageRow {
  readonly key: string;
  readonly runs: number;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number;
  /** of the largest row, 0 to 1 */
  readonly share: number;
}

/** Rows of a table of usage: the newest day first, anything else by its tokens. */
export function usageRows(items: Answer<"Usage">["items"], byDay: boolean): readonly UsageRow[] {
  const summed = items.map(({ key, runs, steps, inputTokens, outputTokens, costUsd }) => ({
    key,
    runs,
    steps,
    costUsd,
    tokens: inputTokens + outputTokens,
  }));
  const most = Math.max(1, ...summed.map(({ tokens }) => tokens));
  return summed
    .toSorted((a, b) => (byDay ? b.key.localeCompare(a.key) : b.tokens - a.tokens))
    .map((row) => ({ ...row, share: row.tokens / most }));
}
