import * as z from "zod";

const NAME_CHARS_MAX = 100;
const NAMED_MAX = 100;

/** Options of an agent for this plugin: which skills its runs may read, and how their prompt lists them. */
export type SkillOptions = {
  /** by their names; null: all of the deployment, empty: none */
  readonly list: readonly string[] | null;
  readonly show: "descriptions" | "names";
};

export const skillOptions: z.ZodType<SkillOptions> = z.strictObject({
  list: z.array(z.string().min(1).max(NAME_CHARS_MAX)).max(NAMED_MAX).nullable().default(null),
  show: z.enum(["descriptions", "names"]).default("descriptions"),
});

/** Options of an agent that sets none. */
export const ALL_SKILLS: SkillOptions = { list: null, show: "descriptions" };
