import type { JsonObject } from "../../core/log/json.ts";
import type { Course } from "./course.ts";
import type { Desk } from "./desk.ts";
import type { WishOf } from "./wish.ts";
import { call, write } from "./course.ts";
import { report, reportFailure } from "./desk.ts";
import { objectsAt, textAt } from "./reading.ts";
import { searchText } from "./tokens.ts";

/** Publishes or unpublishes a blog post, found by its title. */
export function* setEntryStatus(desk: Desk, wish: WishOf<"set_status">): Course<void> {
  const entry = yield* findEntry(
    desk,
    wish.page.phrase,
    wish.all ? null : wish.to === "published" ? "draft" : "published",
  );
  if (entry === null) return;
  const outcome = yield* write(
    desk.tools,
    `I will ask to ${wish.to === "published" ? "publish" : "unpublish"} the post "${entry.name}".`,
    "set_status",
    { targets: [{ type: "entry", ref: entry.id }], to: wish.to },
    { name: "entry_get", input: { entry: entry.id } },
  );
  if (outcome.ok)
    report(
      desk,
      "done",
      wish.to === "published"
        ? `The post "${entry.name}" is published.`
        : `The post "${entry.name}" is no longer public.`,
    );
  else
    reportFailure(desk, outcome.error, {
      act: `change the post "${entry.name}"`,
      thing: `changing the status of the post "${entry.name}"`,
    });
}

/** A post by words of its title; the only one of a status when no words are given. */
export function* findEntry(
  desk: Desk,
  phrase: string | null,
  status: string | null,
): Course<{ id: string; name: string } | null> {
  const q =
    phrase
      ?.replace(/\b(?:blog|draft|the|post|posts|article|entry|published)\b/giu, "")
      .replace(/\s+/gu, " ")
      .trim() ?? "";
  const made = desk.memory.find((entry) => entry.type === "entry" && entry.focus);
  if (q === "" && phrase === null && made !== undefined) return { id: made.id, name: made.name };
  const input: JsonObject = q === "" ? (status === null ? {} : { status }) : { q: searchText(q) };
  const listed = yield* call(desk.tools, "I will look for the post.", "entry_list", input);
  const items = listed.ok ? objectsAt(listed.value, "items") : [];
  const [first] = items;
  const id = textAt(first, "id");
  if (items.length === 1 && id !== null) return { id, name: textAt(first, "title") ?? id };
  const titles = items.map((item) => `"${textAt(item, "title") ?? ""}"`).join(", ");
  report(
    desk,
    items.length === 0 ? "failed" : "asked",
    items.length === 0
      ? `I could not find a post${q === "" ? "" : ` for "${q}"`}.`
      : `Which post do you mean? There are ${titles}.`,
  );
  return null;
}
