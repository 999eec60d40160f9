import {
  createSkillCatalog,
  type SkillSources,
  type SkillCatalog,
} from "../../../src/plugins/skills/catalog.ts";

/** A SKILL.md with this front matter and body. */
export const skillFile = (name: string, more = "", body = `Do as ${name} says.`): string =>
  `---\nname: ${name}\ndescription: How ${name} is done.\n${more}---\n\n${body}\n`;

/** A bucket of R2 that holds these texts. What it was asked for is in `asked`. */
export function bucketWith(texts: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const held = new Map(Object.entries(texts));
  const bucket = {
    list: async ({ prefix = "" }: R2ListOptions = {}) => {
      asked.push(`list ${prefix}`);
      const keys = [...held.keys()].filter((key) => key.startsWith(prefix));
      const objects = keys.map((key) => ({ key, size: held.get(key)!.length }));
      return { objects, truncated: false, delimitedPrefixes: [] } as unknown as R2Objects;
    },
    get: async (key: string) => {
      asked.push(`get ${key}`);
      const text = held.get(key);
      if (text === undefined) return null;
      const arrayBuffer = async () => new TextEncoder().encode(text).buffer;
      return { text: async () => text, arrayBuffer } as unknown as R2ObjectBody;
    },
  };
  return { asked, held, bucket: bucket as Pick<R2Bucket, "list" | "get"> };
}

/** A catalog that has been read. */
export async function catalogOf(places: Partial<SkillSources>): Promise<SkillCatalog> {
  const catalog = createSkillCatalog({ files: {}, stored: null, ...places });
  await catalog.loadDue(0);
  return catalog;
}
