import type { JsonObject } from "../../core/log/json.ts";
import type { Outcome } from "./conversation.ts";
import type { Course } from "./course.ts";
import { call, write } from "./course.ts";
import type { Desk, KnownPage } from "./desk.ts";
import { isOrAre, keepPage, pageOfAnswer, report, reportFailure } from "./desk.ts";
import { freeSlugs } from "./mending.ts";
import { resolvePage, resolvePages } from "./resolve.ts";
import { slugify } from "./tokens.ts";
import type { WishOf } from "./wish.ts";

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
    report(desk, "failed", "I cannot delete posts: there is no tool for it here yet.");
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
    report(desk, "done", `${named} ${isOrAre(pages)} deleted.`);
  } else reportFailure(desk, deleted.error, { act: `delete ${named}`, thing: `deleting ${named}` });
}
