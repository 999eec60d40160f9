import type { SkillRules } from "../../cairn/core/log/run-spec.ts";
import type { PartProblem } from "../../cairn/plugin.ts";
import type { SkillShelf } from "./shelf.ts";

/** What is wrong with the skills, and with what the agents of the deployment say of them. Reads them. Never throws. */
export async function skillProblems(
  shelf: SkillShelf,
  agents: Readonly<Record<string, { readonly spec: { readonly skills?: SkillRules } }>>,
  at: number,
): Promise<readonly PartProblem[]> {
  if (!shelf.any) return [];
  await shelf.loadDue(at);
  const known = new Set(shelf.names());
  const absent = Object.entries(agents).flatMap(([agent, { spec }]) =>
    (spec.skills?.list ?? [])
      .filter((name) => !known.has(name))
      .map((name) => ({ about: `src/agents: ${agent}, skills.list`, message: `There is no skill ${name}.` })),
  );
  const found = shelf.problems().map((message) => ({ about: "skills", message }));
  return [...found, ...absent];
}
