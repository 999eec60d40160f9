import * as z from "zod";
import { Stopped } from "../site/door.ts";

/** The questions of a file of JSON lines. */

export interface Question {
  /** by which its rows are known: its id, or the question itself */
  readonly key: string;
  readonly id: string | null;
  readonly question: string;
  /** null: it is worked and not graded */
  readonly answer: string | null;
  /** paths from the folder of the questions */
  readonly files: readonly string[];
}

/** of one question: as many as a run takes */
const FILES_MAX = 20;

const name = z.union([z.string().min(1), z.number()]).transform(String);
const fileName = z.string().trim().min(1);
const rowSchema = z.object({
  question: z.string().trim().min(1),
  answer: z.union([z.string(), z.number()]).transform(String).nullish(),
  id: name.nullish(),
  files: z.union([fileName.transform((file) => [file]), z.array(fileName).max(FILES_MAX)]).nullish(),
  /** as GAIA names the one file of a question; empty where it has none */
  file_name: z.string().nullish(),
});

/** Other fields of a line are passed over. Throws `Stopped` with the number of the line that cannot be read. */
export function parseQuestions(text: string, file: string): readonly Question[] {
  const questions: Question[] = [];
  const lines = new Map<string, number>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    if (line.trim() === "") continue;
    const at = index + 1;
    const { question, answer, id, files, file_name: single } = readLine(line, file, at);
    const key = id ?? question;
    const before = lines.get(key);
    if (before !== undefined)
      throw new Stopped(
        id == null
          ? `${file}, line ${at} asks the same as line ${before}. Give both an id, or take one out.`
          : `${file}, line ${at} has the id of line ${before}.`,
      );
    lines.set(key, at);
    // An answer of blanks would be in every text.
    questions.push({
      key,
      id: id ?? null,
      question,
      answer: answer?.trim() ? answer : null,
      files: [...new Set([...(files ?? []), ...(single?.trim() ? [single.trim()] : [])])],
    });
  }
  if (questions.length === 0) throw new Stopped(`${file} has no questions.`);
  return questions;
}

function readLine(line: string, file: string, at: number): z.output<typeof rowSchema> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Stopped(`${file}, line ${at} is no JSON. Each line is one object: {"question":"…"}.`);
  }
  const row = rowSchema.safeParse(value);
  if (row.success) return row.data;
  const [issue] = row.error.issues;
  const field = issue?.path.join(".") ?? "";
  throw new Stopped(
    field === ""
      ? `${file}, line ${at} is no object with a question.`
      : field.startsWith("files")
        ? `${file}, line ${at}: files must be a path, or a list of at most ${FILES_MAX}.`
        : `${file}, line ${at}: ${field} must be a text.`,
  );
}
