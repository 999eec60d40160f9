import type { JsonObject } from "../../core/log/json.ts";
import type { Failure, Outcome } from "./conversation.ts";
import type { Course } from "./course.ts";
import type { Desk, KnownPage, Status } from "./desk.ts";
import type { WishOf } from "./wish.ts";
import { call, callTogether, write } from "./course.ts";
import { because, keepPage, pageOfAnswer, readPage, report, reportFailure } from "./desk.ts";
import { isAt, objectAt, objectsAt, textAt } from "./reading.ts";
import { readBlockers, repairAndPublish } from "./repairing.ts";
import { resolvePages } from "./resolve.ts";

/** Publishes pages or takes them off the public site. Looks first, so that nobody is asked about what is so already. */
export function* setStatus(desk: Desk, wish: WishOf<"set_status">): Course<void> {
  const meant = wish.all ? yield* allPages(desk, wish.to) : yield* resolvePages(desk, wish.page);
  if (meant.length === 0) return;
  const pages = yield* whatChanges(desk, meant, wish.to);
  if (pages.length === 0) return;
  desk.subject = meant;
  const input: JsonObject = { targets: pages.map((page) => ({ type: "page", ref: page.id })), to: wish.to };
  const thought =
    wish.to === "published"
      ? `I will ask to publish ${names(pages)}.`
      : `I will ask to take ${names(pages)} off the public site.`;
  const again = { name: "page_get", input: { page: pages[0]?.id ?? "", detail: "outline" } };
  let outcome = yield* write(desk.tools, thought, "set_status", input, again);
  if (!outcome.ok && outcome.error.code === "publish_blocked")
    outcome = yield* repairAndPublish(desk, pages, input, outcome.error);
  if (!outcome.ok && outcome.error.code === "unknown_outcome")
    outcome = yield* seeWhetherDone(desk, pages, wish.to, outcome);
  if (outcome.ok) tellStatus(desk, pages, wish.to, outcome.value);
  else tellFailure(desk, pages, wish.to, outcome.error);
}

function names(pages: readonly KnownPage[]): string {
  return pages.map((page) => `"${page.name}"`).join(" and ");
}

/** "All drafts": every page that differs from what visitors see. */
function* allPages(desk: Desk, to: "published" | "unpublished"): Course<readonly KnownPage[]> {
  const input: JsonObject =
    to === "published" ? { dirtyOnly: true, limit: 10 } : { status: "published", limit: 10 };
  const listed = yield* call(desk.tools, "I will see which pages that concerns.", "page_list", input);
  if (!listed.ok) {
    report(desk, "failed", `I could not list the pages: ${because(listed.error)}.`);
    return [];
  }
  const pages = objectsAt(listed.value, "items").flatMap(readPage);
  for (const page of pages) desk.edited.add(page.id);
  if (pages.length === 0)
    report(
      desk,
      "told",
      to === "published"
        ? "Nothing waits to be published: every page is public as it is."
        : "No page is published.",
    );
  return pages;
}

function* whatChanges(
  desk: Desk,
  pages: readonly KnownPage[],
  to: "published" | "unpublished",
): Course<readonly KnownPage[]> {
  const unsure = pages.filter(
    (page) =>
      page.status === null ||
      (to === "published" && page.status === "published" && !desk.edited.has(page.id)),
  );
  const reads = unsure.map((page) => ({ name: "page_get", input: { page: page.id, detail: "outline" } }));
  const read =
    reads.length === 0
      ? []
      : yield* callTogether(desk.tools, `I will see how ${names(unsure)} stands.`, reads);
  const changing: KnownPage[] = [];
  for (const page of pages) {
    const outcome = read[unsure.indexOf(page)];
    const head = outcome?.ok === true ? (objectAt(outcome.value, "page") ?? outcome.value) : null;
    const known = head === null ? page : (readPage(head)[0] ?? page);
    const dirty = head === null ? true : isAt(head, "dirty");
    if (head !== null) keepPage(desk, known);
    if (to === "published" && known.status === "published" && !dirty)
      report(desk, "told", `"${known.name}" is published already, and nothing of it waits to be published.`);
    else if (to === "unpublished" && (known.status === "draft" || known.status === "unpublished"))
      report(desk, "told", `"${known.name}" is not public anyway (${known.status}).`);
    else changing.push(known);
  }
  return changing;
}

function tellStatus(desk: Desk, pages: readonly KnownPage[], to: Status, answer: JsonObject): void {
  const results = [...objectsAt(answer, "targets"), ...objectsAt(answer, "items")];
  for (const page of pages) {
    const own = results.find((one) => textAt(one, "id") === page.id || textAt(one, "ref") === page.id);
    const url = textAt(own, "url") ?? textAt(answer, "url");
    keepPage(desk, { ...page, status: to });
    desk.edited.delete(page.id);
    if (to === "published")
      report(desk, "done", `"${page.name}" is published${url === null ? "" : ` at ${url}`}.`);
    else report(desk, "done", `"${page.name}" is no longer public; its content is kept.`);
  }
}

function tellFailure(desk: Desk, pages: readonly KnownPage[], to: Status, error: Failure): void {
  if (to === "published") for (const page of pages) desk.held.add(page.id);
  const act = to === "published" ? "publish" : "unpublish";
  if (error.code === "publish_blocked") {
    const blockers = readBlockers(error).map((one) => one.message);
    report(
      desk,
      "failed",
      `I could not publish ${names(pages)}: ${[...new Set(blockers)].join("; ") || because(error)}.`,
    );
  } else reportFailure(desk, error, { act: `${act} ${names(pages)}`, thing: `${act}ing ${names(pages)}` });
}

function* seeWhetherDone(
  desk: Desk,
  pages: readonly KnownPage[],
  to: Status,
  outcome: Outcome,
): Course<Outcome> {
  const [first] = pages;
  if (first === undefined) return outcome;
  const read = yield* call(
    desk.tools,
    "It is not known whether that took effect, so I will look.",
    "page_get",
    { page: first.id, detail: "outline" },
  );
  const page = read.ok ? pageOfAnswer(read.value) : null;
  const head = read.ok ? (objectAt(read.value, "page") ?? read.value) : null;
  const isSo = page?.status === to && !(to === "published" && isAt(head ?? {}, "dirty"));
  return isSo && read.ok ? { ok: true, value: {} } : outcome;
}
