import { expect, test } from "vitest";
import { REHEARSAL_SIGNATURE as SIGNATURE } from "../../../src/plugins/rehearsal/answer-words.ts";
import { fence } from "../../../src/cairn/core/text/untrusted.ts";
import { play, type Played } from "./run.ts";
import { FakeSite } from "./site.ts";

/** Questions about a file that the person sent: it is read by its ID and quoted, each passage with its citation mark. */

const LEASE = '- file f_0123456789abcdef01234567 "lease.pdf" focus';
const ID = "f_0123456789abcdef01234567";

/** A site whose files are read as the session fences them. */
class SiteWithFiles extends FakeSite {
  override answer(name: string, input: Parameters<FakeSite["answer"]>[1]): string {
    if (name !== "read_file") return super.answer(name, input);
    const quotes = [{ id: "e12", quote: "[page 2]\nNotice period: three months." }];
    return fence(
      JSON.stringify({ files: [{ file: ID, page: "p1", name: "lease.pdf", chars: 134, quotes }] }),
      "r1s1c0",
    );
  }
}

const say = (words: string, memory = [LEASE], tools = ["read_file", "site_overview"]): Played =>
  play(new SiteWithFiles(), words, { memory, tools });

test.each([
  ["read the file I just sent", undefined],
  ["Read the file", undefined],
  ["please summarise the document that I have just uploaded", undefined],
  ["What is in the file?", undefined],
  ["What does the file say?", undefined],
  ["what does the file say about the notice period", "the notice period"],
  ["What does the contract I just sent say about rent?", "rent"],
  ["search the file I just sent for pets", "pets"],
])("%s", (words, goal) => {
  const { calls, text } = say(words);
  expect(calls.map(({ name, input }) => ({ name, input }))).toEqual([
    { name: "read_file", input: { files: [ID], ...(goal === undefined ? {} : { goal }) } },
  ]);
  const what = goal === undefined ? "begins like this" : `says this of "${goal}"`;
  expect(text).toBe(
    `"lease.pdf" (134 characters) ${what}:\n- [page 2] Notice period: three months. [e12]\n\n${SIGNATURE}`,
  );
});

test("a file without a word is read; without a file it says what to do; without the tool it says so", () => {
  const file = `<cairn-file id="${ID}" name="lease.pdf" type="application/pdf" bytes="9">sent in this session</cairn-file>`;
  expect(say(file).calls).toHaveLength(1);
  expect(say("read the file", []).text).toContain("I see no file here. Drop one into the conversation");
  expect(say("read the file", [LEASE], ["site_overview"]).text).toContain("read_file is not available here");
});
