import { expect, test } from "vitest";
import type { LoadedWorker } from "./loaded-workers.ts";
import { removalFaults } from "./removal.ts";

const RAN = "200 answered";
const worker = (run: string, ...parts: string[]): LoadedWorker => ({
  run,
  parts,
  thanks: run === RAN ? "trivial" : null,
});
const withThanks = (one: LoadedWorker, thanks: string): LoadedWorker => ({ ...one, thanks });
const whole = worker(RAN, "route /api/runs", "tool visit", "page /site/", "model rehearsal:");
const bare = worker("503 model_unavailable", "route /api/runs");
const without = {
  web: worker(RAN, "route /api/runs", "page /site/", "model rehearsal:"),
  cms: worker(RAN, "route /api/runs", "tool visit", "model rehearsal:"),
  rehearsal: worker("503 model_unavailable", "route /api/runs", "tool visit", "page /site/"),
  words: withThanks(whole, "simple"),
};
const faults = (changes: Partial<typeof without> = {}): readonly string[] =>
  removalFaults({ whole, bare, without: new Map(Object.entries({ ...without, ...changes })) });

test("a plugin that leaves with its own parts is no fault", () => {
  expect(faults()).toEqual([]);
});

test.each<[string, Partial<typeof without>, string]>([
  [
    "takes a part of another one with it",
    { web: worker(RAN, "route /api/runs", "model rehearsal:") },
    "page /site/ is gone without cms, and without web too.",
  ],
  [
    "takes a part of the kernel with it",
    { web: worker(RAN, "page /site/", "model rehearsal:") },
    "route /api/runs needs web, but is there without plugins.",
  ],
  ["leaves something behind", { cms: whole }, "Without cms nothing is gone."],
  ["leaves its words behind", { words: whole }, "Without words nothing is gone."],
  [
    "takes the words of another with it",
    { cms: withThanks(without.cms, "simple") },
    "words for thanks is gone without words, and without cms too.",
  ],
  [
    "leaves something new behind",
    { cms: worker(RAN, ...without.cms.parts, "tool none") },
    "Without cms there is more: tool none.",
  ],
  [
    "takes the runs with it",
    { cms: worker("500 internal", ...without.cms.parts) },
    "Without cms, a run ends as: 500 internal.",
  ],
])("a plugin that %s is one", (_name, changes, fault) => {
  expect(faults(changes)).toContain(fault);
});

test("a part that no single plugin takes with it is one", () => {
  expect(faults({ cms: whole })).toContain(
    "page /site/ is gone without plugins, but is there without each of them.",
  );
});
