import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { planArrival, storeBytes } from "../../../../src/plugins/cms/media/library.ts";
import {
  maintainImages,
  type ImageWork,
  type Vision,
} from "../../../../src/plugins/cms/maintenance/images.ts";
import { makeVariants } from "../../../../src/plugins/cms/maintenance/variants.ts";
import { describeFilename } from "../../../../src/plugins/cms/maintenance/filenames.ts";
import { imageDelete } from "../../../../src/plugins/cms/media/image-delete.ts";
import { imageUpdate } from "../../../../src/plugins/cms/media/image-update.ts";
import { ensureSeeded } from "../../../../src/plugins/cms/seed/index.ts";
import { runKeyed } from "../../../../src/plugins/cms/storage/commit.ts";
import { NOW, openSite } from "../../site/fixture.ts";
import { call, contextOf, rows, services } from "../fixture.ts";
import { jpeg, png } from "./image-bytes.ts";

/** Work on images after their upload. */

const MINUTE = 60_000;
let seed = 9_000;
const work: ImageWork = { db: env.DB, media: env.MEDIA, images: null, see: null };

async function arrive(filename: string, bytes = png({ seed: (seed += 1) })): Promise<string> {
  const stored = await storeBytes(services, bytes);
  const context = contextOf();
  const plan = await planArrival({ filename, origin: "chat", ...stored }, context);
  await runKeyed({
    tool: "upload",
    input: { seed },
    context,
    plan: () => Promise.resolve(plan),
    needsApproval: () => Promise.resolve(false),
  });
  return plan.result.image.id;
}
async function stateOf(id: string) {
  const [row] = await rows<Record<string, unknown>>(
    `SELECT m.status, m.attempts, m.error, m.description, m.tags, i.alt, i.alt_source FROM image_metadata m
      JOIN images i ON i.id=m.image_id WHERE m.image_id=?1`,
    id,
  );
  return row;
}
const seeing = (look: Vision["look"]): ImageWork => ({ ...work, see: { model: "fixture:eyes", look } });
const seen = {
  description: "A path through larches.",
  alt: "Path through larches",
  tags: ["path", "larch"],
  objects: ["path"],
  colors: ["green"],
};

beforeEach(async () => {
  await ensureSeeded(env, NOW);
  await maintainImages(work, NOW);
});

describe("without a model", () => {
  test("the name of the file is what is known, and says so", async () => {
    const id = await arrive("new-mountain-path.jpg");
    expect(await maintainImages(work, NOW)).toBe(1);
    expect(await stateOf(id)).toMatchObject({
      status: "skipped",
      description: "New mountain path",
      tags: '["new","mountain","path"]',
      alt: "New mountain path",
      alt_source: "filename",
    });
    expect(await maintainImages(work, NOW)).toBe(0);
  });

  test("a name that says nothing gives nothing", () => {
    for (const name of ["IMG_1234.jpg", "DSC00012.png", "PXL_20260101_120000.webp", "image.png"])
      expect(describeFilename(name)).toEqual({ description: "", tags: [] });
    expect(describeFilename("autumnForest-2.jpg")).toEqual({
      description: "Autumn forest",
      tags: ["autumn", "forest"],
    });
  });
});

