import type { PartProblem } from "../../cairn/plugin.ts";
import type { SkillOptions } from "./options.ts";
import type { SkillCatalog } from "./catalog.ts";

/** What is wrong with the skills, and with what agents set for them. Reads them. Never throws. */
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
