import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { nameSources } from "../../../src/cairn/core/entries/sources.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import { tryTool } from "../../../src/cairn/tools/define.ts";
import { FILE_BYTES_MAX, FILES_PER_HOUR_MAX } from "../../../src/cairn/documents/limits.ts";
import { readFile } from "../../../src/plugins/files/read-file.ts";
import { sentUploads } from "../../../src/cairn/uploads/sent-uploads.ts";
import { cleanName, dropFiles, findFile, keepFile, pathOf } from "../../../src/cairn/uploads/store.ts";
import { docx, paragraph, pdf, textBytes } from "../../cairn/documents/made-files.ts";

/** Files in the real bucket of the runtime, and the tool that reads them there. */

const bucket = env.MEDIA;
/** the session of `tryTool` */
const SESSION = "test";
const AT = Date.UTC(2026, 10, 21);

beforeEach(async () => {
  await dropFiles(bucket, SESSION);
  await dropFiles(bucket, "other");
});

const keep = (name: string, bytes: Uint8Array, session = SESSION, at = AT) =>
  keepFile(bucket, { session, subject: "alice", name, bytes, at });

async function sent(name: string, bytes: Uint8Array, session = SESSION): Promise<string> {
  const kept = await keep(name, bytes, session);
  if (!kept.ok) throw new Error(kept.error.message);
  return kept.value.file.id;
}

async function read(input: { files: string[]; goal?: string; offset?: number }) {
  const { result, sources } = await tryTool(readFile, { input, services: { bucket } });
  if (!result.ok) return { error: result.error, output: null, sources: null };
  const known = { pageOf: () => null, pages: 6, evidence: 11 };
  return { error: null, ...nameSources(sources, result.value, known, (text) => text) };
}

const LEASE = pdf([
  "The flat is let from 1 May.\nThe rent is 900 a month.",
  "Notice period: three months, in writing, to the end of a month.",
]);

describe("read_file", () => {
  test("shows the passages about a goal, each under a name, and keeps the whole text", async () => {
    const id = await sent("lease.pdf", LEASE);
    const { output, sources } = await read({ files: [id], goal: "notice period" });
    expect(output).toEqual({
      files: [
        {
          file: id,
          page: "p7",
          name: "lease.pdf",
          type: "application/pdf",
          pages: 2,
          chars: 134,
          quotes: [{ id: "e12", quote: expect.stringContaining("Notice period: three months") as Json }],
        },
      ],
      by: "words: the passages that share most words with the goal",
    });
    expect(sources?.pages).toMatchObject([{ page: "p7", url: `upload:${id}`, title: "lease.pdf" }]);
  });

  test("without a goal shows the beginning, and an offset goes on to the end", async () => {
    const lines = Array.from({ length: 400 }, (_, n) => `Line ${n} of a long text that says little.`);
    const id = await sent("long.txt", textBytes(lines.join("\n")));
    let offset = 0;
    let text = "";
    let calls = 0;
    for (;;) {
      const { output } = await read({ files: [id], offset });
      const [file] = (output as { files: { quotes: { quote: string }[]; next?: number }[] }).files;
      text += file?.quotes.map(({ quote }) => `${quote}\n`).join("") ?? "";
      calls++;
      if (file?.next === undefined) break;
      expect(file.next).toBeGreaterThan(offset);
      offset = file.next;
    }
    expect(text.split("\n").filter((line) => line !== "")).toEqual(lines);
    expect(calls).toBe(4);
    const { error } = await read({ files: [id], offset: 1_000_000 });
    expect(error).toMatchObject({ code: "past_the_end", class: "invalid_args" });
  });

  test("with a goal and an offset looks behind the offset alone", async () => {
    const id = await sent("a.txt", textBytes(`The key is red.\n${"Words. ".repeat(200)}\nThe key is blue.`));
    const { output } = await read({ files: [id], goal: "key", offset: 100 });
    expect(JSON.stringify(output)).toContain("blue");
    expect(JSON.stringify(output)).not.toContain("red");
  });

  test("reads what it can of several, and says what it cannot", async () => {
    const id = await sent("lease.docx", docx(paragraph("The rent is 900.")));
    const { output } = await read({ files: [id, "f_000000000000000000000000", id], goal: "rent" });
    expect(output).toMatchObject({
      files: [
        { file: id, quotes: [{ id: "e12", quote: "The rent is 900." }] },
        { file: "f_000000000000000000000000", error: { code: "file_not_found" } },
      ],
    });
  });

  test.each(["lease.txt", "Lease.TXT", "./eval_data/file_corpus/lease.txt", "C:\\files\\lease.txt"])(
    "finds the one file that is called %s",
    async (name) => {
      const id = await sent("lease.txt", textBytes("The rent is 900."));
      await sent("rent.txt", textBytes("The rent was 800."));
      const { output } = await read({ files: [name] });
      expect(output).toMatchObject({ files: [{ file: id, name: "lease.txt" }] });
    },
  );

  test("does not choose between two files of one name", async () => {
    const ids = [
      await sent("lease.txt", textBytes("The rent is 900.")),
      await sent("lease.txt", textBytes("The rent is 1,000.")),
    ];
    expect((await read({ files: ["lease.txt"] })).error).toMatchObject({ code: "file_not_found" });
    expect((await read({ files: [...ids] })).output).toMatchObject({
      files: [{ file: ids[0] }, { file: ids[1] }],
    });
  });

  test.each(["f_000000000000000000000000", "../other", "uploads/other/a", "p7"])(
    "knows nothing of %s, nor of a file of another session, in the same words",
    async (id) => {
      const foreign = await sent("secret.txt", textBytes("The key is under the mat."), "other");
      const words = async (wanted: string) => {
        const { error } = await read({ files: [wanted] });
        return { ...error, message: error?.message.replace(wanted, "ID") };
      };
      expect(await words(id)).toEqual(await words(foreign));
      expect(await words(id)).toMatchObject({ class: "not_found", code: "file_not_found", retryable: false });
    },
  );
});

