import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { PromptPart } from "../../../../src/cairn/core/log/model.ts";
import { readPicture } from "../../../../src/plugins/cms/media/picture.ts";
import { sentFiles } from "../../../../src/plugins/cms/media/sent-files.ts";
import { ensureSeeded } from "../../../../src/plugins/cms/seed/index.ts";
import { NOW } from "../../site/fixture.ts";
import { rows } from "../fixture.ts";

/** Images that a message names: what is known of them, and their bytes for a model. */

const faults: unknown[] = [];
const failed = (error: unknown): void => void faults.push(error);
const files = sentFiles(env.DB);
const text: PromptPart = { type: "text", text: "look" };
const named = (url: string): PromptPart => ({ type: "file", mediaType: "image/*", url });

beforeEach(() => ensureSeeded(env, NOW));

async function urlOf(id: string): Promise<string> {
  const [row] = await rows<{ sha256: string; filename: string }>("SELECT * FROM images WHERE id=?1", id);
  return `/media/${row?.sha256 ?? ""}/${row?.filename ?? ""}`;
}

test("an image of the library gets its id, its name, its size and its own type", async () => {
  const url = await urlOf("im_ridge");
  expect(await files.identify([text, named(url)], {}, failed)).toEqual([
    text,
    {
      type: "file",
      mediaType: "image/png",
      url,
      image: { id: "im_ridge", name: "ridge.png", width: 1600, height: 900 },
    },
  ]);
});

test("an image outside the library of that site stays as it is", async () => {
  const parts = [
    named(`/media/${"0".repeat(64)}/ridge.png`),
    named("data:image/png;base64,AAAA"),
    named("/media/no-digest/ridge.png"),
  ];
  expect(await files.identify(parts, {}, failed)).toEqual(parts);
  const ridge = [named(await urlOf("im_ridge"))];
  expect(
    await files.identify(ridge, { site: { siteId: "site_main", environmentId: "env_other" } }, failed),
  ).toEqual(ridge);
  await env.DB.prepare("UPDATE images SET deleted_at=1 WHERE id='im_ridge'").run();
  expect(await files.identify(ridge, {}, failed)).toEqual(ridge);
  expect(faults).toEqual([]);
});

test("a library that cannot be asked loses no message", async () => {
  const broken = sentFiles({
    prepare: () => ({ bind: () => ({ all: () => Promise.reject(new Error("D1 is away")) }) }),
  } as never);
  const parts = [named(await urlOf("im_ridge"))];
  expect(await broken.identify(parts, {}, failed)).toEqual(parts);
  expect(faults.splice(0)).toEqual([new Error("D1 is away")]);
});

test("a model is shown a smaller form where there is one, and nothing that it cannot take", async () => {
  expect(await readPicture({ db: env.DB, media: null }, "im_shelter")).toBeNull();
  const shown = await readPicture({ db: env.DB, media: env.MEDIA }, "im_shelter");
  const [small] = await rows<{ r2_key: string }>(
    "SELECT r2_key FROM image_variants WHERE image_id='im_shelter' AND width=960",
  );
  const stored = await env.MEDIA.get(small?.r2_key ?? "");
  expect(shown).toEqual({ mediaType: "image/png", bytes: await stored?.arrayBuffer() });
  expect(await readPicture({ db: env.DB, media: env.MEDIA }, "im_logo")).toBeNull();
  await env.DB.prepare("DELETE FROM image_variants WHERE image_id='im_shelter'").run();
  const whole = await readPicture({ db: env.DB, media: env.MEDIA }, "im_shelter");
  expect(whole?.bytes.byteLength).toBeGreaterThan(stored?.size ?? Infinity);
  await env.DB.prepare("UPDATE images SET byte_size=3000001 WHERE id='im_shelter'").run();
  expect(await readPicture({ db: env.DB, media: env.MEDIA }, "im_shelter")).toBeNull();
  await env.DB.prepare("UPDATE images SET deleted_at=1 WHERE id='im_valley'").run();
  expect(await readPicture({ db: env.DB, media: env.MEDIA }, "im_valley")).toBeNull();
  expect(await readPicture({ db: env.DB, media: env.MEDIA }, "im_none")).toBeNull();
});
