import type { PartProblem } from "../../cairn/plugin.ts";
import type { SkillOptions } from "./options.ts";
import type { SkillCatalog } from "./catalog.ts";

/** Problems of the skills, and of the options that agents set for them. Loads the skills. Never throws. */
export async function skillProblems(
  catalog: SkillCatalog,
  agents: Readonly<Record<string, SkillOptions>>,
  at: number,
): Promise<readonly PartProblem[]> {
  if (!catalog.any) return [];
  await catalog.loadDue(at);
  const known = new Set(catalog.names());
  const absent = Object.entries(agents).flatMap(([agent, { list }]) =>
    (list ?? [])
      .filter((name) => !known.has(name))
      .map((name) => ({
        about: `src/agents: ${agent}, options.skills.list`,
        message: `There is no skill ${name}.`,
      })),
  );
  const found = catalog.problems().map((message) => ({ about: "skills", message }));
  return [...found, ...absent];
}
