import { execFileSync } from "node:child_process";
import path from "node:path";
import { judgeRow } from "./gates.ts";
import type { Measured } from "./report.ts";

/** How old a published figure may be, and what contradicts it. */

export const AGE_DAYS_MAX = 30;
export const AGE_COMMITS_MAX = 200;
const DAY_MS = 86_400_000;
const PROJECT = path.resolve(import.meta.dirname, "../..");

/** When something was measured, and of which code. */
export interface Provenance {
  readonly title: string;
  /** ISO 8601 */
  readonly date: string;
  readonly commit: string;
}

/** The line below a measured table. */
export const provenanceLine = ({ date, commit }: Omit<Provenance, "title">, more = ""): string =>
  `_Measured on ${date.slice(0, 10)} at \`${commit}\`${more}._`;

/** Parses the line that `provenanceLine` wrote into a text. Throws if there is no such line. */
export function readProvenance(title: string, text: string): Provenance {
  const [, date, commit] = /^_Measured on (\d{4}-\d{2}-\d{2}) at `([\w-]+)`/m.exec(text) ?? [];
  if (date === undefined || commit === undefined) throw new Error(`${title} names no date and commit`);
  return { title, date, commit };
}

/** One sentence where a measurement is too old; null where it is not. `commits`: how many there are since then; null where nobody can know. */
export function ageProblem(
  { title, date, commit }: Provenance,
  now: number,
  commits: number | null,
): string | null {
  const days = Math.floor((now - Date.parse(date)) / DAY_MS);
  const why =
    days > AGE_DAYS_MAX
      ? `${days} days old, at most ${AGE_DAYS_MAX}`
      : commits !== null && commits > AGE_COMMITS_MAX
        ? `${commits} commits old, at most ${AGE_COMMITS_MAX}`
        : null;
  return why === null ? null : `${title} (${date.slice(0, 10)}, ${commit}) is ${why}. Measure it again.`;
}

/** One sentence for each figure above a gate that another check enforces, and for each missed target without a reason. */
export function gateProblems({ id, title, rows, missed }: Measured): string[] {
  return rows.flatMap((row) => {
    const target = judgeRow(id, row, rows);
    if (target === null || target.met) return [];
    const figure = `${title}, ${row.what}: ${String(row.cells.cairn)}`;
    if (target.enforced) return [`${figure} contradicts the enforced gate ${target.says}. Measure it again.`];
    return missed === undefined ? [`${figure} misses ${target.says}, and no reason is given.`] : [];
  });
}

/** The abbreviated commit of the working tree, with `-dirty` where files were changed. */
export const currentCommit = (): string =>
  git("describe", "--always", "--dirty", "--abbrev=9", "--exclude=*");

/**
 * Commits since a measurement: those after its commit or, where it is no ancestor any more (a rebased branch), those since its
 * date. Null in a checkout without history, such as a shallow one.
 */
export function commitsSince({ commit, date }: Provenance): number | null {
  try {
    if (git("rev-parse", "--is-shallow-repository") !== "false") return null;
  } catch {
    return null;
  }
  const hash = commit.replace("-dirty", "");
  try {
    git("merge-base", "--is-ancestor", hash, "HEAD");
    return Number(git("rev-list", "--count", `${hash}..HEAD`));
  } catch {
    return Number(git("rev-list", "--count", `--since=${date}`, "HEAD"));
  }
}

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: PROJECT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
