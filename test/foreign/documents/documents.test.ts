import { expect, test } from "vitest";
import { checkFile } from "../../../src/cairn/documents/file-text.ts";
import { fileText } from "../office-file.ts";
import { DOCUMENTS } from "./rows.ts";

test.each(DOCUMENTS)("$name", async ({ input, value }) => {
  expect(await fileText("document.docx", input)).toBe(value);
  const isKnown = value !== "<unsupported_media>";
  expect((await checkFile("document.docx", input)).ok).toBe(isKnown);
});
