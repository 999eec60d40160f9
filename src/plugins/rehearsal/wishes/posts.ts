import { startOf } from "../../../cairn/core/text/cut.ts";
import type { JsonObject } from "../../../cairn/core/log/json.ts";
import type { Course } from "../course.ts";
import { objectAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import type { Desk, Does, KnownPost } from "../site.ts";
import { change, look } from "../site.ts";
import type { Slots } from "../slots.ts";
import { folded } from "../slots.ts";
import { readTogether } from "../course.ts";
import { photographs } from "./sections.ts";
import { spoken, timeOf } from "./work.ts";

/** What is done with posts: written, published now or at a time, taken off the site, renamed, deleted. */

const TITLE_CHARS_MAX = 120;

/** Writes a post as a draft. `cover`: with a picture of the library. */
export const writePost = (cover: boolean): Does =>
  function* (desk, slots) {
    const [given] = slots.names ?? [];
    if (given === undefined) return desk.say("asked", "What is the post about?");
    const title = startOf(given, TITLE_CHARS_MAX).trim();
    const image = cover ? yield* coverFor(desk) : null;
    const input: JsonObject = {
      title,
      excerpt: `${title}, in a few words.`,
      content: { body: bodyOf(title) },
      ...(image === null ? {} : { cover: image }),
    };
    const done = yield* change(desk, `write the post "${title}" as a draft`, "entry_create", input);
    if (done === null) return void (desk.post = "unmade");
    const entry = objectAt(done, "entry") ?? done;
    desk.post = { id: textAt(entry, "id") ?? "", title: textAt(entry, "title") ?? title, status: "draft" };
    const url = textAt(entry, "url");
    const held = image === null ? "" : " with a cover";
    desk.say(
      "done",
      `The post "${desk.post.title}" is written as a draft${held}${url === null ? "" : `; its address is ${url}`}.`,
    );
  };

/** A picture of the library; null where there is none, which is said. */
function* coverFor(desk: Desk): Course<string | null> {
  if (desk.library === null) {
    const search = { name: "image_search", input: { limit: 10 } };
    const [found] = yield* readTogether(desk.tools, "I will look into the image library.", [search]);
    desk.library = found?.ok === true ? photographs(found.value) : [];
  }
  const [first] = desk.library;
  if (first === undefined) desk.say("note", "The library has no picture, so the post has no cover.");
  return first ?? null;
}

const bodyOf = (title: string): string =>
  `Here is what there is to say on ${title}.\n\n## What is new\n\nThe short answer, in plain words.\n\n## What comes next\n\nWrite to us if you want to know more.`;

/** The post that is meant: the one of the wish, else the last one; null when it cannot be told, which is reported. */
export function* resolvePost(desk: Desk, slots: Slots): Course<KnownPost | null> {
  const [name] = slots.names ?? [];
  if (name === undefined) {
    const last = desk.post ?? rememberedPost(desk);
    if (last === "unmade") {
      desk.say("note", "The rest of it was about the new post, so I left it out.");
      return null;
    }
    if (last === null) desk.say("asked", "Which post do you mean?");
    return last;
  }
  const listed = yield* look(desk, `look for the post "${name}"`, "entry_list", { q: name, limit: 20 });
  if (listed === null) return null;
  const all = objectsAt(listed, "items").flatMap((item): KnownPost[] => {
    const [id, title, status] = [textAt(item, "id"), textAt(item, "title"), textAt(item, "status")];
    return id === null || title === null ? [] : [{ id, title, status: status ?? "draft" }];
  });
  const same = all.filter((one) => folded(one.title) === folded(name));
  const [only] = same.length > 0 ? same : all;
  if (only !== undefined && (same.length === 1 || (same.length === 0 && all.length === 1))) {
    desk.post = only;
    return only;
  }
  const why = all.length === 0 ? `I could not find a post called "${name}"` : `Several posts fit "${name}"`;
  desk.say("asked", `${why}, so I changed nothing there. Which post do you mean?`);
  return null;
}

/** The post that was spoken of last, if nothing else was. */
function rememberedPost({ memory }: Desk): KnownPost | null {
  const entry = memory.find((one) => one.type === "entry" && one.focus);
  return entry === undefined ? null : { id: entry.id, title: entry.name, status: "draft" };
}

const DONE = {
  published: "is published",
  unpublished: "is no longer public; its text is kept",
  archived: "is archived",
  unscheduled: "is not published at a time any more; its draft stays",
};
const VERBS = {
  ...{ published: "publish", unpublished: "unpublish", archived: "archive" },
  unscheduled: "cancel the publishing of",
};

/** Publishes a post, now or at a time, cancels that time, takes it off the site, or puts it away. A person is asked. */
export const setPostStatus = (to: keyof typeof DONE): Does =>
  function* (desk, slots) {
    const post = yield* resolvePost(desk, slots);
    if (post === null) return;
    // A time that is cancelled need not be said again.
    const time = to === "unscheduled" ? undefined : timeOf(desk, slots.at);
    if (time === null) return desk.say("failed", "I do not know what day it is, so I published nothing.");
    const input = {
      targets: [{ type: "entry", ref: post.id }],
      to,
      ...(time === undefined ? {} : { at: time }),
    };
    const done = yield* change(desk, `${VERBS[to]} the post "${post.title}"`, "set_status", input);
    if (done === null) return;
    desk.post = { ...post, status: to === "unscheduled" ? post.status : to };
    const later = time === undefined ? DONE[to] : `is published ${spoken(time)}`;
    desk.say("done", `The post "${post.title}" ${later}.`);
  };

/** Gives a post another title. */
export function* renamePost(desk: Desk, slots: Slots): Course<void> {
  const post = yield* resolvePost(desk, slots);
  const { value = "" } = slots;
  if (post === null) return;
  const input = { entry: post.id, title: value };
  if ((yield* change(desk, `rename the post "${post.title}"`, "entry_update", input)) === null) return;
  desk.post = { ...post, title: value };
  desk.say("done", `The post "${post.title}" is called "${value}" now.`);
}

/** Puts a post into a category. */
export function* categorisePost(desk: Desk, slots: Slots): Course<void> {
  const post = yield* resolvePost(desk, slots);
  const { value = "" } = slots;
  if (post === null) return;
  const input = { entry: post.id, category: value };
  if ((yield* change(desk, `put the post "${post.title}" into ${value}`, "entry_update", input)) === null)
    return;
  desk.say("done", `The post "${post.title}" is in the category "${value}" now.`);
}

/** Deletes a post. A person is always asked. */
export function* deletePost(desk: Desk, slots: Slots): Course<void> {
  const post = yield* resolvePost(desk, slots);
  if (post === null) return;
  const act = `delete the post "${post.title}"`;
  if ((yield* change(desk, act, "entry_delete", { entries: [post.id] })) === null) return;
  desk.post = null;
  desk.say("done", `The post "${post.title}" is deleted.`);
}
