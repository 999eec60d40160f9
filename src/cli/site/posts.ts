import { startOf } from "../../cairn/core/text/cut.ts";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { Stopped, type SiteClient } from "./client.ts";
import type { Print } from "./export-site.ts";
import { readPost, withImages, type Post } from "./front-matter.ts";
import type { SiteOptions } from "./options.ts";

/**
 * Imports Markdown files as posts. All of them are checked first, here and by the server, and nothing is written if
 * one has a fault. Each is then created under a key made from its bytes, so that a second run creates nothing twice.
 */

const ALT_CHARS_MAX = 300;

type PostsCommand = Extract<SiteOptions["command"], { kind: "posts" }>;

interface PostFile {
  readonly file: string;
  readonly post: Post;
  readonly key: string;
  readonly images: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

const postSchema = z.object({
  became: z.enum(["checked", "created", "there"]),
  url: z.string().nullable(),
  status: z.enum(["draft", "published"]).nullable(),
});
const imageSchema = z.object({ imageId: z.string().nullable() });

export async function importPosts(client: SiteClient, command: PostsCommand, print: Print): Promise<void> {
  const files = await markdownIn(command.folder);
  if (files.length === 0) throw new Stopped(`There is no Markdown file (*.md) in ${command.folder}.`);
  const faults: string[] = [];
  const posts: PostFile[] = [];
  for (const file of files) {
    const bytes = await readFile(path.join(command.folder, file));
    const read = readPost(bytes.toString("utf8"));
    if (!read.ok) {
      faults.push(...read.faults.map(({ line, message }) => `${file}:${line}: ${message}`));
      continue;
    }
    const images = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const image of read.post.images.keys()) {
      const found = await readFile(path.join(command.folder, path.dirname(file), decoded(image))).catch(
        () => null,
      );
      if (found === null) faults.push(`${file}:1: The image ${image} is not there.`);
      else images.set(image, new Uint8Array(found));
    }
    // Pictures of the file are part of its hash: another picture makes it another post.
    const hash = createHash("sha256")
      .update(`${command.environment ?? ""}/${command.collection}/`)
      .update(bytes);
    for (const image of images.values()) hash.update(image);
    posts.push({ file, post: read.post, key: hash.digest("hex"), images });
  }
  faults.push(...slugsTwice(posts));
  print(`${files.length} files are read, ${faults.length} faults.`);
  stopAt(faults);

  const wanted: PostFile[] = [];
  for (const one of posts) {
    const fault = await checked(client, command, one);
    if (fault === null) wanted.push(one);
    else if (command.skipExisting && fault.code === "slug_taken")
      print(`${one.file}: left out. ${fault.message}`);
    else faults.push(`${one.file}:1: ${fault.message}`);
  }
  stopAt(faults);
  const refused: string[] = [];
  let done = 0;
  for (const one of wanted) {
    const outcome = await made(client, command, one).catch((error: unknown) => {
      // A refusal of one post, such as of publishing it, does not stop the others.
      if (error instanceof Stopped && error.code !== null) return error;
      throw error;
    });
    done += 1;
    if (outcome instanceof Stopped) {
      refused.push(`${one.file}: ${outcome.message}`);
      continue;
    }
    const { became, url, status } = outcome;
    print(
      `${done} of ${wanted.length}: ${one.file} ${became === "there" ? "was there" : "is there"}, ${status ?? ""}, ${url ?? ""}`,
    );
  }
  const waiting = wanted.filter((one) => one.post.isPublished).length;
  if (waiting > 0 && !command.publish)
    print(`${waiting} of them say status: published. They are drafts; --publish publishes them.`);
  if (refused.length > 0) throw new Stopped([...refused, "The others are there."].join("\n"));
}

function stopAt(faults: readonly string[]): void {
  if (faults.length > 0) throw new Stopped([...faults, "Nothing was written."].join("\n"));
}

async function markdownIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((one) => one.isFile() && /\.(md|markdown)$/i.test(one.name))
    .map((one) => path.relative(folder, path.join(one.parentPath, one.name)))
    .toSorted();
}

function decoded(image: string): string {
  try {
    return decodeURIComponent(image);
  } catch {
    return image;
  }
}

/** Two files cannot have one address. */
function slugsTwice(posts: readonly PostFile[]): string[] {
  const held = new Map<string, string>();
  return posts.flatMap(({ file, post: { slug } }) => {
    if (slug === undefined) return [];
    const other = held.get(slug);
    held.set(slug, other ?? file);
    return other === undefined ? [] : [`${file}:1: slug: ${other} has “${slug}” too.`];
  });
}

const bodyOf = (
  { environment, collection }: PostsCommand,
  { post }: PostFile,
  ids: ReadonlyMap<string, string>,
) => {
  const { title, slug, excerpt, category, author, cover, tags, date, body } = post;
  return {
    collection,
    title,
    slug,
    excerpt,
    category,
    author,
    ...(environment === null ? {} : { environment }),
    ...(cover === undefined || !ids.has(cover) ? {} : { cover: ids.get(cover) }),
    ...(date === undefined ? {} : { date: new Date(date).toISOString() }),
    content: { body: withImages(body, ids), ...(tags === undefined ? {} : { tags }) },
  };
};

const imagePath = (
  { environment }: PostsCommand,
  { post }: PostFile,
  image: string,
  check: boolean,
): string =>
  `/api/cms/images?${new URLSearchParams({
    ...(environment === null ? {} : { environment }),
    ...(check ? { check: "1" } : {}),
    filename: path.basename(decoded(image)),
    alt: startOf(post.images.get(image) ?? "", ALT_CHARS_MAX),
  }).toString()}`;

/** Asks the server what it would refuse; null if nothing. */
async function checked(client: SiteClient, command: PostsCommand, one: PostFile): Promise<Stopped | null> {
  try {
    const ids = new Map<string, string>();
    for (const [image, bytes] of one.images) {
      const { imageId } = await client.ask(imagePath(command, one, image, true), imageSchema, {
        method: "POST",
        bytes,
      });
      if (imageId !== null) ids.set(image, imageId);
    }
    // Images that are not in the library yet are left as they are named: nothing is wrong with them.
    await client.ask("/api/cms/posts", postSchema, {
      method: "POST",
      json: { ...bodyOf(command, one, ids), check: true },
      headers: { "idempotency-key": one.key },
    });
    return null;
  } catch (error) {
    // Without a code nothing was refused: the server is not there.
    if (error instanceof Stopped && error.code !== null) return error;
    throw error;
  }
}

async function made(
  client: SiteClient,
  command: PostsCommand,
  one: PostFile,
): Promise<z.output<typeof postSchema>> {
  const ids = new Map<string, string>();
  for (const [image, bytes] of one.images) {
    const key = createHash("sha256").update(one.key).update(bytes).digest("hex");
    const { imageId } = await client.ask(imagePath(command, one, image, false), imageSchema, {
      method: "POST",
      bytes,
      headers: { "idempotency-key": key },
    });
    if (imageId === null) throw new Stopped(`${one.file}: the image ${image} was not taken.`);
    ids.set(image, imageId);
  }
  const publish = command.publish && one.post.isPublished;
  return client.ask("/api/cms/posts", postSchema, {
    method: "POST",
    json: { ...bodyOf(command, one, ids), publish },
    headers: { "idempotency-key": one.key },
  });
}
