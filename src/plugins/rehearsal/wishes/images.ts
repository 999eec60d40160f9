import { ownValue } from "../../../cairn/core/log/json.ts";
import type { MemoryEntry } from "../conversation.ts";
import type { Course } from "../course.ts";
import type { Desk, Does } from "../site.ts";
import { change, draftNote, keepPage, readDetail, resolvePage, resolveSection } from "../site.ts";
import type { Slots } from "../slots.ts";
import { resolvePost } from "./posts.ts";

/** What is done with the image that the person sent, or that was worked on last. */

/** Where in a section of the sample site one image stands. */
const SLOTS: Readonly<Record<string, string>> = {
  hero: "image",
  "image-text": "image",
  cta: "backgroundImage",
};

/** The image in focus; null where there is none, which is said. */
function imageMeant(desk: Desk): MemoryEntry | null {
  const image = desk.memory.find((one) => one.type === "image" && one.focus) ?? null;
  if (image === null)
    desk.say("asked", "I see no image here. Drop one into the conversation and say it again.");
  return image;
}

/** Nothing was said of what shall become of it. */
// eslint-disable-next-line require-yield -- it only asks
export function* askWhere(desk: Desk): Course<void> {
  const image = imageMeant(desk);
  if (image === null) return;
  const example =
    '"use it as the hero image of the about page" or "use it as the cover of the post Winter routes"';
  desk.say(
    "asked",
    `"${image.name}" is in the image library. What shall I do with it? For example: ${example}.`,
  );
}

/** Puts it into a section of a page: the hero, unless another one is named. */
export const showInSection: Does = function* (desk, slots) {
  const image = imageMeant(desk);
  const page = image === null ? null : yield* resolvePage(desk, slots.page);
  const detail = page === null ? null : yield* readDetail(desk, page);
  if (image === null || detail === null) return;
  const hero = { template: "hero", heading: null, ordinal: null };
  const section = resolveSection(desk, detail, slots.section ?? hero);
  if (section === null) return;
  const what = `the ${section.template} section of "${detail.page.name}"`;
  const field = ownValue(SLOTS, section.template);
  if (field === undefined) return desk.say("failed", `I know no place for one image in ${what}.`);
  const target = { type: "section", ref: section.id };
  const input = { image: image.id, target, field };
  if ((yield* change(desk, `put "${image.name}" into ${what}`, "image_attach", input)) === null) return;
  keepPage(desk, { ...detail.page, dirty: true });
  desk.say("done", `"${image.name}" stands in ${what} now${draftNote(desk, detail.page)}.`);
};

/** Makes it the cover of a post. */
export const useAsCover: Does = function* (desk, slots) {
  const image = imageMeant(desk);
  const post = image === null ? null : yield* resolvePost(desk, slots);
  if (image === null || post === null) return;
  const input = { image: image.id, target: { type: "entry", ref: post.id }, field: "cover" };
  const act = `make "${image.name}" the cover of the post "${post.title}"`;
  if ((yield* change(desk, act, "image_attach", input)) === null) return;
  desk.say("done", `"${image.name}" is the cover of the post "${post.title}" now.`);
};

/** Says of it what it shows, for those who do not see it. */
export function* describeImage(desk: Desk, { value = "" }: Slots): Course<void> {
  const image = imageMeant(desk);
  if (image === null) return;
  const act = `set the alternative text of "${image.name}"`;
  if ((yield* change(desk, act, "image_update", { image: image.id, alt: value })) === null) return;
  desk.say("done", `The alternative text of "${image.name}" is "${value}" now.`);
}

/** Deletes it from the library. A person is asked where it is in use. */
export function* deleteImage(desk: Desk): Course<void> {
  const image = imageMeant(desk);
  if (image === null) return;
  if (
    (yield* change(desk, `delete the image "${image.name}"`, "image_delete", { images: [image.id] })) === null
  )
    return;
  desk.say("done", `The image "${image.name}" is deleted.`);
}
