import type { SkillRules } from "../../core/log/run-spec.ts";
import type { SkillShelf } from "./shelf.ts";

interface SkillProblem {
  readonly variable: string;
  readonly class: "F";
  readonly message: string;
}

/** What is wrong with the skills, and with what the agents of the deployment say of them. Reads them. Never throws. */
export async function skillProblems(
  shelf: SkillShelf,
  agents: Readonly<Record<string, { readonly spec: { readonly skills?: SkillRules } }>>,
  at: number,
): Promise<readonly SkillProblem[]> {
  if (!shelf.any) return [];
  await shelf.loadDue(at);
  const known = new Set(shelf.names());
  const absent = Object.entries(agents).flatMap(([agent, { spec }]) =>
    (spec.skills?.list ?? [])
      .filter((name) => !known.has(name))
      .map((name) => ({ about: `src/agents: ${agent}, skills.list`, message: `There is no skill ${name}.` })),
  );
  const found = shelf.problems().map((message) => ({ about: "skills", message }));
  return [...found, ...absent].map(({ about, message }) => ({ variable: about, class: "F", message }));
}