describe("the bucket", () => {
  test("keeps the same bytes once, by an id that is made of them", async () => {
    const first = await keep("Ünï <b> lease.pdf", LEASE);
    expect(first).toMatchObject({ ok: true, value: { deduped: false, file: { name: "Ünï b lease.pdf" } } });
    expect(await keep("copy.pdf", LEASE)).toEqual({
      ok: true,
      value: { deduped: true, file: first.ok ? first.value.file : null },
    });
    expect(await findFile(bucket, "other", first.ok ? first.value.file.id : "")).toBeNull();
  });

  test("takes 20 MB and no byte more", async () => {
    const bytes = new Uint8Array(FILE_BYTES_MAX + 1).fill(0x61);
    expect(await keep("a.txt", bytes)).toMatchObject({ ok: false, error: { code: "too_large" } });
    expect(await keep("a.txt", bytes.subarray(1))).toMatchObject({ ok: true });
  });

  test("takes so many in an hour, and others later", async () => {
    for (let n = 0; n < FILES_PER_HOUR_MAX; n++) await keep("a.txt", textBytes(`file ${n}`), SESSION, AT + n);
    expect(await keep("a.txt", textBytes("one more"), SESSION, AT + 60_000)).toMatchObject({
      ok: false,
      error: { code: "rate_limited", retryAfter: 3_540 },
    });
    // Sending the same file again adds no new one.
    expect(await keep("a.txt", textBytes("file 0"), SESSION, AT + 60_000)).toMatchObject({ ok: true });
    expect(await keep("a.txt", textBytes("one more"), SESSION, AT + 3_600_001)).toMatchObject({ ok: true });
  });

  test("tells a session what it knows of the files that a message names", async () => {
    const id = await sent("lease.pdf", LEASE);
    const faults: unknown[] = [];
    const part = { type: "file", mediaType: "text/plain", url: pathOf(id) } as const;
    const uploads = (session: string) => sentUploads({ bucket, session }, (error) => faults.push(error));
    expect(await uploads(SESSION).identify([part])).toEqual([
      { ...part, mediaType: "application/pdf", file: { id, name: "lease.pdf", bytes: LEASE.length } },
    ]);
    expect(await uploads("other").identify([part])).toEqual([part]);
    expect(faults).toEqual([]);
  });

  test.each([
    ["head", "identify"],
    ["list", "waiting"],
  ] as const)("tells a file that is missing from a bucket whose %s fails", async (method, ask) => {
    const down = new Error("R2 is down");
    const broken = new Proxy(bucket, {
      get: (target, name) =>
        name === method || name === "get" ? () => Promise.reject(down) : Reflect.get(target, name, target),
    });
    const faults: unknown[] = [];
    let failures = 0;
    const failed = (): void => void (failures += 1);
    const uploads = sentUploads({ bucket: broken, session: SESSION }, (error) => faults.push(error));
    const part = { type: "file", mediaType: "text/plain", url: pathOf(`f_${"0".repeat(24)}`) } as const;
    const found =
      ask === "identify" ? await uploads.identify([part], failed) : await uploads.waiting(5, failed);
    expect(found).toEqual(ask === "identify" ? [part] : []);
    expect([failures, faults]).toEqual([1, [down]]);
  });
});

test("a name is the last part of a path, without what no name may have", () => {
  expect(cleanName("C:\\tmp\\a.pdf")).toBe("a.pdf");
  expect(cleanName("../../etc/passwd")).toBe("passwd");
  expect(cleanName("..")).toBe("file");
  expect(cleanName(`${"long".repeat(100)}.txt`)).toMatch(/^(long){24}\.txt$/);
});
