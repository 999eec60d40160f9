import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { Stopped, type SiteClient } from "../site/client.ts";
import type { Question } from "./questions.ts";

/** The files of a question: each rollout sends them to its new session before it starts. */

/** as `POST /api/uploads` takes them; of `POST /api/runs` at most 20 */
const FILE_BYTES_MAX = 20 * 1024 * 1024;

const uploadedSchema = z.object({ url: z.string() });

/** The file itself is refused: another rollout would fare no better, and other questions do. */
const REFUSED =
  /^(?:unsupported_media|empty_file|unreadable|pdf_encrypted|pdf_unreadable|pdf_pages|too_large|no_text)$/;

/** Paths as they are from the folder of the questions. Throws `Stopped` for one that cannot be read, before anything is asked. */
export async function checkQuestionFiles(questions: readonly Question[], folder: string): Promise<void> {
  const names = new Set(questions.flatMap(({ files }) => files));
  for (const name of names) {
    const found = await stat(path.resolve(folder, name)).catch(() => null);
    if (found === null) throw new Stopped(`There is no file ${name} in ${folder}, which a question names.`);
    if (!found.isFile()) throw new Stopped(`${name} in ${folder} is not a file.`);
    if (found.size > FILE_BYTES_MAX) throw new Stopped(`${name} in ${folder} is larger than 20 MB.`);
  }
}

/** Sends the files to a session. The URLs by which a run names them, or why one was refused. */
export async function sendQuestionFiles(
  client: SiteClient,
  session: string,
  files: readonly string[],
  folder: string,
): Promise<readonly string[] | string> {
  const urls: string[] = [];
  for (const name of files) {
    const form = new FormData();
    const bytes = await readFile(path.resolve(folder, name));
    form.set("file", new File([new Uint8Array(bytes)], path.basename(name)));
    form.set("session", session);
    try {
      urls.push((await client.ask("/api/uploads", uploadedSchema, { method: "POST", form })).url);
    } catch (error) {
      if (error instanceof Stopped && REFUSED.test(error.code ?? "")) return `${name}: ${error.message}`;
      throw error;
    }
  }
  return urls;
}
