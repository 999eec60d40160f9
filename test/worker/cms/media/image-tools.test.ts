import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { undo } from "../../../../src/plugins/cms/history/undo.ts";
import { imageDelete } from "../../../../src/plugins/cms/media/image-delete.ts";
import { imageReplace } from "../../../../src/plugins/cms/media/image-replace.ts";
import { imageUpdate } from "../../../../src/plugins/cms/media/image-update.ts";
import { ensureSeeded } from "../../../../src/plugins/cms/seed/index.ts";
import { find } from "../../../../src/plugins/cms/tools/find.ts";
import { imageSearch } from "../../../../src/plugins/cms/media/image-search.ts";
import { openSite, NOW } from "../../site/fixture.ts";
import { rendering } from "../../../../src/plugins/cms/renderer/rendering.ts";
import { call, contextOf, previewOf, refusal, rows } from "../fixture.ts";
import { wholeSite } from "../history/whole-site.ts";
import type { OutputOf } from "../reading.ts";

/** Images of the library described, replaced and deleted, wherever they are used. */

const site = openSite({ render: rendering });
const text = async (path: string): Promise<string> => (await site.fetch(path)).text();
const refsTo = (id: string) =>
  rows<{ owner_id: string; state: string; path: string }>(
    "SELECT owner_id, state, path FROM asset_refs WHERE target_type='image' AND target_id=?1 ORDER BY owner_id, state, path",
    id,
  );
/** an image that the public home page and others show */
const USED = "im_valley";
const OTHER = "im_ridge";
const imageOf = async (id: string): Promise<{ readonly alt: string }> => {
  const [image] = await rows<{ alt: string }>("SELECT alt FROM images WHERE id=?1", id);
  if (image === undefined) throw new Error(`the seeded site has no ${id}`);
  return image;
};
/** a library image that visitors do not see */
async function aHiddenImage(): Promise<string> {
  const id = "im_hidden";
  await rows(
    `INSERT INTO images(id,env_id,sha256,filename,media_type,ext,byte_size,origin,created_at,updated_at)
     VALUES(?1,'env_main','0e','hidden.png','image/png','png',1000,'seed',1,1)`,
    id,
  );
  return id;
}
/** an image that visitors see, in places that could do without one */
async function aSpareImage(): Promise<string> {
  const shown = await rows<{ id: string }>(
    `SELECT DISTINCT target_id AS id FROM asset_refs WHERE target_type='image' AND state<>'draft' ORDER BY target_id`,
  );
  for (const { id } of shown) {
    const args = { images: [id], onUse: "detach" } as const;
    const failure = await previewOf(imageDelete, args).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure === null) return id;
  }
  throw new Error("the seeded site shows an image that it could do without");
}
const back = (operation: string) => call(undo, { operation });

beforeEach(() => ensureSeeded(env, NOW));