describe("with a model that can see", () => {
  test("one call an image says what is there, and a person's text stays", async () => {
    const own = await arrive("IMG_1.png");
    const other = await arrive("IMG_2.png");
    await call(imageUpdate, { image: own, alt: "Our new path" });
    let looks = 0;
    const eyes = seeing(async () => {
      looks += 1;
      return seen;
    });
    expect(await maintainImages(eyes, NOW)).toBe(2);
    expect(looks).toBe(2);
    expect(await stateOf(own)).toMatchObject({ status: "done", alt: "Our new path", alt_source: "human" });
    expect(await stateOf(other)).toMatchObject({
      status: "done",
      alt: "Path through larches",
      alt_source: "model",
      tags: '["path","larch"]',
    });
  });

  test("a text that a person writes while the model looks is kept", async () => {
    const id = await arrive("IMG_3.png");
    const eyes = seeing(async () => {
      await call(imageUpdate, { image: id, alt: "Mine" });
      return seen;
    });
    await maintainImages(eyes, NOW);
    expect(await stateOf(id)).toMatchObject({ status: "done", alt: "Mine", alt_source: "human" });
    expect(await rows("SELECT title FROM search_docs WHERE ref_id=?1", id)).toEqual([{ title: "Mine" }]);
  });

  test("an image that is deleted while the model looks is not found afterwards", async () => {
    const id = await arrive("IMG_6.png");
    const eyes = seeing(async () => {
      await call(imageDelete, { images: [id] });
      return seen;
    });
    await maintainImages(eyes, NOW);
    expect(await rows("SELECT title FROM search_docs WHERE ref_id=?1", id)).toEqual([]);
  });

  test("three attempts, each later, then it is said why; the image is still there", async () => {
    const id = await arrive("IMG_4.png");
    const blind = seeing(async () => ({ alt: "x".repeat(126) }));
    await maintainImages(blind, NOW);
    expect(await stateOf(id)).toMatchObject({ status: "pending", attempts: 1 });
    expect(await maintainImages(blind, NOW + MINUTE)).toBe(0);
    expect(await stateOf(id)).toMatchObject({ attempts: 1 });
    await maintainImages(blind, NOW + 6 * MINUTE);
    await maintainImages(blind, NOW + 60 * MINUTE);
    expect(await stateOf(id)).toMatchObject({ status: "failed", attempts: 3, alt: "" });
    expect((await stateOf(id))?.["error"]).not.toBe(null);
  });

  test("a lease is counted from its own image: the next pass leaves the last images of a slow one alone", async () => {
    const ids = [await arrive("one.png"), await arrive("two.png"), await arrive("three.png")];
    let now = NOW;
    let looks = 0;
    const work = seeing(async () => {
      looks += 1;
      now += 1.5 * MINUTE;
      // Cron starts another pass while this one works.
      if (looks === 3) await maintainImages(work, now, () => now);
      return seen;
    });
    expect(await maintainImages(work, NOW, () => now)).toBe(3);
    expect(looks).toBe(3);
    for (const id of ids) expect(await stateOf(id)).toMatchObject({ status: "done", attempts: 1 });
  });

  test("an attempt that fails after its lease has ended leaves the lease of the next one alone", async () => {
    const id = await arrive("IMG_6.png");
    let looks = 0;
    let now = NOW;
    let left: unknown = null;
    const leased = () =>
      rows("SELECT status, attempts, lease_until FROM image_metadata WHERE image_id=?1", id);
    const work = seeing(async () => {
      looks += 1;
      if (looks === 2) {
        // The first attempt comes to its end while this one is at work.
        late.resolve();
        await first;
        left = await leased();
        return seen;
      }
      began.resolve();
      await late.promise;
      throw new Error("too late");
    });
    const [began, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = maintainImages(work, NOW, () => now);
    await began.promise;
    now += 2 * MINUTE;
    expect(await maintainImages(work, now, () => now)).toBe(1);
    expect(left).toEqual([{ status: "pending", attempts: 2, lease_until: now + 2 * MINUTE }]);
    expect(await stateOf(id)).toMatchObject({ status: "done", attempts: 2, alt: seen.alt });
  });

  test("an image whose every attempt died with its worker is given up", async () => {
    const id = await arrive("deadly.png");
    await env.DB.prepare("UPDATE image_metadata SET attempts=3, lease_until=?2 WHERE image_id=?1")
      .bind(id, NOW)
      .run();
    await maintainImages(
      seeing(() => Promise.reject(new Error("not asked"))),
      NOW,
    );
    expect(await stateOf(id)).toMatchObject({
      status: "failed",
      error: expect.stringContaining("interrupted") as string,
    });
  });

  test("two passes at once look once", async () => {
    await arrive("IMG_5.png");
    let looks = 0;
    const eyes = seeing(async () => {
      looks += 1;
      return seen;
    });
    await Promise.all([maintainImages(eyes, NOW), maintainImages(eyes, NOW)]);
    expect(looks).toBe(1);
  });
});

test("renditions are made where the binding is, never larger, and once", async () => {
  const widths: number[] = [];
  const images = {
    input: () => ({
      transform: ({ width = 0 }: { width?: number }) => ({
        output: async () => {
          widths.push(width);
          return { response: () => new Response(`webp ${width}`) };
        },
      }),
    }),
  } as unknown as ImagesBinding;
  const id = await arrive("wide.jpg", jpeg({ width: 1_200, height: 600, orientation: 1, seed: 99 }));
  await maintainImages({ ...work, images }, NOW);
  expect(widths).toEqual([480, 960]);
  const made = "SELECT width, height, byte_size FROM image_variants WHERE image_id=?1 ORDER BY width";
  expect(await rows(made, id)).toEqual([
    { width: 480, height: 240, byte_size: 8 },
    { width: 960, height: 480, byte_size: 8 },
  ]);
  await rows("UPDATE image_metadata SET status='pending', attempts=0 WHERE image_id=?1", id);
  await maintainImages({ ...work, images }, NOW);
  expect(widths).toHaveLength(2);
  const [image] = await rows<{ sha256: string }>("SELECT sha256 FROM images WHERE id=?1", id);
  const served = await openSite().fetch(`/media/${image?.sha256 ?? ""}/w480.webp`);
  expect([served.headers.get("content-type"), await served.text()]).toEqual(["image/webp", "webp 480"]);
});

test.each([
  ["an animation, which would stand still", { mediaType: "image/gif" }],
  ["an SVG, which has every size already", { mediaType: "image/svg+xml" }],
  ["an image of unknown width", { width: null }],
])("no rendition is made of %s", async (_, more) => {
  const id = await arrive("wide.png");
  const asked: string[] = [];
  const images = { input: () => asked.push("input") } as unknown as ImagesBinding;
  const image = { id, sha256: "0e", width: 2_000, height: 1_000, mediaType: "image/png", ...more };
  const parts = { db: env.DB, media: env.MEDIA, images };
  await makeVariants(parts, "env_main", image, new ArrayBuffer(8));
  expect(asked).toEqual([]);
  expect(await rows("SELECT width FROM image_variants WHERE image_id=?1", id)).toEqual([]);
});
