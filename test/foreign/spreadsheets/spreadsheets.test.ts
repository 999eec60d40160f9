import { expect, test } from "vitest";
import { fileText } from "../office-file.ts";
import { SPREADSHEETS } from "./rows.ts";

test.each(SPREADSHEETS)("$name", async ({ input, value }) => {
  expect(await fileText("book.xlsx", input)).toBe(value);
});