describe("image_update", () => {
  test("describes an image wherever it is shown, is found by it, and is taken back", async () => {
    const before = await wholeSite();
    const context = contextOf();
    const output: OutputOf<typeof imageUpdate> = await call(
      imageUpdate,
      { image: USED, alt: "Zirbenwald at noon", tags: ["zirbe"], caption: "In June" },
      context,
    );
    expect(output).toMatchObject({
      publicNow: true,
      image: { id: USED, alt: "Zirbenwald at noon", altSource: "human", tags: ["zirbe"], caption: "In June" },
    });
    const found: OutputOf<typeof find> = await call(find, { query: "zirbenwald", types: ["image"] });
    expect(found.items[0]).toMatchObject({ id: USED });
    const tagged: OutputOf<typeof imageSearch> = await call(imageSearch, { tags: ["zirbe"] });
    expect(tagged.items.map((one) => one.id)).toEqual([USED]);
    await back(context.key);
    expect(await wholeSite()).toEqual(before);
  });

  test("writes another language beside the default one", async () => {
    const context = contextOf();
    await call(imageUpdate, { image: USED, alt: "Ein Tal", locale: "de" }, context);
    const [row] = await rows<{ alt: string; data: string }>(
      "SELECT i.alt, c.data FROM images i JOIN contents c ON c.owner_id=i.id WHERE i.id=?1 AND c.locale='de'",
      USED,
    );
    expect(JSON.parse(row?.data ?? "")).toEqual({ alt: "Ein Tal" });
    expect(row?.alt).not.toBe("Ein Tal");
    const wrong = { image: USED, tags: ["a"], locale: "de" };
    expect(await refusal(call(imageUpdate, wrong))).toMatchObject({ code: "unknown_field", at: "tags" });
    await back(context.key);
  });

  test("asks where visitors see another text, and its undo asks by the same rule", async () => {
    const asks: Record<string, string> = {};
    for (const [what, args] of [
      ["alternative text", { image: USED, alt: "Another valley" }],
      ["alternative text taken away", { image: USED, unset: ["alt"] }],
      ["German text", { image: USED, alt: "Ein Tal", locale: "de" }],
      ["the same text", { image: USED, alt: (await imageOf(USED)).alt }],
      ["caption", { image: USED, caption: "In June" }],
      ["tags", { image: USED, tags: ["june"] }],
      ["text of an image that no page shows", { image: await aHiddenImage(), alt: "Another shelter" }],
    ] as const) {
      const context = contextOf();
      const { need } = await previewOf(imageUpdate, args, context);
      const output: OutputOf<typeof imageUpdate> = await call(imageUpdate, args, context);
      expect([what, output.publicNow]).toEqual([what, need.kind === "ask"]);
      if (what === "the same text") {
        asks[what] = need.kind;
        continue;
      }
      const undone = await previewOf(undo, { operation: context.key });
      asks[what] = `${need.kind}, undone ${undone.need.kind}`;
      await back(context.key);
    }
    expect(asks).toEqual({
      "alternative text": "ask, undone ask",
      "alternative text taken away": "ask, undone ask",
      "German text": "ask, undone ask",
      "the same text": "none",
      caption: "none, undone none",
      tags: "none, undone none",
      "text of an image that no page shows": "none, undone none",
    });
  });

  test("shows the person who is asked the text before and after", async () => {
    const { alt } = await imageOf(USED);
    const preview = await previewOf(imageUpdate, { image: USED, alt: "Another valley" });
    expect(preview).toMatchObject({
      need: { kind: "ask", reason: "The public site shows this image with its text." },
      changes: [{ before: alt, after: "Another valley" }],
    });
    const unasked = imageUpdate.definition.run({ image: USED, alt: "Another valley" }, contextOf());
    expect(await refusal(unasked)).toMatchObject({ code: "approval_stale" });
  });

  test("refuses an image that is not there, with the nearest", async () => {
    const missing = await refusal(call(imageUpdate, { image: "im_vally", alt: "x" }));
    expect(missing.code).toBe("not_found");
    expect(JSON.stringify(missing.suggestions)).toContain(USED);
  });
});

describe("image_replace", () => {
  test("changes drafts and settings, names what waits for publishing, and is taken back", async () => {
    const before = await wholeSite();
    const uses = await refsTo(USED);
    const preview = await previewOf(imageReplace, { from: USED, to: OTHER });
    expect(preview.need.kind).toBe("ask");
    expect(preview.impact.join("\n")).toContain("until it is published");
    const context = contextOf();
    const output: OutputOf<typeof imageReplace> = await call(
      imageReplace,
      { from: USED, to: OTHER },
      context,
    );
    expect(output.changed).toHaveLength(uses.filter((one) => one.state !== "published").length);
    expect(output.toPublish.length).toBeGreaterThan(0);
    expect((await refsTo(USED)).map((one) => one.state)).toEqual(
      uses.filter((one) => one.state === "published").map(() => "published"),
    );
    await back(context.key);
    expect(await wholeSite()).toEqual(before);
  });

  test("keeps to the owners that are named", async () => {
    const owner = (await refsTo(USED)).find((one) => one.state === "draft")?.owner_id ?? "";
    const output: OutputOf<typeof imageReplace> = await call(imageReplace, {
      from: USED,
      to: OTHER,
      only: [owner],
    });
    expect(new Set(output.changed.map((one) => one.ownerId))).toEqual(new Set([owner]));
    await back(output.op);
  });

  test("refuses where nothing would change", async () => {
    expect(await refusal(call(imageReplace, { from: USED, to: USED }))).toMatchObject({
      code: "nothing_to_do",
    });
    const elsewhere = { from: USED, to: OTHER, only: ["pg_nowhere"] };
    expect(await refusal(call(imageReplace, elsewhere))).toMatchObject({ code: "nothing_to_do" });
  });
});

