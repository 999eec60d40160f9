import { waitAtMost } from "../../cairn/time-limit.ts";
import { startOf } from "../../cairn/core/text/cut.ts";
import { loadSkillReader } from "../../../build/modules/skill-reader.ts";
import { boundedBucket, bucketOfFiles, withParsableSkills } from "./buckets.ts";
import { ALL_SKILLS, type SkillOptions } from "./options.ts";

/**
 * The skills of a deployment, as an isolate has read them: those of the repository first, then those of the bucket. Where there
 * are none nothing is loaded and nothing asked.
 */
export interface SkillCatalog {
  /** there is a place where skills may lie */
  readonly any: boolean;
  /** what is missing to read those that are wanted, for the operator; null: nothing */
  readonly missing: string | null;
  /** Reads them, if that was not done in the last minute. Never throws, and waits five seconds at most for a bucket. */
  loadDue(at: number): Promise<void>;
  /** Reads them, if that was never done. Never throws. */
  ready(at: number): Promise<void>;
  /** The list in the prompt of a run: empty before the first load. */
  listed(options?: SkillOptions): string;
  find(name: string): Skill | null;
  names(): readonly string[];
  /** the text of one of its files; null: it could not be had now */
  file(skill: string, path: string): Promise<string | null>;
  /** what is wrong with them, a sentence each, as the last load found it */
  problems(): readonly string[];
}

export interface Skill {
  readonly name: string;
  /** on one line */
  readonly description: string;
  readonly body: string;
  readonly files: readonly SkillFile[];
}

/** `script`: it lies under `scripts/`. `text`: it can be read. */
export interface SkillFile {
  readonly path: string;
  readonly kind: "script" | "reference" | "asset" | "file";
  readonly text: boolean;
}

/** Where skills lie. */
export interface SkillSources {
  /** files of the repository, by their paths below `skills/` */
  readonly files: Readonly<Record<string, string>>;
  /** the bucket, and the prefix below which they lie there; null: none are read there */
  readonly stored: { readonly bucket: Pick<R2Bucket, "list" | "get"> | null; readonly prefix: string } | null;
}

/** characters of a body: it is shown whole, and stays in the prompt of its run */
export const BODY_CHARS_MAX = 16_000;
const DESCRIPTION_CHARS_MAX = 1_024;
/** of a prompt; a list that would be longer names them alone */
const LIST_CHARS_MAX = 16_000;
const SKILLS_MAX = 100;
const REREAD_MS = 60_000;
/** how long a bucket is waited for */
const READ_MS_MAX = 5_000;

const NO_BUCKET =
  "SKILLS_PREFIX needs a bucket: bind MEDIA under [[r2_buckets]] in wrangler.toml (docs/skills.md of Cairn).";

type Reader = Awaited<ReturnType<typeof loadSkillReader>>;
type LoadedSkills = Awaited<ReturnType<Reader["loadSkillCatalog"]>>;

export function createSkillCatalog(
  { files, stored }: SkillSources,
  loadReader = loadSkillReader,
): SkillCatalog {
  const missing = stored !== null && stored.bucket === null ? NO_BUCKET : null;
  const any = Object.keys(files).length > 0 || (stored !== null && stored.bucket !== null);
  const leftOut = new Set<string>();
  let sources: Parameters<Reader["loadSkillCatalog"]>[0] | null = null;
  let loaded: LoadedSkills | null = null;
  let skills: ReadonlyMap<string, Skill> = new Map();
  let problems: readonly string[] = missing === null ? [] : [missing];
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;

  const sourcesOf = ({ r2 }: Reader): Parameters<Reader["loadSkillCatalog"]>[0] => {
    const always = { refreshIntervalMs: 0 };
    const report = (problem: string): void => void leftOut.add(problem);
    const own = r2(withParsableSkills(bucketOfFiles(files), report), {
      prefix: "",
      id: "skills/",
      ...always,
    });
    if (stored === null || stored.bucket === null) return [own];
    const bucket = withParsableSkills(boundedBucket(stored.bucket, report), report);
    return [own, r2(bucket, { prefix: stored.prefix, id: `the bucket, ${stored.prefix}`, ...always })];
  };

  const read = async (at: number): Promise<void> => {
    try {
      const reader = await loadReader();
      leftOut.clear();
      sources ??= sourcesOf(reader);
      const previous = loaded === null ? {} : { previous: loaded };
      const found = await waitAtMost(
        READ_MS_MAX,
        reader.loadSkillCatalog(sources, previous),
        `the bucket did not answer within ${READ_MS_MAX} ms`,
      );
      const { fit, faults } = fitting(found);
      problems = [
        ...(missing === null ? [] : [missing]),
        ...found.diagnostics.map(reader.formatSkillDiagnostic),
        ...faults,
        ...leftOut,
      ];
      [loaded, skills] = [found, fit];
    } catch (error) {
      // The list of before stays.
      problems = [
        `The skills could not be read: ${error instanceof Error ? error.message : "for no known reason"}.`,
      ];
    }
    readAt = at;
  };

  const loadDue = async (at: number): Promise<void> => {
    if (!any || at < readAt + REREAD_MS) return;
    reading ??= read(at).finally(() => (reading = null));
    await reading;
  };

  return {
    any,
    missing,
    loadDue,
    ready: async (at) => {
      if (readAt === -Infinity) await loadDue(at);
    },
    listed: (options = ALL_SKILLS) => listOf([...skills.values()], options),
    find: (name) => skills.get(name) ?? null,
    names: () => [...skills.keys()],
    file: async (name, path) => {
      const found = await loaded?.readResource({ name, path });
      return found?.ok === true ? found.value.resource.content : null;
    },
    problems: () => problems,
  };
}

/** Skills that fit into a prompt, and why the others do not. */
function fitting({ skills }: LoadedSkills): { fit: ReadonlyMap<string, Skill>; faults: readonly string[] } {
  const faults: string[] = [];
  const fit = new Map<string, Skill>();
  for (const { skill, resources } of skills) {
    const { name, description, body } = skill;
    if (body.length > BODY_CHARS_MAX)
      faults.push(
        `The skill ${name} has ${body.length} characters, and a skill at most ${BODY_CHARS_MAX}: move a part into another file of its folder. It is left out.`,
      );
    else if (fit.size === SKILLS_MAX)
      faults.push(`There are more than ${SKILLS_MAX} skills. ${name} is left out.`);
    else
      fit.set(name, {
        name,
        description: startOf(description.replace(/\s+/gu, " ").trim(), DESCRIPTION_CHARS_MAX),
        body: body.trim(),
        files: resources.map(({ path, kind, encoding }) => ({ path, kind, text: encoding === "text" })),
      });
  }
  return { fit, faults };
}

function listOf(skills: readonly Skill[], { list, show }: SkillOptions): string {
  const mine = skills.filter(({ name }) => list === null || list.includes(name));
  if (mine.length === 0) return "";
  const names = mine.map(({ name }) => `- ${name}`);
  const described = mine.map(({ name, description }) => `- ${name}: ${description}`);
  const isShort = described.join("\n").length <= LIST_CHARS_MAX;
  const lines = show === "descriptions" && isShort ? described : names;
  return ["<skill-list>", ...lines, "</skill-list>"].join("\n");
}
