import { startOf } from "../../../cairn/core/text/cut.ts";
import { type JsonObject, ownValue } from "../../../cairn/core/log/json.ts";
import type { Course } from "../course.ts";
import { isAt, numberAt, objectAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import type { Desk, Does } from "../site.ts";
import { change, look, lookAtSite, resolvePage, valueOf } from "../site.ts";
import { write } from "../course.ts";
import type { Slots } from "../slots.ts";

/** What is done with work that was done: told, checked, taken back, collected in a change set. */

const LINES_MAX = 15;

function bulleted(lines: readonly string[]): string {
  const rest = lines.length - LINES_MAX;
  const more = rest > 0 ? [`and ${rest} more`] : [];
  return [...lines.slice(0, LINES_MAX), ...more].map((line) => `\n- ${line}`).join("");
}

/** Takes the last change of this conversation back; `redo` does again what was taken back last. */
export const takeBack = (what: "undo" | "redo"): Does =>
  function* (desk) {
    let input: JsonObject = {};
    if (what === "redo") {
      const listed = yield* look(desk, "see what was taken back", "history", {
        session: "current",
        limit: 50,
      });
      if (listed === null) return;
      const last = objectsAt(listed, "items").find((item) => isAt(item, "isUndo") && isAt(item, "undoable"));
      const operation = textAt(last, "operation");
      if (operation === null) return desk.say("told", "Nothing was taken back in this conversation.");
      input = { operation };
    }
    const act = what === "undo" ? "take the last change back" : "do that again";
    const done = yield* change(desk, act, "undo", input);
    if (done === null) return;
    const summary = textAt(objectAt(done, "undone"), "summary")?.replace(/\.$/u, "") ?? "the last change";
    desk.say("done", what === "undo" ? `Taken back: ${summary}.` : `Done again: ${summary}.`);
  };

/** What was done on the site: in this conversation, or on the day of the question. */
export const tellChanges = (since: "session" | "today"): Does =>
  function* (desk) {
    const { today } = desk;
    const input: JsonObject =
      since === "today" && today !== null ? { day: today, limit: 50 } : { session: "current", limit: 50 };
    const listed = yield* look(desk, "look what was changed", "history", input);
    if (listed === null) return;
    tellOperations(desk, listed, since === "today" ? "today" : "in this conversation");
  };

/** What was done to one page, and by whom. */
export function* tellPageChanges(desk: Desk, slots: Slots): Course<void> {
  const page = yield* resolvePage(desk, slots.page);
  if (page === null) return;
  const input = { target: { type: "page", ref: page.id }, limit: 50 };
  const listed = yield* look(desk, `look what was changed on "${page.name}"`, "history", input);
  if (listed !== null) tellOperations(desk, listed, `of "${page.name}"`);
}

/** What a draft would change for visitors. */
export function* tellDifference(desk: Desk, slots: Slots): Course<void> {
  const page = yield* resolvePage(desk, slots.page);
  if (page === null) return;
  const input = { target: { type: "page", ref: page.id } };
  const compared = yield* look(desk, `compare "${page.name}" with what visitors see`, "diff", input);
  if (compared === null) return;
  const lines = objectsAt(compared, "changes").map(lineOf);
  if (lines.length === 0) return desk.say("told", `The draft of "${page.name}" is what visitors see.`);
  desk.say("told", `The draft of "${page.name}" differs from what visitors see:${bulleted(lines)}`);
}

const lineOf = (one: JsonObject): string =>
  `${textAt(one, "what") ?? ""}: ${textAt(one, "before") ?? "nothing"} → ${textAt(one, "after") ?? "nothing"}`;

function tellOperations(desk: Desk, listed: JsonObject, of: string): void {
  const lines = objectsAt(listed, "items").flatMap((item) => {
    const [summary, actor] = [textAt(item, "summary"), textAt(item, "actor") ?? ""];
    if (summary === null || textAt(item, "tool") === "seed") return [];
    const by = actor.startsWith("user:") ? " (by hand)" : actor.startsWith("system:") ? " (by itself)" : "";
    return [`${summary}${by}${textAt(item, "undoneBy") === null ? "" : " (taken back since)"}`];
  });
  if (lines.length === 0) return desk.say("told", `Nothing was changed ${of}.`);
  const count = lines.length === 1 ? "1 change" : `${lines.length} changes`;
  desk.say("told", `${count} ${of}, the newest first:${bulleted(lines)}`);
}

/** What stands behind "as it was …": the draft of a page as it was then. */
const THEN: Readonly<Record<string, readonly [days: number, clock: string]>> = {
  "this morning": [0, "08:00:00"],
  yesterday: [-1, "23:59:59"],
  "last week": [-7, "23:59:59"],
};

/** Puts the draft of a page back as it was: at a time of the day, or as visitors see it. */
export const putBack = (when: string): Does =>
  function* (desk, slots) {
    const page = yield* resolvePage(desk, slots.page);
    if (page === null) return;
    const target = { type: "page", ref: page.id };
    const then = ownValue(THEN, when);
    if (then !== undefined && desk.today === null)
      return desk.say("failed", "I do not know what day it is, so I put nothing back.");
    const how: JsonObject =
      then === undefined
        ? { to: "published" }
        : { time: `${dayFrom(desk.today ?? "", then[0])}T${then[1]}Z` };
    const words =
      then === undefined ? "as visitors see it" : `as it was ${when} (${then[1].slice(0, 5)} UTC)`;
    const act = `put "${page.name}" back ${words}`;
    const outcome = yield* write(desk.tools, `I will ${act}.`, "undo", { target, ...how });
    if (!outcome.ok && outcome.error.code === "nothing_to_do")
      return desk.say("told", `The draft of "${page.name}" is ${words} already.`);
    const done = valueOf(desk, outcome, act);
    if (done === null) return;
    const seen = isAt(done, "publicNow") ? "" : "; visitors see it once the page is published again";
    desk.say("done", `The draft of "${page.name}" is again ${words}${seen}.`);
  };

/** A date so many days later. */
export function dayFrom(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** From now on what is written is collected. */
export function* beginSet(desk: Desk, { value }: Slots): Course<void> {
  const input: JsonObject = value === undefined ? {} : { name: startOf(value, 80) };
  const done = yield* change(desk, "collect the changes from now on", "changes_begin", input);
  if (done === null) return;
  const name = textAt(objectAt(done, "set"), "name") ?? "Changes";
  const rest = `Say what to change; then "show me the set", "publish the set" or "throw the set away".`;
  desk.say("done", `I collect what I change from now on in "${name}"; no visitor sees any of it. ${rest}`);
}

/** The open set as a list of what becomes of what. */
export function* tellSet(desk: Desk): Course<void> {
  const shown = yield* look(desk, "read what is collected", "changes_show", {});
  if (shown === null) return;
  const name = textAt(objectAt(shown, "set"), "name") ?? "";
  const lines = objectsAt(shown, "items").flatMap((item) => {
    const changes = objectsAt(item, "changes").map(lineOf);
    return [
      `${textAt(item, "what") ?? ""} is ${textAt(item, "becomes") ?? "changed"}. ${changes.join("; ")}`,
    ];
  });
  if (lines.length === 0) return desk.say("told", `Nothing is in the set "${name}" yet.`);
  desk.say(
    "told",
    `The set "${name}" changes ${lines.length === 1 ? "1 thing" : `${lines.length} things`}:${bulleted(lines)}`,
  );
  const against = [
    ...objectsAt(shown, "blockers").map((one) => textAt(one, "message") ?? ""),
    ...objectsAt(shown, "conflicts").map(
      (one) => `${textAt(one, "field") ?? ""} of ${textAt(one, "name") ?? ""} was changed elsewhere since`,
    ),
  ];
  if (against.length > 0) desk.say("note", `It cannot be published yet:${bulleted(against)}`);
}

/** Publishes all of the open set, now or at a time. A person is always asked. */
export function* publishSet(desk: Desk, { at }: Slots): Course<void> {
  const time = timeOf(desk, at);
  if (time === null) return desk.say("failed", "I do not know what day it is, so I published nothing.");
  const done = yield* change(
    desk,
    "publish the set",
    "changes_publish",
    time === undefined ? {} : { at: time },
  );
  if (done === null) return;
  const name = textAt(objectAt(done, "set"), "name") ?? "";
  const later = textAt(done, "publishAt");
  if (later !== null) return desk.say("done", `"${name}" is published as a whole ${spoken(later)}.`);
  const items = objectsAt(done, "items").flatMap((item) => textAt(item, "what") ?? []);
  desk.say("done", `"${name}" is published as a whole: ${items.join(", ")}.`);
}

/** "Publish it", said of the set that was just spoken of, or of a page. */
export const orTheSet = (ofSet: Does, otherwise: Does): Does =>
  function* (desk, slots) {
    const isSet = desk.memory.some((one) => one.type === "change_set" && one.focus);
    const isIt = slots.page?.kind === "it" && !slots.page.plural && desk.subject === null;
    yield* isIt && isSet && desk.post === null ? ofSet(desk, slots) : otherwise(desk, slots);
  };

/** Throws the open set away. A person is asked where there is something in it. */
export function* discardSet(desk: Desk): Course<void> {
  const done = yield* change(desk, "throw the set away", "changes_discard", {});
  if (done === null) return;
  const name = textAt(objectAt(done, "set"), "name") ?? "";
  desk.say("done", `"${name}" is thrown away; the site is as it was.`);
}

/** The time that was said, in UTC; undefined where none was, null where the day of the question is not known. */
export function timeOf({ today }: Pick<Desk, "today">, at: Slots["at"]): string | null | undefined {
  if (at === undefined) return undefined;
  return today === null ? null : `${dayFrom(today, at.days)}T${at.clock}Z`;
}

const CLOCK = { hour: "2-digit", minute: "2-digit", timeZone: "UTC" } as const;
const spokenTime = new Intl.DateTimeFormat("en-GB", {
  ...{ weekday: "long", day: "numeric", month: "long", year: "numeric" },
  ...CLOCK,
});

/** A moment as it is said. */
export const spoken = (time: string): string => `on ${spokenTime.format(new Date(time))} UTC`;

/** What blocks publishing, and what is doubtful. */
export function* checkSite(desk: Desk): Course<void> {
  const checked = yield* look(desk, "check the site", "site_check", {});
  if (checked === null) return;
  const found = (key: string): string[] =>
    objectsAt(checked, key).map(
      (one) => `${textAt(objectAt(one, "owner"), "name") ?? ""}: ${textAt(one, "message") ?? ""}`,
    );
  const [blockers, warnings] = [found("blockers"), found("warnings")];
  const count = numberAt(checked, "checked") ?? 0;
  if (blockers.length + warnings.length === 0)
    return desk.say("told", `I checked ${count} drafts and found nothing to mend.`);
  if (blockers.length > 0) desk.say("told", `This blocks publishing:${bulleted(blockers)}`);
  if (warnings.length > 0) desk.say("told", `This is worth a look:${bulleted(warnings)}`);
}

/** Changes the title of the site, or its colour. A person is always asked. */
export const changeSetting = (what: "title" | "tagline" | "accent"): Does =>
  function* (desk, { value = "" }) {
    const key = what === "accent" ? "theme" : "identity";
    const input = { set: { [key]: { [what]: value } } };
    const name = what === "accent" ? "colour" : what;
    if ((yield* change(desk, `change the ${name} of the site`, "settings_update", input)) === null) return;
    desk.say("done", `The ${name} of the site is "${value}" now.`);
  };

/** Makes a page the first one. */
export function* makeHome(desk: Desk, slots: Slots): Course<void> {
  const page = yield* resolvePage(desk, slots.page);
  if (page === null || (yield* lookAtSite(desk)) === null) return;
  if (desk.site?.homeId === page.id) return desk.say("told", `"${page.name}" is the home page already.`);
  const input = { set: { home: { page: page.id } } };
  if ((yield* change(desk, `make "${page.name}" the home page`, "settings_update", input)) === null) return;
  desk.say("done", `"${page.name}" is the home page now.`);
}
