import type { JsonObject } from "../../core/log/json.ts";
import type { Failure } from "./conversation.ts";
import type { Course } from "./course.ts";
import type { Desk, KnownPage } from "./desk.ts";
import type { WishOf } from "./wish.ts";
import type { Brief } from "./writing.ts";
import { call, isDenied, write } from "./course.ts";
import { keepPage, lookAtSite, pageOfAnswer, report, reportFailure } from "./desk.ts";
import { fieldsOf, fitContent } from "./fitting.ts";
import { isObject, listAt, objectAt, textAt } from "./reading.ts";
import { exact } from "./resolve.ts";
import { slugify } from "./tokens.ts";

const REPAIRS_MAX = 3;

/** Sends the page, and mends what the CMS refuses: a taken slug, an unknown template, a field that does not fit. */
export function* submit(
  desk: Desk,
  wish: WishOf<"create_page">,
  first: JsonObject,
  brief: Brief,
): Course<KnownPage | null> {
  let input = first;
  let outcome = yield* write(
    desk.tools,
    `I will create the page "${brief.name}" as a draft.`,
    "page_create",
    input,
    { name: "site_overview", input: {} },
  );
  for (let repair = 0; repair < REPAIRS_MAX && !outcome.ok; repair += 1) {
    const error = outcome.error;
    if (error.code === "unknown_outcome") {
      const site = yield* lookAtSite(
        desk,
        "It is not known whether the page was made, so I will look.",
        true,
      );
      const [there] = site === null ? [] : exact(site.pages, brief.name);
      if (there === undefined) break;
      return keepMade(desk, there, input, null);
    }
    const mended = yield* mend(desk, wish, input, error, brief);
    if (mended === null) break;
    input = mended;
    outcome = yield* call(
      desk.tools,
      "I have corrected what was refused and will try again.",
      "page_create",
      input,
    );
  }
  if (outcome.ok)
    return keepMade(
      desk,
      pageOfAnswer(outcome.value) ?? { id: "", name: brief.name, slug: null, status: "draft" },
      input,
      outcome.value,
    );
  if (outcome.error.code === "slug_taken" || outcome.error.code === "already_exists") {
    report(
      desk,
      "asked",
      `I did not create "${brief.name}": ${outcome.error.message.replace(/[.\s]+$/u, "")}. Say "Create a page called" and another name, or ask me to change the page that is there.`,
    );
    return null;
  }
  reportFailure(desk, outcome.error, {
    act: `create the page "${brief.name}"`,
    thing: `creating the page "${brief.name}"`,
  });
  return null;
}

function keepMade(desk: Desk, page: KnownPage, input: JsonObject, answer: JsonObject | null): KnownPage {
  const own: KnownPage = { ...page, status: page.status ?? "draft" };
  desk.made.push(own);
  keepPage(desk, own);
  desk.subject = [own];
  const templates = listAt(input, "sections").map((section) => textAt(section, "template") ?? "");
  const sections =
    templates.length > 0
      ? ` with ${inWords(templates)}`
      : input["copyFrom"] === undefined
        ? ""
        : " as a copy";
  const path =
    textAt(objectAt(answer ?? {}, "preview"), "path") ?? textAt(objectAt(answer ?? {}, "page"), "url");
  report(
    desk,
    "done",
    `The page "${own.name}" is made as a draft${own.slug === null ? "" : ` (slug ${own.slug})`}${sections}${path === null ? "" : `; its address is ${path}`}.`,
  );
  return own;
}

/** Sections as a phrase: "a hero section and a gallery section". */
export function inWords(templates: readonly string[]): string {
  const named = templates.map((template) => `${/^[aeiou]/u.test(template) ? "an" : "a"} ${template} section`);
  return named.length < 2 ? (named[0] ?? "") : `${named.slice(0, -1).join(", ")} and ${named.at(-1) ?? ""}`;
}

/** The input that avoids the failure, or null when we know no other way. */
function* mend(
  desk: Desk,
  wish: WishOf<"create_page">,
  input: JsonObject,
  error: Failure,
  brief: Brief,
): Course<JsonObject | null> {
  if (isDenied(error)) return null;
  if (error.code === "slug_taken") {
    const free = freeSlugs(error);
    const next = free[0] ?? null;
    return (wish.explicit || wish.another) && next !== null && next !== input["slug"]
      ? { ...input, slug: next }
      : null;
  }
  if (error.code === "slug_reserved")
    return {
      ...input,
      slug: `${typeof input["slug"] === "string" ? input["slug"] : slugify(brief.name)}-page`,
    };
  const sections = listAt(input, "sections").filter(isObject);
  const index = Number(
    /^sections\[(\d+)\]/u.exec(error.at ?? "")?.[1] ?? /sections\[(\d+)\]/u.exec(error.message)?.[1] ?? -1,
  );
  const broken = sections[index];
  if (broken === undefined) {
    if (error.code !== "unknown_field" && error.code !== "invalid_content" && error.code !== "invalid_input")
      return null;
    const { meta, ...rest } = input;
    return meta === undefined ? null : rest;
  }
  const template = textAt(broken, "template") ?? "";
  const without = sections.filter((_, at) => at !== index);
  if (error.code === "unknown_template" || error.code === "template_region") {
    report(
      desk,
      "failed",
      `I could not add a ${template} section, because ${error.message.replace(/[.\s]+$/u, "")}.`,
    );
    return withSections(input, without);
  }
  const fields = yield* fieldsOf(desk, template);
  const content = fitContent(objectAt(broken, "content") ?? {}, fields, brief);
  if (content === null || JSON.stringify(content) === JSON.stringify(broken["content"])) {
    report(
      desk,
      "failed",
      `I could not add the ${template} section, because ${error.message.replace(/[.\s]+$/u, "")}.`,
    );
    return withSections(input, without);
  }
  return withSections(
    input,
    sections.map((section, at) => (at === index ? { ...section, content } : section)),
  );
}

function withSections(input: JsonObject, sections: readonly JsonObject[]): JsonObject {
  const { sections: _, ...rest } = input;
  return sections.length === 0 ? rest : { ...rest, sections };
}

/** Free slugs that an error suggests. */
export function freeSlugs(error: Failure): string[] {
  return error.suggestions.flatMap((one) => {
    const value =
      typeof one === "string"
        ? one
        : isObject(one)
          ? (one["value"] ?? (one["ref"] === undefined ? one["label"] : null))
          : null;
    return typeof value === "string" && /^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(value) ? [value] : [];
  });
}
