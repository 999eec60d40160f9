import * as z from "zod";
import { isObject, type Json, type JsonObject } from "../core/log/json.ts";

/** Values read from a page: only values of the form that the caller named, and no wording of the page itself. */

const FIELDS_MAX = 10;
const CHOICES_MAX = 20;
const CHOICE_CHARS_MAX = 60;
const DESCRIPTION_CHARS_MAX = 200;
/** beyond it a double is no exact number, and what is beyond it in a page is no amount of anything */
const NUMBER_MAX = 1e15;

const field = z
  .strictObject({
    name: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, "small letters, digits and _"),
    type: z.enum(["number", "boolean", "date", "choice"]),
    choices: z
      .array(z.string().trim().min(1).max(CHOICE_CHARS_MAX))
      .min(2)
      .max(CHOICES_MAX)
      .optional()
      .describe("Of a choice: the answers that there are"),
    description: z
      .string()
      .trim()
      .min(1)
      .max(DESCRIPTION_CHARS_MAX)
      .describe("What it is, and in which unit"),
  })
  .superRefine(({ type, choices }, context) => {
    if ((type === "choice") !== (choices !== undefined))
      context.addIssue({
        code: "custom",
        path: ["choices"],
        message: "a choice has choices, and nothing else has",
      });
  });

export const fields = z
  .array(field)
  .min(1)
  .max(FIELDS_MAX)
  .superRefine((all, context) => {
    if (new Set(all.map(({ name }) => name)).size < all.length)
      context.addIssue({ code: "custom", message: "each name stands once" });
  });

export type Field = z.output<typeof field>;

/** Returns a value for each field, in order; null if it is missing or has another form. Other content is dropped. */
export function typedValues(answer: Json, wanted: readonly Field[]): JsonObject {
  const values = isObject(answer) ? answer : {};
  return Object.fromEntries(
    wanted.map((one) => {
      const value = Object.hasOwn(values, one.name) ? values[one.name] : undefined;
      return [one.name, value !== undefined && fits(value, one) ? value : null];
    }),
  );
}

const day = z.iso.date();

function fits(value: Json, { type, choices = [] }: Field): boolean {
  switch (type) {
    case "number":
      return typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= NUMBER_MAX;
    case "boolean":
      return typeof value === "boolean";
    case "date":
      return day.safeParse(value).success;
    case "choice":
      return typeof value === "string" && choices.includes(value);
  }
}

/** Returns the quote that proves a value; for verification, never for the run. */
export function quoteOf(answer: Json, { name }: Field): string | null {
  const quote = isObject(answer) && Object.hasOwn(answer, name) ? answer[name] : undefined;
  return typeof quote === "string" ? quote : null;
}
