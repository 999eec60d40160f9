import type { JsonObject } from "../../core/json.ts";
import type { Outcome } from "./conversation.ts";
import type { Course } from "./course.ts";
import { call, write } from "./course.ts";
import type { Desk, KnownPage } from "./desk.ts";
import { isOrAre, keepPage, pageOfAnswer, report, reportFailure } from "./desk.ts";
import { freeSlugs } from "./mending.ts";
import { findEntry } from "./entries.ts";
import { resolvePage, resolvePages } from "./resolve.ts";
import { slugify } from "./tokens.ts";
import type { Wish, WishOf } from "./wish.ts";

type PageEdit = WishOf<"page_rename" | "page_slug" | "page_meta">;

/** Changes the name, the slug or the meta of a page. */
export function* updatePage(desk: Desk, wish: PageEdit): Course<void> {
  const value = wish.kind === "page_rename" ? wish.name : wish.kind === "page_slug" ? wish.slug : wish.value;
  const noun =
    wish.kind === "page_rename" ? "name" : wish.kind === "page_slug" ? "slug" : `meta ${wish.field}`;
  if (value === null || value === "") {
    report(
      desk,
      "asked",
      `What should the new ${noun} be? Say for example "change the ${noun} to" and the new words.`,
    );
    return;
  }
  const page = yield* resolvePage(desk, wish.page);
  if (page === null) return;
  const change: JsonObject =
    wish.kind === "page_rename"
      ? { name: value }
      : wish.kind === "page_slug"
        ? { slug: slugify(value) || value }
        : { meta: { [wish.field]: value } };
  const input = { page: page.id, ...change };
  const thought = `I will change the ${noun} of "${page.name}".`;
  const first = yield* write(desk.tools, thought, "page_update", input, {
    name: "page_get",
    input: { page: page.id, detail: "outline" },
  });
  const outcome = yield* otherSlug(desk, input, first);
  if (!outcome.ok) {
    reportFailure(desk, outcome.error, {
      act: `change the ${noun} of "${page.name}"`,
      thing: `changing the ${noun} of "${page.name}"`,
    });
    return;
  }
  const after = pageOfAnswer(outcome.value) ?? {
    ...page,
    ...(wish.kind === "page_rename" ? { name: value } : {}),
  };
  const known: KnownPage = {
    ...after,
    name: wish.kind === "page_rename" ? value : after.name,
    status: after.status ?? page.status,
  };
  keepPage(desk, known);
  desk.subject = [known];
  desk.edited.add(page.id);
  const live =
    known.status === "published" && wish.kind !== "page_slug"
      ? "; visitors see it once the page is published again"
      : "";
  if (wish.kind === "page_rename")
    report(
      desk,
      "done",
      `The page "${page.name}" is called "${value}" now${live}. Its slug stays ${known.slug ?? "the same"}.`,
    );
  else if (wish.kind === "page_slug")
    report(desk, "done", `The slug of "${page.name}" is ${known.slug ?? slugify(value)} now.`);
  else report(desk, "done", `The meta ${wish.field} of "${page.name}" is "${value}" now${live}.`);
}

/** A slug that is taken is replaced by the first free one that the CMS suggests. */
function* otherSlug(desk: Desk, input: JsonObject, outcome: Outcome): Course<Outcome> {
  if (outcome.ok || outcome.error.code !== "slug_taken") return outcome;
  const free = freeSlugs(outcome.error).find((slug) => slug !== input["slug"]);
  if (free === undefined) return outcome;
  report(
    desk,
    "note",
    `The slug ${typeof input["slug"] === "string" ? input["slug"] : "asked for"} is taken, so I took ${free}.`,
  );
  return yield* call(desk.tools, `That slug is taken, so I will use "${free}".`, "page_update", {
    ...input,
    slug: free,
  });
}

