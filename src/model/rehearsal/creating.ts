import type { JsonObject } from "../../core/log/json.ts";
import type { Course } from "./course.ts";
import type { Desk, KnownPage, Site } from "./desk.ts";
import type { SectionAsk, WishOf } from "./wish.ts";
import type { Brief } from "./writing.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import { briefFor, lookAround, planSections } from "./briefing.ts";
import { lookAtSite, report } from "./desk.ts";
import { submit } from "./mending.ts";
import { textAt } from "./reading.ts";
import { exact, resolvePage } from "./resolve.ts";
import { firstOf, slugify } from "./tokens.ts";
import { writeSection } from "./writing.ts";

/** What the CMS takes as the name of a page. */
const NAME_CHARS_MAX = 120;

/** Creates a page as a draft, with sections that say something. */
export function* createPage(desk: Desk, wish: WishOf<"create_page">): Course<void> {
  if (wish.name === null) {
    yield* lookAtSite(desk);
    report(
      desk,
      "asked",
      'What should the page be called? Say for example "Create a page called Team"; a name that is not of letters stands in quotes.',
    );
    desk.unmade.add("");
    return;
  }
  const name = firstOf(wish.name, NAME_CHARS_MAX).trim();
  const asks = sectionsFor(wish);
  const images = yield* lookAround(desk, asks, wish.imageQuery);
  const site = desk.site;
  const holders = site === null || wish.another ? [] : exact(site.pages, name);
  const [holder] = holders;
  if (holder !== undefined) {
    desk.subject = wish.ifMissing ? [holder] : [];
    if (wish.ifMissing) return;
    tellItExists(desk, holder, name);
    return;
  }
  const original = wish.copyOf === null ? null : yield* resolvePage(desk, wish.copyOf);
  if (wish.copyOf !== null && original === null) {
    desk.unmade.add(name.toLowerCase());
    return;
  }
  const brief = briefFor(desk, name, images, wish.imageQuery);
  const sections = yield* planSections(desk, asks, brief);
  if (wish.name.length > NAME_CHARS_MAX)
    report(desk, "note", `The name was longer than ${NAME_CHARS_MAX} characters, so I cut it there.`);
  const slug = wish.slug ?? slugFor(name);
  const input: JsonObject = {
    name,
    ...(slug === null ? {} : { slug }),
    ...(original === null ? {} : { copyFrom: original.id }),
    meta: { title: name, description: describe(name, brief, site) },
    ...(sections.length === 0
      ? {}
      : { sections: sections.map(({ template, content }) => ({ template, content })) }),
  };
  const made = yield* submit(desk, wish, input, brief);
  if (made === null) {
    desk.unmade.add(name.toLowerCase());
    desk.subject = [];
  }
}

/** What the page is to hold: what was asked for, else a hero, so that it is not empty. */
function sectionsFor(wish: WishOf<"create_page">): readonly SectionAsk[] {
  if (wish.sections.length > 0 || wish.copyOf !== null || wish.empty) return wish.sections;
  const hero: SectionAsk = { template: "hero", word: "hero", count: 1, place: null, title: null };
  const words = slugify(wish.name ?? "").split("-");
  if (words.includes("contact")) return [hero, { ...hero, template: "cta", word: "cta" }];
  if (words.includes("gallery")) return [hero, { ...hero, template: "gallery", word: "gallery" }];
  return [hero];
}

function describe(name: string, brief: Brief, site: Site | null): string {
  const hero = writeSection("hero", { ...brief, name });
  const subtitle = textAt(hero ?? {}, "subtitle") ?? "";
  return firstOf(`${name}${site === null ? "" : ` at ${site.name}`}. ${subtitle}`, 160);
}

/** A slug of our own where the CMS could make none: names without a Latin letter. Null where it makes a good one itself. */
function slugFor(name: string): string | null {
  return slugify(name) === "" ? `page-${sha256Hex(name).slice(0, 6)}` : null;
}

function tellItExists(desk: Desk, holder: KnownPage, name: string): void {
  desk.unmade.add(name.toLowerCase());
  const status = holder.status === null ? "" : `, ${holder.status}`;
  report(
    desk,
    "asked",
    `There is already a page "${holder.name}" (${holder.slug ?? holder.id}${status}), so I did not make another one and changed nothing. Say "Add a feature section to the page ${holder.name}" to extend it, or "Create another page called ${holder.name}" for a second one.`,
  );
}
