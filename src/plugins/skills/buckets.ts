import type { SkillBucket } from "../../../build/modules/skill-reader.ts";
import { frontMatterFault } from "../../cairn/core/text/front-matter-bounds.ts";

/** Places with skills, as their reader asks them: a list of files, and one file. */

/** bytes of one file of a skill */
const FILE_BYTES_MAX = 262_144;
/** files below a prefix; more are another thing than skills */
const FILES_MAX = 1_000;

/** The bucket without skills whose front matter must not be parsed; `report` gets a sentence for each. */
export function withParsableSkills(bucket: SkillBucket, report: (problem: string) => void): SkillBucket {
  return {
    list: (options) => bucket.list(options),
    get: async (key) => {
      const found = await bucket.get(key);
      if (found === null || !key.endsWith("SKILL.md")) return found;
      const text = await found.text();
      const fault = frontMatterFault(text);
      if (fault !== null) {
        report(`${key} is left out. ${fault}`);
        return null;
      }
      const bytes = new Uint8Array(new TextEncoder().encode(text));
      return { text: async () => text, arrayBuffer: async () => bytes.buffer };
    },
  };
}

/** The files of the repository (src/skills.ts). */
export function bucketOfFiles(files: Readonly<Record<string, string>>): SkillBucket {
  const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));
  return {
    list: async () => ({
      objects: Object.entries(files).map(([key, text]) => ({ key, size: bytesOf(text).length })),
      truncated: false,
    }),
    get: async (key) => {
      const text = Object.hasOwn(files, key) ? files[key] : undefined;
      if (text === undefined) return null;
      return { text: async () => text, arrayBuffer: async () => bytesOf(text).buffer };
    },
  };
}

/** A bucket of R2 with bounds: `report` gets a sentence for what is left out. */
export function boundedBucket(
  bucket: Pick<R2Bucket, "list" | "get">,
  report: (problem: string) => void,
): SkillBucket {
  let seen = 0;
  return {
    list: async ({ prefix, cursor }) => {
      seen = cursor === undefined ? 0 : seen;
      const { objects, ...page } = await bucket.list({ prefix, ...(cursor === undefined ? {} : { cursor }) });
      const shown = objects.slice(0, FILES_MAX - seen);
      seen += shown.length;
      const isMore = shown.length < objects.length || (page.truncated && seen >= FILES_MAX);
      if (isMore) report(`More than ${FILES_MAX} files lie there. The others are left out.`);
      const small = shown.filter(({ key, size }) => {
        if (size > FILE_BYTES_MAX)
          report(`${key} has ${size} bytes, and a file at most ${FILE_BYTES_MAX}. It is left out.`);
        return size <= FILE_BYTES_MAX;
      });
      return !isMore && page.truncated
        ? { objects: small, truncated: true, cursor: page.cursor }
        : { objects: small, truncated: false };
    },
    get: (key) => bucket.get(key),
  };
}