describe("image_delete", () => {
  test("refuses an image in use, with every place", async () => {
    const failure = await refusal(previewOf(imageDelete, { images: [USED] }));
    expect(failure).toMatchObject({ code: "in_use", at: "images" });
    const { usages } = failure.details as { usages: readonly { image: string; state: string }[] };
    expect(usages).toHaveLength((await refsTo(USED)).length);
    expect(usages.map((one) => one.state)).toContain("published");
  });

  test("puts the replacement into drafts, public pages and settings at once", async () => {
    const before = await wholeSite();
    const page = await text("/site/");
    expect(page).toContain("valley");
    const context = contextOf();
    const args = { images: [USED], onUse: "replace", replacement: OTHER };
    const output: OutputOf<typeof imageDelete> = await call(imageDelete, args, context);
    expect(output.publicNow).toBe(true);
    expect(await refsTo(USED)).toEqual([]);
    const shown = await text("/site/");
    expect(shown).not.toContain("valley.");
    expect(shown).toContain("ridge.");
    // No page has more to publish than before.
    const dirty = "SELECT id FROM pages WHERE status='published' AND version<>published_version ORDER BY id";
    expect(await rows(dirty)).toEqual([]);
    await back(context.key);
    expect(await wholeSite()).toEqual(before);
    expect(await text("/site/")).toBe(page);
  });

  test("empties the places where that is asked for, unless one needs an image", async () => {
    const before = await wholeSite();
    const needed = await refusal(previewOf(imageDelete, { images: [USED], onUse: "detach" }));
    expect(needed).toMatchObject({ code: "required_field", at: "onUse" });
    const spare = await aSpareImage();
    const context = contextOf();
    await call(imageDelete, { images: [spare], onUse: "detach" }, context);
    expect(await refsTo(spare)).toEqual([]);
    const documents = await rows<{ doc: string }>("SELECT doc FROM published_docs");
    expect(documents.filter((one) => one.doc.includes(spare))).toEqual([]);
    expect(await rows("SELECT id FROM entries WHERE cover_image_id=?1", spare)).toEqual([]);
    await back(context.key);
    expect(await wholeSite()).toEqual(before);
  });

  test("refuses a replacement without its wish, one that goes too, and what is not there", async () => {
    const code = async (args: object) => (await refusal(previewOf(imageDelete, args))).code;
    expect(await code({ images: [USED], replacement: OTHER })).toBe("invalid_input");
    expect(await code({ images: [USED], onUse: "replace" })).toBe("invalid_input");
    expect(await code({ images: [USED, OTHER], onUse: "replace", replacement: OTHER })).toBe("invalid_input");
    expect(await code({ images: [USED, "im_nowhere"], onUse: "detach" })).toBe("not_found");
  });

  test("a use that came in after the approval makes it stale", async () => {
    const spare = await aSpareImage();
    const free = { images: [spare], onUse: "detach" } as const;
    const context = contextOf();
    const { basis } = await previewOf(imageDelete, free, context);
    await rows(
      `INSERT INTO asset_refs(target_type,target_id,owner_type,owner_id,root_type,root_id,state,locale,path,env_id)
       VALUES('image',?1,'page','pg_about','page','pg_about','draft','en','ogImage','env_main')`,
      spare,
    );
    const approved = { approval: "ap_1", basis };
    const run = imageDelete.definition.run(free, { ...context, approved });
    expect(await refusal(run)).toMatchObject({ code: "approval_stale" });
    await rows("DELETE FROM asset_refs WHERE owner_id='pg_about' AND path='ogImage' AND target_id=?1", spare);
  });
});
