import { expect, test } from "vitest";
import type { PromptMessage, PromptPart } from "../../../src/cairn/core/log/model.ts";
import { fileRef, loadFiles, splitFiles } from "../../../src/cairn/session/engine/files.ts";

/** Files that people send along: which of them an entry holds, and which of them a prompt. */

const ROW_BYTES = 65_536;
const PROMPT_BYTES = 4_194_304;
const file = (url: string, bytes?: number): PromptPart => ({
  type: "file",
  mediaType: "image/png",
  url,
  ...(bytes === undefined ? {} : { bytes }),
});
const text: PromptPart = { type: "text", text: "look at these" };

test("a row holds files of 64 KiB together, and the others under the name of their message and place", () => {
  const urls = ["a".repeat(40_000), "b".repeat(30_000), "c".repeat(ROW_BYTES - 40_000), "d"];
  const { parts, split: kept } = splitFiles("m7", [text, ...urls.map((url) => file(url))]);
  expect(parts).toEqual([
    text,
    file(urls[0] ?? ""),
    file("blob:m7/2", 30_000),
    file(urls[2] ?? ""),
    file("blob:m7/4", 1),
  ]);
  expect(kept).toEqual([
    { ref: "blob:m7/2", url: urls[1] },
    { ref: "blob:m7/4", url: "d" },
  ]);
  expect(fileRef("m7", 2)).toBe("blob:m7/2");
});

test("what a file weighs is its bytes, not its characters", () => {
  const { split: kept } = splitFiles("m1", [file("é".repeat(ROW_BYTES / 2)), file("€".repeat(1))]);
  expect(kept).toEqual([{ ref: "blob:m1/1", url: "€" }]);
});

test("a prompt holds kept files of 4 MiB together, those of the newest message first, and names the others", () => {
  const message = (...parts: PromptPart[]): PromptMessage => ({ role: "user", parts });
  const store = { loadBlob: (ref: string): string | null => (ref === "blob:gone" ? null : `whole ${ref}`) };
  const half = PROMPT_BYTES / 2;
  const messages: readonly PromptMessage[] = [
    message(file("blob:old", half), file("blob:small", 5)),
    { role: "assistant", parts: [{ type: "text", text: "I see." }] },
    message(text, file("data:here"), file("blob:gone", 3)),
    message(file("blob:new", half), file("blob:large", half + 1), file("blob:fits", half - 5)),
  ];
  expect(loadFiles(store, messages)).toEqual([
    message(file("blob:old", half), file("whole blob:small")),
    messages[1],
    messages[2],
    message(file("whole blob:new"), file("blob:large", half + 1), file("whole blob:fits")),
  ]);
});
