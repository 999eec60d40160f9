import { createHash } from "node:crypto";
import { appendFile, mkdtemp, open, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPost, withImages } from "../../src/cli/site/front-matter.ts";
import { parseSiteOptions } from "../../src/cli/site/options.ts";
import { scanFile, type Scan } from "../../src/cli/site/site-file.ts";
import { NO_SEAL, sealWith, type Seal } from "../../src/plugins/cms/protocol/site-file.ts";
import { END_OF_ARCHIVE, headerOf, paddingOf } from "../../src/plugins/cms/protocol/tar.ts";

/** Files of a site as the command reads them, and Markdown files as posts. */

const counts = {
  locales: 1,
  settings: 0,
  collections: 0,
  images: 0,
  pages: 0,
  sections: 0,
  entries: 0,
  navigation: 0,
  redirects: 0,
  published: 0,
};
const manifest = {
  format: "cairn-site",
  version: 1,
  site: { name: "A" },
  environment: { id: "env_a", name: "a" },
  exportedAt: "2026-01-01T00:00:00.000Z",
  state: "1.1.1",
  counts,
};
const tarred = (name: string, text: string): Buffer =>
  Buffer.concat([
    headerOf({ name, size: text.length }),
    Buffer.from(text),
    Buffer.alloc(paddingOf(text.length)),
  ]);
const MEMBERS: readonly (readonly [string, string])[] = [
  ["site.json", JSON.stringify(manifest)],
  ["base.ndjson", "{}\n"],
  ["navigation.ndjson", ""],
  ["pages/pg_a.ndjson", "x".repeat(600)],
];
const seal = MEMBERS.reduce<Seal>(
  (before, [name, text]) =>
    sealWith(before, { name, size: text.length, sha256: createHash("sha256").update(text).digest("hex") }),
  NO_SEAL,
);
const ends = MEMBERS.reduce<number[]>(
  (all, [name, text]) => [...all, (all.at(-1) ?? 0) + tarred(name, text).length],
  [],
);
const whole = Buffer.concat([
  ...MEMBERS.map(([name, text]) => tarred(name, text)),
  tarred("seal.json", JSON.stringify(seal)),
  END_OF_ARCHIVE,
]);

let folder = "";
let file = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "site-"));
  file = path.join(folder, "site.tar");
});
afterAll(() => rm(folder, { recursive: true }));

async function scanned(bytes: Uint8Array): Promise<Scan> {
  await writeFile(file, bytes);
  const handle = await open(file, "r");
  try {
    return await scanFile(handle);
  } finally {
    await handle.close();
  }
}

describe("the file of a site", () => {
  test("is whole with its seal, and at no length before it", async () => {
    expect(await scanned(whole)).toMatchObject({ isWhole: true, fault: null, seal });
    for (let length = 0; length < whole.length; length += 97) {
      const { isWhole, fault, end } = await scanned(whole.subarray(0, length));
      const last = ends.filter((one) => one <= length).at(-1) ?? 0;
      expect([length, isWhole, fault, end]).toEqual([length, false, null, last]);
    }
  });

  test("is gone on with behind what is whole", async () => {
    const [, cut = 0] = ends;
    await writeFile(file, whole);
    await truncate(file, cut + 100);
    const handle = await open(file, "r+");
    const known = await scanFile(handle);
    await handle.truncate(known.end);
    await appendFile(file, whole.subarray(known.end));
    expect(await scanFile(handle, known)).toMatchObject({ isWhole: true, seal });
    await handle.close();
    expect(await readFile(file)).toEqual(whole);
  });

  test("with a flipped bit is never whole", async () => {
    for (let at = 0; at < whole.length; at += 61) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      expect([at, (await scanned(bytes)).isWhole]).toEqual([at, false]);
    }
  });
});

describe("a Markdown file", () => {
  const post = (front: string, body = "Text."): ReturnType<typeof readPost> =>
    readPost(`---\n${front}\n---\n\n${body}\n`);
  const faults = (front: string, body?: string): string[] => {
    const read = post(front, body);
    return read.ok ? [] : read.faults.map(({ line, message }) => `${line}: ${message}`);
  };

  test("is a post with its fields, and the images that it names", () => {
    const read = post(
      'title: "Über den Grat"\ndate: 2024-05-31\ntags: a, b\ncover: img/r.png\nstatus: published',
      "See ![the ridge](./x%20y.png) ![far](https://x.example/a.png) ![lib](image:im_1)",
    );
    expect(read).toMatchObject({
      post: { title: "Über den Grat", date: "2024-05-31", tags: ["a", "b"], isPublished: true },
    });
    if (!read.ok) throw new Error("it is a post");
    expect([...read.post.images]).toEqual([
      ["./x%20y.png", "the ridge"],
      ["img/r.png", "Über den Grat"],
    ]);
    expect(withImages(read.post.body, new Map([["./x%20y.png", "im_9"]]))).toBe(
      "See ![the ridge](image:im_9) ![far](https://x.example/a.png) ![lib](image:im_1)",
    );
  });

  test("says every fault with its line", () => {
    expect(faults("title: A\ndate: 2024-02-31\nbogus: 1")).toEqual([
      "3: date: There is no such date.",
      '4: bogus: Unrecognized key: "bogus"',
    ]);
    expect(faults("title: A\nslug: Not one")[0]).toMatch(/^3: slug: /);
    expect(faults('title: "A')[0]).toMatch(/^2: /);
    expect(faults("title: A", "")).toEqual(["3: It has no text."]);
    expect(readPost("title: A")).toMatchObject({ faults: [{ line: 1 }] });
    expect(readPost("---\ntitle: A")).toMatchObject({ faults: [{ line: 1 }] });
  });
});

test("the arguments are one command and its target", () => {
  expect(parseSiteOptions(["export", "a.tar", "--token", "t"], { CAIRN_URL: "https://x.example/y" })).toEqual(
    {
      kind: "options",
      options: {
        url: "https://x.example",
        token: "t",
        command: { kind: "export", file: "a.tar", environment: null },
      },
    },
  );
  for (const argv of [[], ["export"], ["sync", "a"], ["export", "a", "b"], ["export", "a", "--publish"]])
    expect(parseSiteOptions(argv, {})).toMatchObject({ kind: "usage" });
});
