import type { Json, JsonObject } from "../../../cairn/core/log/json.ts";
import type { Course } from "../course.ts";
import { isAt, objectAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import type { Desk, Does } from "../site.ts";
import { change, look } from "../site.ts";
import type { Language, Slots } from "../slots.ts";
import { folded } from "../slots.ts";

/** What is done with collections, their fields, and the languages of the site. */

/** Makes a collection; its entries have a text until it is given other fields. */
export function* makeCollection(desk: Desk, { names = [] }: Slots): Course<void> {
  const [name = ""] = names;
  const done = yield* change(desk, `make the collection "${name}"`, "collection_save", { name });
  if (done === null) return;
  const url = textAt(objectAt(done, "collection"), "url");
  desk.say("done", `The collection "${name}" is made${url === null ? "" : `; its list is at ${url}`}.`);
}

interface KnownCollection {
  readonly slug: string;
  readonly name: string;
  readonly fields: readonly { readonly key: string; readonly label: string }[];
}

/** The collection of that name; null when there is none, which is then asked about. */
function* resolveCollection(desk: Desk, asked: string): Course<KnownCollection | null> {
  const listed = yield* look(desk, "look at the collections", "schema_list", { kind: "collection" });
  if (listed === null) return null;
  const all = objectsAt(listed, "collections").map((one): KnownCollection => ({
    slug: textAt(one, "slug") ?? "",
    name: textAt(one, "name") ?? "",
    fields: objectsAt(one, "fields").map((field) => ({
      key: textAt(field, "key") ?? "",
      label: textAt(field, "label") ?? "",
    })),
  }));
  const found = all.find(({ slug, name }) => [slug, name].some((one) => folded(one) === folded(asked)));
  if (found !== undefined) return found;
  const names = all.map((one) => `"${one.name}"`).join(", ");
  const there = all.length === 0 ? "The site has none." : `There is ${names}.`;
  desk.say("asked", `Which collection do you mean? I found none called "${asked}". ${there}`);
  return null;
}

/** `cooking time` as `cookingTime` */
const keyOf = (name: string): string =>
  folded(name)
    .replace(/[^a-z0-9 ]/gu, "")
    .replaceAll(/ +(\w)/gu, (_, letter: string) => letter.toUpperCase());

/** Adds a field, a line of text where nothing was said. */
export function* addField(desk: Desk, slots: Slots): Course<void> {
  const { names: [name = ""] = [], fieldType: type = "text", collection: asked = "" } = slots;
  const collection = yield* resolveCollection(desk, asked);
  if (collection === null) return;
  const label = name.slice(0, 1).toUpperCase() + name.slice(1);
  const field: JsonObject = { key: keyOf(name), label, type };
  const act = `add the field "${label}" to "${collection.name}"`;
  const input = { collection: collection.slug, addFields: [field] };
  if ((yield* change(desk, act, "collection_save", input)) === null) return;
  desk.say("done", `"${collection.name}" has the field "${label}" (${type}) now.`);
}

/** Removes a field; where entries have values in it, a person is asked. */
export function* removeField(desk: Desk, slots: Slots): Course<void> {
  const { names: [name = ""] = [], collection: asked = "" } = slots;
  const collection = yield* resolveCollection(desk, asked);
  if (collection === null) return;
  const wanted = folded(name);
  const field = collection.fields.find(
    ({ key, label }) => folded(label) === wanted || folded(key) === wanted || key === keyOf(name),
  );
  if (field === undefined) {
    const labels = collection.fields.map((one) => `"${one.label}"`).join(", ");
    return desk.say("asked", `"${collection.name}" has no field "${name}". Which of ${labels} do you mean?`);
  }
  const act = `remove the field "${field.label}" from "${collection.name}"`;
  const input = { collection: collection.slug, removeFields: [field.key] };
  const done = yield* change(desk, act, "collection_save", input);
  if (done === null) return;
  const count = Number(done["entriesChanged"] ?? 0);
  const values = count === 0 ? "" : `, and its value from ${count === 1 ? "1 draft" : `${count} drafts`}`;
  desk.say("done", `The field "${field.label}" is gone from "${collection.name}"${values}.`);
}

interface KnownLanguage {
  readonly code: string;
  readonly isActive: boolean;
  readonly isDefault: boolean;
}

function* languagesOf(desk: Desk): Course<readonly KnownLanguage[] | null> {
  const site = yield* look(desk, "look at the languages of the site", "site_overview", {});
  if (site === null) return null;
  return objectsAt(site, "locales").flatMap((one) => {
    const code = textAt(one, "code");
    return code === null ? [] : [{ code, isActive: isAt(one, "active"), isDefault: isAt(one, "isDefault") }];
  });
}

const save = (desk: Desk, act: string, locales: { readonly [key: string]: Json }) =>
  change(desk, act, "settings_update", { locales });

/** Adds languages, off the site until somebody switches them on. */
export function* addLanguage(desk: Desk, { languages = [] }: Slots): Course<void> {
  const known = yield* languagesOf(desk);
  if (known === null) return;
  const fallback = known.find((one) => one.isDefault)?.code;
  for (const { code, name, said } of languages) {
    const there = known.find((one) => one.code === code);
    if (there !== undefined) {
      desk.say(
        "told",
        `The site has ${said} already${there.isActive ? "" : `; say "switch on ${said}" to show it`}.`,
      );
      continue;
    }
    const add = { code, name, ...(fallback === undefined ? {} : { fallback }) };
    if ((yield* save(desk, `add ${said} to the site`, { add })) === null) continue;
    desk.say("done", `${said} is added. Visitors see it once it is switched on: say "switch on ${said}".`);
  }
}

/** The one language that is meant and known to the site; null otherwise, which is then said. */
function* resolveLanguage(desk: Desk, { languages = [] }: Slots): Course<(Language & KnownLanguage) | null> {
  const [language, ...more] = languages;
  if (language === undefined || more.length > 0) {
    desk.say("asked", "Which language do you mean? I can do that for one at a time.");
    return null;
  }
  const known = yield* languagesOf(desk);
  if (known === null) return null;
  const there = known.find((one) => one.code === language.code);
  if (there !== undefined) return { ...language, ...there };
  desk.say("failed", `The site has no ${language.said} yet. Say "add ${language.said} to the site" first.`);
  return null;
}

/** Puts a language on the site, or takes it off. A person is always asked. */
export const switchLanguage = (on: boolean): Does =>
  function* (desk, slots) {
    const language = yield* resolveLanguage(desk, slots);
    if (language === null) return;
    const { code, said, isActive } = language;
    const state = on ? "on" : "off";
    if (isActive === on) return desk.say("told", `${said} is switched ${state} already.`);
    const act = `switch ${said} ${state}`;
    if ((yield* save(desk, act, on ? { activate: code } : { deactivate: code })) === null) return;
    desk.say("done", `${said} is switched ${state}.`);
  };

/** Makes a language the default one. A person is always asked. */
export function* makeDefault(desk: Desk, slots: Slots): Course<void> {
  const language = yield* resolveLanguage(desk, slots);
  if (language === null) return;
  const { code, said, isActive, isDefault } = language;
  if (isDefault) return desk.say("told", `${said} is the default language already.`);
  const locales = { ...(isActive ? {} : { activate: code }), setDefault: code };
  if ((yield* save(desk, `make ${said} the default language`, locales)) === null) return;
  desk.say("done", `${said} is the default language now.`);
}
