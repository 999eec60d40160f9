import * as z from "zod";
import { defineKeyedTool, NONE } from "../edit/keyed.ts";
import { localeInput, pickLocale, refInput } from "../edit/plan.ts";
import { ALT_CHARS_MAX } from "../model/validate.ts";
import { showsImageChanges } from "../history/plan-restore.ts";
import { fail } from "../model/errors.ts";
import type { AnyPlan, CmsContext, Image } from "../model/types.ts";
import { projectImage, tagsOf } from "../storage/images.ts";
import { loadEnvironment } from "../storage/load.ts";
import { edited } from "../storage/unchanged.ts";
import { imageBrief } from "./library.ts";
import { CAPTION_CHARS_MAX, TAG_CHARS_MAX, TAGS_MAX } from "./limits.ts";
import { pickImages } from "./usages.ts";

const line = z.string().trim().max(200);
const input = z.strictObject({
  image: refInput,
  alt: z.string().trim().max(ALT_CHARS_MAX).optional(),
  caption: z.string().trim().max(CAPTION_CHARS_MAX).optional(),
  tags: z.array(z.string().trim().min(1).max(TAG_CHARS_MAX)).max(TAGS_MAX).optional(),
  attribution: z
    .strictObject({
      photographer: line.optional(),
      url: z
        .url({ protocol: /^https?$/ })
        .max(500)
        .optional(),
      licence: line.optional(),
    })
    .optional(),
  unset: z
    .array(z.enum(["alt", "caption", "tags", "attribution"]))
    .max(4)
    .optional(),
  locale: localeInput,
});
type Input = z.output<typeof input>;

export const imageUpdate = defineKeyedTool({
  name: "image_update",
  version: 1,
  title: "Describe an image",
  description:
    "Changes what is said of a library image, wherever it is used: alternative text, caption, tags, who took it.",
  input,
  verbs: ["update"],
  tier: "write",
  plan,
  policy: (_, { impact }) =>
    impact.public ? { need: "human", reason: "The public site shows this image with its text." } : NONE,
  entities: (_, { image }) => [{ op: "touch", type: "image", id: image.id, name: image.filename }],
});

async function plan(given: Input, context: CmsContext) {
  const { services, at, key } = context;
  const environment = await loadEnvironment(services);
  const locale = pickLocale(environment, given.locale);
  const [known] = await pickImages(services, [given.image], "image");
  if (known === undefined) throw new Error("an image that was resolved is there");
  const before = known.image;
  const patched =
    locale === environment.defaultLocale ? described(before, given) : translated(before, given, locale);
  const after = edited(before, patched, at);
  const change = { type: "image", before, after } as const;
  const isPublic = await showsImageChanges(services, [change], environment);
  return {
    result: {
      ok: true,
      op: key,
      publicNow: isPublic,
      image: { ...imageBrief(after), caption: after.caption, tags: [...tagsOf(after, known.metadata)] },
    },
    changes: [change],
    projection: projectImage(after, known.metadata, environment.defaultLocale),
    impact: {
      title: `Describe “${before.filename}”`,
      summary: isPublic
        ? `The text of “${before.filename}” changes; the public site shows it at once.`
        : `The text of “${before.filename}” changes; visitors see no difference.`,
      lines: [],
      public: isPublic,
    },
  } satisfies AnyPlan;
}

function described(image: Image, { alt, caption, tags, attribution, unset = [] }: Input): Image {
  const isCleared = (key: (typeof unset)[number]): boolean => unset.includes(key);
  return {
    ...image,
    ...(alt === undefined ? {} : { alt, altSource: "human" as const }),
    ...(caption === undefined ? {} : { caption }),
    ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
    ...(attribution === undefined ? {} : { attribution: JSON.stringify(attribution) }),
    ...(isCleared("alt") ? { alt: "", altSource: "none" as const } : {}),
    ...(isCleared("caption") ? { caption: "" } : {}),
    ...(isCleared("tags") ? { tags: null } : {}),
    ...(isCleared("attribution") ? { attribution: null } : {}),
  };
}

/** Only the alternative text and the caption are of a language. */
function translated(image: Image, given: Input, locale: string): Image {
  const { alt, caption, unset = [] } = given;
  const other = (["tags", "attribution"] as const).find(
    (key) => given[key] !== undefined || unset.includes(key),
  );
  if (other !== undefined)
    throw fail("unknown_field", `${other} are the same in all languages.`, {
      at: other,
      hint: "Leave locale out for them; alt and caption are of a language.",
    });
  const { [locale]: own = {}, ...others } = image.texts;
  const next = Object.fromEntries(
    Object.entries({
      ...own,
      ...(alt === undefined ? {} : { alt }),
      ...(caption === undefined ? {} : { caption }),
    }).filter(([key]) => !unset.some((one) => one === key)),
  );
  return { ...image, texts: Object.keys(next).length === 0 ? others : { ...others, [locale]: next } };
}
