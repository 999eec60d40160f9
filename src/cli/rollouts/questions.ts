import * as z from "zod";
import { Stopped } from "../site/client.ts";

/** The questions of a file: JSON lines, or one list in JSON. */

export interface Question {
  /** by which its rows are known: its id, or the question itself */
  readonly key: string;
  readonly id: string | null;
  readonly question: string;
  /** null: it is run and not graded */
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
  answer: z.union([z.string(), z.number(), z.boolean()]).transform(String).nullish(),
  id: name.nullish(),
  files: z.union([fileName.transform((file) => [file]), z.array(fileName).max(FILES_MAX)]).nullish(),
  /** as GAIA names the one file of a question; empty where it has none */
  file_name: z.string().nullish(),
});

/** Other fields of a row are passed over. Throws `Stopped` with the number of the line, or of the place in the list, that cannot be read. */
export function parseQuestions(text: string, file: string): readonly Question[] {
  const questions: Question[] = [];
  const positions = new Map<string, string>();
  for (const { value, at } of rowsIn(text.replace(/^\uFEFF/, ""), file)) {
    const { question, answer, id, files, file_name: single } = readRow(value, file, at);
    const key = id ?? question;
    const before = positions.get(key);
    if (before !== undefined)
      throw new Stopped(
        id == null
          ? `${file}, ${at} asks the same as ${before}. Give both an id, or take one out.`
          : `${file}, ${at} has the id of ${before}.`,
      );
    positions.set(key, at);
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

interface QuestionRow {
  readonly value: unknown;
  /** such as `line 3` */
  readonly at: string;
}

/** A list is read whole, however its lines are broken; a line of a file of lines may be a list too, and is then none of a question. */
function rowsIn(text: string, file: string): readonly QuestionRow[] {
  const list = text.trimStart().startsWith("[") ? parsed(text) : undefined;
  if (Array.isArray(list) && (isNamedJson(file) || list.every(isRecord)))
    return list.map((value: unknown, index) => ({ value, at: `question ${index + 1}` }));
  if (isNamedJson(file) && text.trim() !== "") {
    const value = parsed(text);
    if (value === undefined)
      throw new Stopped(`${file} is no JSON. It is a list of objects: [{"question":"…"}].`);
    return [{ value, at: "question 1" }];
  }
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const at = `line ${index + 1}`;
    const value = parsed(line);
    if (value === undefined)
      throw new Stopped(`${file}, ${at} is no JSON. Each line is one object: {"question":"…"}.`);
    return [{ value, at }];
  });
}

const isNamedJson = (file: string): boolean => /\.json$/i.test(file);
const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const messagesSchema = z.array(z.looseObject({ content: z.string() })).min(2);

/** DeepResearch also takes the question from the second of the row's messages, behind the word User. */
function withQuestion(value: unknown): unknown {
  if (!isRecord(value) || (typeof value["question"] === "string" && value["question"].trim() !== ""))
    return value;
  const content = messagesSchema.safeParse(value["messages"]).data?.[1]?.content;
  if (content === undefined) return value;
  return { ...value, question: content.split("User:").at(1) ?? content };
}

function readRow(value: unknown, file: string, at: string): z.output<typeof rowSchema> {
  const row = rowSchema.safeParse(withQuestion(value));
  if (row.success) return row.data;
  const [issue] = row.error.issues;
  const field = issue?.path.join(".") ?? "";
  throw new Stopped(
    field === ""
      ? `${file}, ${at} is no object with a question.`
      : field.startsWith("files")
        ? `${file}, ${at}: files must be a path, or a list of at most ${FILES_MAX}.`
        : `${file}, ${at}: ${field} must be a text.`,
  );
}