/** Deletes pages, or a blog post. A person is always asked. */
export function* deletePages(desk: Desk, wish: WishOf<"page_delete">): Course<void> {
  if (wish.target === "entry") {
    yield* deleteEntry(desk, wish);
    return;
  }
  const pages = yield* resolvePages(desk, wish.page);
  if (pages.length === 0) return;
  const named = pages.map((page) => `"${page.name}"`).join(" and ");
  const deleted = yield* write(
    desk.tools,
    `I will ask to delete ${named}.`,
    "page_delete",
    { pages: pages.map((page) => page.id) },
    { name: "page_get", input: { page: pages[0]?.id ?? "", detail: "outline" } },
  );
  if (deleted.ok) {
    const gone = new Set(pages.map((page) => page.id));
    if (desk.site !== null)
      desk.site = { ...desk.site, pages: desk.site.pages.filter((page) => !gone.has(page.id)) };
    desk.subject = [];
    report(
      desk,
      "done",
      `${named} ${isOrAre(pages)} deleted.${undoable(desk, pages.length === 1 ? "it" : "them")}`,
    );
  } else reportFailure(desk, deleted.error, { act: `delete ${named}`, thing: `deleting ${named}` });
}

/** Promised only where the tool for it is offered. */
function undoable(desk: Desk, what: string): string {
  return desk.tools.has("undo") ? ` "Undo that" brings ${what} back.` : "";
}

function* deleteEntry(desk: Desk, wish: Extract<Wish, { kind: "page_delete" }>): Course<void> {
  const entry = yield* findEntry(desk, wish.page.phrase, null);
  if (entry === null) return;
  const input = { entries: [entry.id] };
  const deleted = yield* write(
    desk.tools,
    `I will ask to delete the post "${entry.name}".`,
    "entry_delete",
    input,
    { name: "entry_get", input: { entry: entry.id } },
  );
  if (deleted.ok) report(desk, "done", `The post "${entry.name}" is deleted.${undoable(desk, "it")}`);
  else
    reportFailure(desk, deleted.error, {
      act: `delete the post "${entry.name}"`,
      thing: `deleting the post "${entry.name}"`,
    });
}

/** Writes a short blog post as a draft. */
export function* createEntry(desk: Desk, wish: WishOf<"create_entry">): Course<void> {
  const title = wish.title;
  if (title === null) {
    report(
      desk,
      "asked",
      'What should the post be about? Say for example "Write a blog post about winter boots".',
    );
    return;
  }
  const body = `${title} is worth a closer look.\n\n## What matters\n\n- Begin with the simple things.\n- Take your time.\n- Ask when you are not sure.\n\nThese are notes to start from; write on from here.`;
  const input: JsonObject = { title, content: { body }, excerpt: `A few notes on ${title}.` };
  yield* call(desk.tools, "I will look at the posts there are.", "entry_list", {});
  let made = yield* write(desk.tools, `I will write a draft of the post "${title}".`, "entry_create", input, {
    name: "entry_list",
    input: {},
  });
  const free = made.ok ? undefined : freeSlugs(made.error)[0];
  if (!made.ok && made.error.code === "slug_taken" && free !== undefined) {
    made = yield* call(desk.tools, `That slug is taken, so I will use "${free}".`, "entry_create", {
      ...input,
      slug: free,
    });
  }
  if (made.ok)
    report(
      desk,
      "done",
      `The post "${title}" is written as a short draft; it is not public. Say "Publish the post ${title}" when it is ready.`,
    );
  else
    reportFailure(desk, made.error, {
      act: `write the post "${title}"`,
      thing: `writing the post "${title}"`,
    });
}

/** Takes back the last change of this session. */
export function* undoLast(desk: Desk): Course<void> {
  const undone = yield* call(desk.tools, "I will take back the last change.", "undo", {});
  if (undone.ok) report(desk, "done", "The last change is taken back. Undoing once more brings it again.");
  else if (undone.error.code === "nothing_to_undo")
    report(desk, "told", "There is nothing to take back in this conversation.");
  else reportFailure(desk, undone.error, { act: "undo the last change", thing: "undoing the last change" });
}
