import type { JsonObject } from "../../../cairn/core/log/json.ts";
import { startOf } from "../../../cairn/core/text/cut.ts";
import type { Context } from "../context.ts";
import type { Site } from "../site.ts";

/** Texts of new sections. */

const textsFor = (name: string) => ({
  subtitle: `All about ${name}, in one place.`,
  heading: `${name} at a glance`,
  items: [
    { title: "What it is", description: `The short answer on ${name}.` },
    { title: "Why it matters", description: "What you gain from it, in plain words." },
    { title: "How to begin", description: "The first step is easier than you think." },
  ],
});

/** The description of a page for search engines. */
export const describePage = (name: string, site: Site | null): string =>
  startOf(`${name}${site === null ? "" : ` at ${site.name}`}. ${textsFor(name).subtitle}`, 160);

/** The target of a button: the contact page, else the home page. */
function linkFor(site: Site | null): string {
  const contact = site?.pages.find((page) => page.slug === "contact" && page.status === "published");
  const id = contact?.id ?? site?.homeId ?? null;
  return id === null ? "/site/" : `page:${id}`;
}

/** Content with every required field; null when it needs an image and the library has none. */
export function writeContent(template: string, name: string, { site, library }: Context): JsonObject | null {
  const { subtitle, heading: whole, items } = textsFor(name);
  const siteName = site?.name ?? "us";
  const [image] = library ?? [];
  // Headings of all known templates take 120 characters.
  const heading = startOf(whole, 120);
  if (template === "hero") {
    const content = { title: startOf(name, 120), subtitle: startOf(subtitle, 240) };
    return image === undefined ? content : { ...content, image };
  }
  if (template === "feature") return { heading, description: `What you can expect from ${siteName}.`, items };
  if (template === "cta")
    return {
      heading: "Shall we talk?",
      description: `Tell ${siteName} what you have in mind. We will find the rest together.`,
      buttonText: "Get in touch",
      buttonLink: linkFor(site),
    };
  if (image === undefined || library === null) return null;
  if (template === "gallery") return { title: heading, images: library.slice(0, 3) };
  const lines = items.map((item) => `**${item.title}.** ${item.description}`);
  return { heading, content: lines.join("\n\n"), image };
}
