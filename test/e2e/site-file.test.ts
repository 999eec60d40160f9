import { mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "./clients/command.ts";
import { useServer } from "./clients/server.ts";

/** `npm run site -- …` against a real server that is killed in the middle: what was begun is gone on with. */

const server = useServer();
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "site-file-"));
});
afterAll(() => rm(folder, { recursive: true }));

const site = async (...args: string[]) => {
  const done = await run("npm", ["run", "--silent", "site", "--", ...args, "--url", server.url]).exit;
  return { ...done, all: done.out + done.err };
};
const statusOf = async (at: string): Promise<number> => (await fetch(server.url + at)).status;

test("an export that was cut goes on after a kill, and is the file that it would have been", async () => {
  const file = path.join(folder, "site.tar");
  expect(await site("export", file)).toMatchObject({ code: 0, all: expect.stringContaining("is whole") });
  const whole = await readFile(file);
  await truncate(file, Math.floor(whole.length / 2));
  await server.kill();
  expect(await site("export", file)).toMatchObject({
    code: 1,
    all: expect.stringContaining("cannot be reached"),
  });
  await server.start();
  expect(await site("export", file)).toMatchObject({
    code: 0,
    all: expect.stringContaining("Going on behind"),
  });
  expect(await readFile(file)).toEqual(whole);
});

test("a cut or altered file sends nothing", async () => {
  const file = path.join(folder, "cut.tar");
  const whole = await readFile(path.join(folder, "site.tar"));
  for (const length of [700, 5_000, whole.length - 2_000]) {
    await writeFile(file, whole.subarray(0, length));
    expect(await site("import", file, "--environment", "cut")).toMatchObject({
      code: 1,
      all: expect.stringContaining("Nothing was sent"),
    });
  }
  const altered = Buffer.from(whole);
  const at = altered.indexOf("Fern", 2_000);
  altered.write("Horn", at);
  await writeFile(file, altered);
  expect(await site("import", file, "--environment", "cut")).toMatchObject({
    code: 1,
    all: expect.stringContaining("damaged"),
  });
  expect(await statusOf("/site/~env_cut/")).toBe(404);
});

test("an import goes on after a kill between its parts, and its site is the one that went out", async () => {
  const file = path.join(folder, "site.tar");
  const importing = run("npm", [
    "run",
    "--silent",
    "site",
    "--",
    "import",
    file,
    "--environment",
    "copy",
    "--url",
    server.url,
  ]);
  await importing.saw("is whole");
  await server.kill();
  importing.child.kill("SIGKILL");
  await importing.exit;
  await server.start();
  expect(await site("import", file, "--environment", "copy")).toMatchObject({
    code: 0,
    all: expect.stringContaining("/site/~env_copy/"),
  });
  expect(await statusOf("/site/~env_copy/")).toBe(200);
  const back = path.join(folder, "back.tar");
  expect((await site("export", back, "--environment", "env_copy")).code).toBe(0);
  // The same but for the manifest, which says when and where, and the seal over it.
  const [before, after] = [await readFile(file), await readFile(back)];
  expect((await stat(back)).size).toBe(before.length);
  expect(after.subarray(1_024, -2_048)).toEqual(before.subarray(1_024, -2_048));
});

test("Markdown files become posts, all of them or none, and once", async () => {
  const posts = path.join(folder, "posts");
  await mkdir(posts);
  const post = (title: string, more = "") =>
    `---\ntitle: ${title}\nexcerpt: Short.\n${more}---\n\nText of it.\n`;
  await writeFile(path.join(posts, "a.md"), post("The first", "date: 2024-05-31\nstatus: published\n"));
  await writeFile(path.join(posts, "b.md"), post("The second", "date: 2024-05-32\n"));
  expect(await site("posts", posts)).toMatchObject({ code: 1, all: expect.stringContaining("b.md:4: date") });
  await writeFile(path.join(posts, "b.md"), post("The second"));
  expect(await site("posts", posts, "--publish")).toMatchObject({ code: 0 });
  expect(await statusOf("/site/blog/the-first")).toBe(200);
  expect(await statusOf("/site/blog/the-second")).toBe(404);
  expect(await site("posts", posts, "--publish")).toMatchObject({
    code: 0,
    all: expect.stringContaining("was there"),
  });
  await writeFile(path.join(posts, "c.md"), post("Another", "slug: the-first\n"));
  expect(await site("posts", posts)).toMatchObject({ code: 1, all: expect.stringContaining("the-first") });
  expect(await site("posts", posts, "--skip-existing")).toMatchObject({ code: 0 });
});
