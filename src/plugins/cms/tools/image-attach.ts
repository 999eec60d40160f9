import * as z from "zod";
import type { EntityRef } from "../../../cairn/core/log/tool.ts";
import { loadImages, type LibraryImage } from "../edit/image-slots.ts";
import { ATTACH, type AttachedTarget } from "../edit/image-targets.ts";
import { defineKeyedTool, NONE } from "../edit/keyed.ts";
import { localeInput, refInput, versionInput } from "../edit/plan.ts";
import { imagePath, localeChain } from "../edit/read-shape.ts";
import { resolveTargets } from "../edit/refs.ts";
import { ALT_CHARS_MAX } from "../model/validate.ts";
import type { StoredImage } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import type { CmsContext, CmsServices, AnyPlan } from "../model/types.ts";
import { loadEnvironment } from "../storage/load.ts";

const input = z.strictObject({
  image: refInput.describe("id of a library image"),
  target: z.strictObject({
    type: z.enum(["section", "entry", "page", "setting"]),
    ref: z.string().trim().min(1).max(200).describe("id or slug; of a setting: identity, seo"),
  }),
  field: z.string().min(1).max(200).describe("image, images[2], items[0].icon, cover, ogImage, logo"),
  alt: z.string().max(ALT_CHARS_MAX).optional().describe("for this slot only; absent: that of the image"),
  decorative: z.boolean().optional(),
  locale: localeInput,
  expectedVersion: versionInput,
});

export const imageAttach = defineKeyedTool({
  name: "image_attach",
  version: 1,
  title: "Attach an image",
  description:
    "Puts a library image into an image slot of a section, entry, page or setting. A wrong field answers with the slots there are.",
  input,
  verbs: ["attach", "update"],
  tier: "write",
  plan: planAttach,
  policy: ({ target }) =>
    target.type === "setting"
      ? { need: "human", reason: "A setting shows on the public site at once." }
      : NONE,
  entities: (_, { image, target }) => [
    { op: "touch", type: "image", id: image.id, name: image.filename },
    ownerRef(target),
  ],
});

function ownerRef({ type, id, name, slug, parent, site }: AttachedTarget): EntityRef {
  if (site !== undefined) return { op: "touch", type: "site", ...site };
  return {
    op: "touch",
    type,
    id,
    name,
    ...(slug === undefined ? {} : { slug }),
    ...(parent === undefined ? {} : { parent }),
  };
}

async function planAttach(given: z.output<typeof input>, context: CmsContext) {
  const { services, at } = context;
  const environment = await loadEnvironment(services);
  const chain = localeChain(environment, given.locale);
  const image = await pickImage(services, given.image, chain);
  const stored: StoredImage = {
    image: image.id,
    ...(given.alt === undefined ? {} : { alt: given.alt }),
    ...(given.decorative === undefined ? {} : { decorative: given.decorative }),
  };
  const { field, expectedVersion, target } = given;
  const done = await ATTACH[target.type]({
    services,
    environment,
    at,
    ref: target.ref,
    field,
    chain,
    stored,
    expectedVersion,
  });
  const [previous] = await loadImages(services, done.previous === null ? [] : [done.previous], chain);
  const before = done.previous === null ? "no image" : (previous?.filename ?? done.previous);
  const isDecorative = given.decorative === true;
  const alt = isDecorative ? "" : given.alt || image.alt;
  const where = `${done.target.name}: ${done.target.field}`;
  return {
    result: {
      ok: true,
      op: context.key,
      publicNow: done.isPublic,
      target: done.target,
      image: { id: image.id, filename: image.filename, url: imagePath(image) },
      alt,
      preview: { path: done.path, ...(done.target.type === "section" ? { section: done.target.id } : {}) },
      ...(alt === "" && !isDecorative
        ? { notes: ["The image has no alternative text; that blocks publishing."] }
        : {}),
    },
    changes: done.changes,
    guards: [{ table: "images", id: image.id, version: image.version }],
    projection: done.projection,
    impact: {
      title: `Attach “${image.filename}” to ${where}`,
      summary: done.isPublic
        ? `The public site shows “${image.filename}” at ${where} at once.`
        : `“${image.filename}” is put into the draft at ${where}.`,
      lines: [
        `${where}: ${before} → ${image.filename}`,
        `Alternative text: ${isDecorative ? "none, decorative" : alt === "" ? "none" : `“${alt}”`}`,
      ],
      public: done.isPublic,
    },
  } satisfies AnyPlan;
}

async function pickImage(
  services: CmsServices,
  ref: string,
  chain: readonly string[],
): Promise<LibraryImage> {
  const idOf = await resolveTargets(services, [{ type: "image", ref, at: "image" }]);
  const [image] = await loadImages(services, [idOf("image", ref)], chain);
  if (image === undefined) throw fail("not_found", `There is no image “${ref}”.`, { at: "image" });
  return image;
}
