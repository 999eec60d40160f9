import * as z from "zod";
import type { Json } from "../../cairn/core/log/json.ts";
import type { ToolFailure } from "../../cairn/core/log/tool.ts";
import { sliceText } from "../../cairn/core/prompt/observation.ts";
import { nearestWords } from "../../cairn/core/text/nearest.ts";
import { defineTool, ToolError } from "../../cairn/tools/define.ts";
import type { SkillOptions } from "./options.ts";
import { BODY_CHARS_MAX, type Skill, type SkillCatalog } from "./catalog.ts";

/** what the text and its list of files grow by as JSON */
const SHOWN_CHARS_MAX = 3 * BODY_CHARS_MAX;
const SCRIPTS = "Scripts are text here: nothing runs them.";

const input = z.strictObject({
  name: z.string().min(1).max(200).describe("Name of the skill, as the list says it"),
  file: z.string().min(1).max(500).optional().describe("One of its files; left out: what it says to do"),
  offset: z.number().int().min(0).default(0).describe("First character of a long file"),
});

/** Reads a skill, or a file of one. Its content is text only: it opens no tool, and runs no script. */
export const readSkill = defineTool<SkillCatalog, typeof input, Json>({
  name: "read_skill",
  title: "Read a skill",
  description: "Reads how a kind of work is done here: a skill by its name, or one of its files.",
  input,
  effect: "read",
  kind: "bookkeeping",
  tier: "open",
  observationMax: SHOWN_CHARS_MAX,
  keepWhole: true,
  narrowed: {
    withheld: (options?: SkillOptions) => (options?.list?.length === 0 ? "Its agent reads no skills." : null),
    refused: ({ name }, options?: SkillOptions) => {
      const names = options?.list ?? null;
      return names === null || names.includes(name) ? null : foreignSkill(names);
    },
  },
  run: async ({ name, file, offset }, { services: catalog }): Promise<Json> => {
    const skill = catalog.find(name);
    if (skill === null) throw unknown(name, catalog.names());
    return file === undefined ? shown(skill) : readFile(catalog, skill, file, offset);
  },
});

const foreignSkill = (names: readonly string[]): ToolFailure => ({
  class: "not_found",
  code: "not_found",
  message: `This agent reads these skills alone: ${names.join(", ")}.`,
  retryable: false,
  hint: "Use a name of the list.",
});

function shown({ name, body, files }: Skill): Json {
  const listed = files.map(({ path, kind, text }) => ({ path, kind, ...(text ? {} : { text: false }) }));
  return {
    ok: true,
    name,
    text: body,
    ...(files.length === 0 ? {} : { files: listed }),
    ...(files.some(({ kind }) => kind === "script") ? { note: SCRIPTS } : {}),
  };
}

async function readFile(catalog: SkillCatalog, skill: Skill, path: string, offset: number): Promise<Json> {
  const { name, files } = skill;
  // A path is one of the list or none: whatever it climbs out of, it leads nowhere.
  const found = files.find((one) => one.path === path);
  const paths = files.map((one) => one.path);
  if (found === undefined)
    throw new ToolError("not_found", "not_found", `The skill ${name} has no file ${path}.`, {
      at: "file",
      hint: paths.length === 0 ? "It has no files." : `Use one of these: ${paths.slice(0, 20).join(", ")}.`,
    });
  if (!found.text)
    throw new ToolError("invalid_args", "not_text", `${path} is no text.`, {
      at: "file",
      hint: "Do without it, or tell the person what it would need.",
    });
  const text = await catalog.file(name, path);
  if (text === null)
    throw new ToolError("server", "unavailable", `${path} could not be read now.`, {
      hint: "Try again.",
      nothingDone: true,
    });
  const slice = sliceText(text, offset, BODY_CHARS_MAX);
  if (slice === null && offset > 0)
    throw new ToolError("invalid_args", "range", `${path} has ${text.length} characters.`, {
      at: "offset",
      hint: `Use an offset below ${text.length}.`,
    });
  return {
    ok: true,
    name,
    file: path,
    text: slice?.text ?? "",
    ...(slice?.next == null ? {} : { next: slice.next, total: text.length }),
    ...(found.kind === "script" ? { note: SCRIPTS } : {}),
  };
}

function unknown(name: string, names: readonly string[]): ToolError {
  const [near] = nearestWords(name, names);
  const meant = near === undefined ? "" : ` Is it ${near}?`;
  return new ToolError("not_found", "not_found", `There is no skill ${name}.${meant}`, {
    at: "name",
    hint: names.length === 0 ? "There are none now." : `Use a name of the list.`,
  });
}
