import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { faultWords, installErrorMessages } from "../../../src/cairn/protocol/fault-words.ts";

beforeAll(installErrorMessages);
afterAll(() => void z.config({ customError: undefined }));

const said = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map(({ message }) => message) ?? [];

test.each<[string, z.ZodType, unknown]>([
  ["It is missing.", z.string(), undefined],
  ["It must be text.", z.string(), 1],
  ["It must be a whole number.", z.int(), 1.5],
  ["It must be a list.", z.array(z.string()), {}],
  ["It must be an object.", z.strictObject({}), []],
  ["It must not be empty.", z.string().min(1), ""],
  ["It must not be empty.", z.array(z.string()).min(1), []],
  ["It must have at least 3 characters.", z.string().min(3), "a"],
  ["It must have at most 1 character.", z.string().max(1), "ab"],
  ["It must have at most 2 entries.", z.array(z.string()).max(2), ["a", "b", "c"]],
  ["It must be at least 1.", z.number().min(1), 0],
  ["It must be less than 10.", z.number().lt(10), 10],
  ["It must be a multiple of 5.", z.number().multipleOf(5), 4],
  ['It must be one of "draft", "published".', z.enum(["draft", "published"]), "gone"],
  ["It must be true.", z.literal(true), false],
  ["It must be an email address.", z.email(), "nobody"],
  ["It must be of another form.", z.string().regex(/^a$/), "b"],
  ["Not known here: b, c.", z.strictObject({ a: z.string() }), { a: "", b: 1, c: 2 }],
  ["It is none of what is possible here.", z.union([z.string(), z.number()]), null],
])("%s", (words, schema, value) => {
  expect(said(schema, value)).toEqual([words]);
});

test("a schema's own words stand, and what has no words here is left to zod", () => {
  expect(said(z.string().regex(/^a$/, "Write an a."), "b")).toEqual(["Write an a."]);
  expect(
    said(
      z.string().refine((text) => text === "a", "Write an a."),
      "b",
    ),
  ).toEqual(["Write an a."]);
  expect(faultWords({ code: "custom", input: 1, path: [] })).toBe(undefined);
});
