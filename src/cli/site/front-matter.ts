import { LineCounter, parseDocument } from "yaml";
import * as z from "zod";
import { frontMatterFault } from "../../cairn/core/text/front-matter-bounds.ts";

/** A Markdown file with front matter as a post, or its faults, each with the line that it is in. */

export interface Fault {
  /** from 1 */
  readonly line: number;
  readonly message: string;
}

const line = z.string().trim().min(1);
const words = z
  .union([z.array(z.coerce.string()), z.string().transform((text) => text.split(","))])
  .transform((all) => all.map((one) => one.trim()).filter((one) => one !== ""));
const schema = z.strictObject({
  title: line.max(120),
  slug: line
    .max(64)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "It is made of a-z, 0-9 and single hyphens.")
    .optional(),
  date: z
    .string()
    .regex(
      /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/,
      "It is a date such as 2026-05-31.",
    )
    .refine((text) => isDate(text), "There is no such date.")
    .optional(),
  excerpt: z.string().max(500).optional(),
  category: line.max(80).optional(),
  tags: words.optional(),
  author: line.max(80).optional(),
  cover: line.optional(),
  coverAlt: line.max(300).optional(),
  status: z.enum(["draft", "published"]).optional(),
  draft: z.boolean().optional(),
});

function isDate(text: string): boolean {
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && (text.length > 10 || at.toISOString().startsWith(text));
}

export interface Post extends z.output<typeof schema> {
  readonly body: string;
  readonly isPublished: boolean;
  /** local image files by name, each with its alternative text: the cover first */
  readonly images: ReadonlyMap<string, string>;
}

export type Read =
  | { readonly ok: true; readonly post: Post }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** `![alt](path)` of a file: no address, no image of the library. */
const LOCAL_IMAGE = /(!\[((?:(?!!\[)[^\]])*)\]\(\s*<?)(?![a-z][a-z0-9+.-]*:|\/|#)([^\s)>"]+)/gi;

export function readPost(text: string): Read {
  const lines = text
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .split("\n");
  const end = lines.indexOf("---", 1);
  if (lines[0] !== "---") return faulty(1, "It has no front matter: its first line is ---.");
  if (end === -1) return faulty(1, "Its front matter has no end: a line of ---.");
  const unparsable = frontMatterFault(lines.join("\n"));
  if (unparsable !== null) return faulty(1, unparsable);
  const counter = new LineCounter();
  // Dates stay text, so that none is moved to another zone.
  const document = parseDocument(lines.slice(1, end).join("\n"), { lineCounter: counter, schema: "core" });
  const lineOf = (offset: number): number => counter.linePos(offset).line + 1;
  if (document.errors.length > 0)
    return {
      ok: false,
      faults: document.errors.map(({ pos, message }) => ({
        line: lineOf(pos[0]),
        message: message.split(" at line ")[0] ?? message,
      })),
    };
  const parsed = schema.safeParse(document.toJS() ?? {});
  if (!parsed.success)
    return {
      ok: false,
      faults: parsed.error.issues.map((issue) => {
        const key = issue.code === "unrecognized_keys" ? issue.keys[0] : issue.path[0];
        const at = typeof key === "string" ? lineNumberOf(document.get(key, true), lineOf) : null;
        const name = typeof key === "string" ? key : "front matter";
        return { line: at ?? 1, message: `${name}: ${issue.message}` };
      }),
    };
  const body = lines
    .slice(end + 1)
    .join("\n")
    .trim();
  if (body === "") return faulty(end + 1, "It has no text.");
  const post = parsed.data;
  const shown = [...body.matchAll(LOCAL_IMAGE)].map(([, , alt = "", path = ""]): [string, string] => [
    path,
    alt,
  ]);
  // The cover's text is the title, unless the post has a longer one.
  const images = new Map(shown);
  if (post.cover !== undefined)
    images.set(post.cover, post.coverAlt ?? (images.get(post.cover) || post.title));
  const isPublished = post.status === "published" && post.draft !== true;
  return { ok: true, post: { ...post, body, isPublished, images } };
}

const faulty = (at: number, message: string): Read => ({ ok: false, faults: [{ line: at, message }] });

function lineNumberOf(node: unknown, lineOf: (offset: number) => number): number | null {
  const range = z.object({ range: z.tuple([z.number()]).rest(z.number()) }).safeParse(node);
  return range.success ? lineOf(range.data.range[0]) : null;
}

/** The text with each local image replaced by the one of the library. */
export const withImages = (body: string, ids: ReadonlyMap<string, string>): string =>
  body.replace(LOCAL_IMAGE, (whole, open: string, _alt: string, path: string) => {
    const id = ids.get(path);
    return id === undefined ? whole : `${open}image:${id}`;
  });
