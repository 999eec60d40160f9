import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";

/** The codes that guards can say, as they stand in the source, and those that they have said in a log. */

/** Names in capitals that are no codes of guards. */
const NO_CODES = new Set(["FINAL_ANSWER", "ISATAP", "NFKC", "NFKD", "ORCHID", "POST", "NFC", "NFD", "GET"]);

/** Every name in capitals that stands as a string in the files of this folder. */
export function codesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    if (!name.endsWith(".ts")) return [];
    const text = readFileSync(path.join(folder, name), "utf8").replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, "");
    return [...text.matchAll(/"([A-Z]{4,}(?:_[A-Z]+)*|[A-Z]+(?:_[A-Z]+)+)"/g)].flatMap((found) =>
      found[1] === undefined || NO_CODES.has(found[1]) ? [] : [found[1]],
    );
  });
}

/** Every reason for which a call of a reply is refused in the file that judges replies. */
export function refusalsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/refuse\(\s*"([a-z_]+)"/g)].flatMap((found) => found[1] ?? []);
}

/** Guard verdicts in a log: codes, rules of loops as `loop.cycle`, and reasons of refused calls. */
export function saidIn(log: readonly Entry[]): ReadonlySet<string> {
  return new Set(log.flatMap(saidBy));
}

function saidBy(entry: Entry): readonly string[] {
  switch (entry.kind) {
    case "verdict":
      return [entry.body.code, entry.body.rule];
    case "review":
      return entry.body.accept ? [] : entry.body.codes;
    case "command_queued":
      return entry.body.command === "extend" ? ["EXTENDED_BY_PERSON"] : [];
    case "call_settled": {
      const { skip, failure, reusedFrom, observation, tool } = entry.body;
      const plan = tool === "update_plan" ? (observation.match(/PLAN_(?:CLAIM|FAILED)/g) ?? []) : [];
      return [
        ...(skip === undefined ? [] : [skip]),
        ...(failure === null ? [] : [failure.code]),
        ...(reusedFrom === null
          ? []
          : REUSES.flatMap(([words, code]) => (words.test(observation) ? code : []))),
        ...plan,
      ];
    }
    default:
      return [];
  }
}

/** A call that got an earlier result says why in its words alone. */
const REUSES = [
  [/\[This is the stored result of \S+: the same call was made/, "REUSED_RESULT"],
  [/\[Done already, by \S+: this is its result\./, "ALREADY_DONE"],
] as const;
