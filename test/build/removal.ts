import type { LoadedWorker } from "./loaded-workers.ts";

/** Loaded workers to compare: with every plugin, with none, and without one of them by the name of its folder. */
export interface Loaded {
  readonly whole: LoadedWorker;
  readonly bare: LoadedWorker;
  readonly without: ReadonlyMap<string, LoadedWorker>;
}

const RAN = "200 answered";
const NO_MODEL = "503 model_unavailable";

/** Parts that are gone without a plugin. */
export const goneParts = (whole: LoadedWorker, left: LoadedWorker): readonly string[] => [
  ...whole.parts.filter((part) => !left.parts.includes(part)),
  ...(left.thanks === null || left.thanks === whole.thanks ? [] : ["words for thanks"]),
];

/**
 * Sentences on what is wrong: a plugin leaves its own parts and nothing else, every other part is still there, and a run
 * still works unless the model was the plugin's. Empty: nothing.
 */
export function removalFaults({ whole, bare, without }: Loaded): readonly string[] {
  const faults: string[] = [];
  if (whole.run !== RAN) faults.push(`With every plugin, a run ends as: ${whole.run}.`);
  const owners = new Map<string, string>();
  for (const [plugin, left] of without) {
    const gone = goneParts(whole, left);
    if (gone.length === 0) faults.push(`Without ${plugin} nothing is gone.`);
    const added = left.parts.filter((part) => !whole.parts.includes(part));
    if (added.length > 0) faults.push(`Without ${plugin} there is more: ${added.join(", ")}.`);
    for (const part of gone) {
      const other = owners.get(part);
      if (other !== undefined) faults.push(`${part} is gone without ${plugin}, and without ${other} too.`);
      owners.set(part, plugin);
    }
    const expected = gone.some((part) => part.startsWith("model ")) ? NO_MODEL : RAN;
    if (left.run !== expected) faults.push(`Without ${plugin}, a run ends as: ${left.run}.`);
  }
  for (const part of goneParts(whole, bare))
    if (!owners.has(part)) faults.push(`${part} is gone without plugins, but is there without each of them.`);
  for (const [part, plugin] of owners)
    if (bare.parts.includes(part)) faults.push(`${part} needs ${plugin}, but is there without plugins.`);
  return faults;
}
