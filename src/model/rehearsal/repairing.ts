import type { JsonObject } from "../../core/log/json.ts";
import type { Failure, Outcome } from "./conversation.ts";
import type { Course } from "./course.ts";
import type { Desk, KnownPage } from "./desk.ts";
import { briefFor, linkFor } from "./briefing.ts";
import { call } from "./course.ts";
import { lookAtSite, report } from "./desk.ts";
import { fieldsOf } from "./fitting.ts";
import { pickImage, readImages } from "./library.ts";
import { isObject, objectAt, objectsAt, textAt } from "./reading.ts";
import { writeField } from "./writing.ts";

interface Blocker {
  readonly code: string;
  readonly ownerType: string;
  readonly owner: string;
  readonly field: string;
  readonly message: string;
}

/** What stands in the way of publishing, from the details of a refusal (cms 9). */
export function readBlockers(error: Failure): Blocker[] {
  const details = error.details;
  const direct = Array.isArray(details)
    ? details.filter(isObject)
    : [
        ...objectsAt(details, "blockers"),
        ...objectsAt(details, "targets").flatMap((target) => objectsAt(target, "blockers")),
      ];
  const found =
    direct.length > 0
      ? direct
      : error.suggestions.flatMap((one) => (isObject(one) && isObject(one["value"]) ? [one["value"]] : []));
  return found.map((one) => {
    const owner = objectAt(one, "owner");
    return {
      code: textAt(one, "code") ?? "",
      ownerType: textAt(owner, "type") ?? "",
      owner: textAt(owner, "id") ?? "",
      field: textAt(one, "field") ?? "",
      message: (textAt(one, "message") ?? "").replace(/[.\s]+$/u, ""),
    };
  });
}

const REPAIRS_MAX = 5;

/** Mends what blocks publishing where that is possible without guessing what the person wants, then asks again. */
export function* repairAndPublish(
  desk: Desk,
  pages: readonly KnownPage[],
  input: JsonObject,
  error: Failure,
): Course<Outcome> {
  const blocked: Outcome = { ok: false, error };
  let mended = 0;
  for (const blocker of readBlockers(error).slice(0, REPAIRS_MAX)) {
    if (yield* repair(desk, pages, blocker)) mended += 1;
  }
  if (mended === 0) return blocked;
  return yield* call(
    desk.tools,
    "I have mended what stood in the way and will ask again.",
    "set_status",
    input,
  );
}

function* repair(desk: Desk, pages: readonly KnownPage[], blocker: Blocker): Course<boolean> {
  if (blocker.ownerType !== "section" || blocker.owner === "") return false;
  const [page] = pages;
  if (page === undefined) return false;
  const read = yield* call(
    desk.tools,
    `Something blocks publishing (${blocker.message}), so I will read it.`,
    "page_get",
    { page: page.id, detail: "full" },
  );
  const section = read.ok
    ? objectsAt(read.value, "sections").find((one) => textAt(one, "id") === blocker.owner)
    : undefined;
  const field = blocker.field.replace(/^content\./u, "");
  const key = /^[\w-]+/u.exec(field)?.[0] ?? "";
  const content = objectAt(section, "content") ?? {};
  if (section === undefined || key === "") return false;
  if (blocker.code === "alt_missing") {
    const image = imageIn(content[key], Number(/\[(\d+)\]/u.exec(field)?.[1] ?? 0));
    if (image === null) return false;
    const alt = `${textAt(section, "heading") ?? page.name}: a picture for the page ${page.name}`.slice(
      0,
      125,
    );
    const done = yield* call(desk.tools, "I will add the missing alternative text.", "image_attach", {
      image,
      target: { type: "section", ref: blocker.owner },
      field,
      alt,
    });
    if (done.ok)
      report(
        desk,
        "done",
        `The image of the ${textAt(section, "template") ?? ""} section now has the alternative text "${alt}".`,
      );
    return done.ok;
  }
  if (blocker.code === "broken_image") {
    const found = yield* call(
      desk.tools,
      "The image is gone, so I will choose another one.",
      "image_search",
      { limit: 10 },
    );
    const image = found.ok ? pickImage(readImages(found.value), page.name, 0) : null;
    if (image === null) return false;
    const done = yield* call(desk.tools, `I will put "${image.name}" in its place.`, "image_attach", {
      image: image.id,
      target: { type: "section", ref: blocker.owner },
      field,
    });
    return done.ok;
  }
  const site = yield* lookAtSite(desk);
  if (blocker.code === "broken_link" && /^\w+$/u.test(field)) {
    const done = yield* call(
      desk.tools,
      "The link leads nowhere, so I will lead it to a page that is there.",
      "section_update",
      { section: blocker.owner, content: { [key]: linkFor(site) } },
    );
    return done.ok;
  }
  if (blocker.code !== "missing_required") return false;
  const fields = yield* fieldsOf(desk, textAt(section, "template") ?? "");
  const wanted = fields.find((one) => textAt(one, "key") === key);
  const value = wanted === undefined ? null : writeField(wanted, briefFor(desk, page.name, [], null));
  if (value === null) return false;
  const done = yield* call(desk.tools, `I will fill the empty field "${key}".`, "section_update", {
    section: blocker.owner,
    content: { [key]: value },
  });
  return done.ok;
}

function imageIn(value: unknown, index: number): string | null {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return imageIn(value[index], 0);
  if (typeof value !== "object" || value === null) return null;
  const image = (value as { image?: unknown }).image;
  return typeof image === "string" ? image : null;
}
