import { open, type FileHandle } from "node:fs/promises";
import * as z from "zod";
import { Stopped } from "../site/client.ts";
import { lockResults } from "./lock.ts";
import type { Question } from "./questions.ts";

/** The file of results: a JSON line for each rollout, with the fields of DeepResearch's and some more. */

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** How a rollout ended; DeepResearch's word for a run that answered is `answer`. */
export type Termination = "answer" | "partial" | "failed" | "cancelled" | "timed_out" | "refused";

export interface Row {
  readonly question: string;
  readonly answer: string | null;
  /** empty where nothing was answered */
  readonly prediction: string;
  readonly termination: Termination;
  readonly messages: readonly Message[];
  readonly id: string | null;
  /** from 1 */
  readonly rollout: number;
  /** null where the question has no answer to compare with, and where it could not be judged */
  readonly correct: boolean | null;
  /** who judged it, as `--judge` names it; absent where the words of the answer did */
  readonly judge?: string;
  /** why, in the words of the judge */
  readonly judged?: string;
  /** why it ended otherwise than with an answer, in the words of Cairn */
  readonly reason: string | null;
  readonly tool_calls: number;
  readonly seconds: number;
  /** null where none began */
  readonly run: string | null;
}

const doneSchema = z.object({
  question: z.string(),
  id: z.string().nullish(),
  rollout: z.int().min(1),
  prediction: z.string(),
  termination: z.string(),
  correct: z.boolean().nullish(),
  judge: z.string().nullish(),
  tool_calls: z.number(),
  seconds: z.number(),
});
/** The fields that are read from an existing row. */
export type Done = z.output<typeof doneSchema>;

/** The key of a row equals that of its question. */
export const keyOf = ({ id, question }: Pick<Done, "id" | "question">): string => id ?? question;
export const rolloutKey = ({ key }: Pick<Question, "key">, rollout: number): string => `${rollout} ${key}`;

/** Every row begins with these characters. */
const BEGINNING = '{"question":';

export interface Results {
  readonly done: readonly Done[];
  /** its last row had been cut off in the middle, and was taken out */
  readonly mended: boolean;
  /** resolves when the whole row is written */
  add(row: Row): Promise<void>;
  close(): Promise<void>;
}

/** Opens the file for this process alone, or makes it. Throws `Stopped` where it cannot be written, is taken, or holds something else. */
export async function openResults(file: string): Promise<Results> {
  let handle: FileHandle;
  let unlock = (): Promise<void> => Promise.resolve();
  try {
    unlock = await lockResults(file);
    handle = await open(file, "a+");
  } catch (error) {
    await unlock();
    if (error instanceof Stopped) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Stopped(`${file} cannot be written (${code}). Name another file with --out.`);
  }
  try {
    const text = (await handle.readFile()).toString("utf8");
    const { done, complete, isCut } = readRows(text, file);
    if (isCut) await handle.truncate(Buffer.byteLength(complete));
    // A file that a person has edited may lack its last line feed.
    else if (complete !== "" && !complete.endsWith("\n")) await handle.appendFile("\n");
    let last: Promise<void> = Promise.resolve();
    return {
      done,
      mended: isCut,
      add(row) {
        last = last.then(() => handle.appendFile(`${JSON.stringify(row)}\n`));
        return last;
      },
      async close() {
        await handle.close();
        await unlock();
      },
    };
  } catch (error) {
    await handle.close();
    await unlock();
    throw error;
  }
}

export function readRows(
  text: string,
  file: string,
): { readonly done: readonly Done[]; readonly complete: string; readonly isCut: boolean } {
  const whole = text.lastIndexOf("\n") + 1;
  const tail = text.slice(whole);
  const isCut = tail !== "" && isBeginning(tail) && readRow(tail) === null;
  const complete = isCut ? text.slice(0, whole) : text;
  const done = complete.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const row = readRow(line);
    if (row === null)
      throw new Stopped(
        `${file}, line ${index + 1} is no result of a rollout. Name another file with --out.`,
      );
    return [row];
  });
  return { done, complete, isCut };
}

const isBeginning = (tail: string): boolean => tail.startsWith(BEGINNING) || BEGINNING.startsWith(tail);

function readRow(line: string): Done | null {
  try {
    return doneSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
