import type { Json, JsonObject } from "../../../src/cairn/core/log/json.ts";

/** A small website in memory that answers the tools of the CMS in their form, for tests of the rehearsal model. */

interface FakeSection {
  id: string;
  template: string;
  hidden: boolean;
  content: Record<string, Json>;
}
interface FakePage {
  id: string;
  name: string;
  slug: string;
  status: "draft" | "published" | "unpublished";
  dirty: boolean;
  sections: FakeSection[];
}
interface FakeNav {
  id: string;
  label: string;
  target: string;
  location: "header" | "footer";
}

export interface FakeError {
  readonly code: string;
  readonly class?: string;
  readonly message?: string;
  readonly hint?: string;
  readonly at?: string;
  readonly suggestions?: readonly Json[];
  readonly details?: Json;
}

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  hero: ["title"],
  feature: ["heading"],
  cta: ["heading", "buttonText", "buttonLink"],
  gallery: ["images"],
  "image-text": ["heading", "content", "image"],
  quote: ["text"],
};
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  hero: ["title", "subtitle", "image", "ctaText", "ctaLink"],
  feature: ["heading", "description", "items"],
  cta: ["heading", "description", "buttonText", "buttonLink", "backgroundImage"],
  gallery: ["title", "images", "layout"],
  "image-text": ["heading", "content", "image", "ctaText", "ctaLink", "layout", "mobileLayout", "background"],
  quote: ["text", "author"],
};

/** The tools of the CMS that the rehearsal model calls. */
export const TOOL_NAMES = [
  "site_overview",
  "page_list",
  "page_get",
  "image_search",
  "page_create",
  "page_update",
  "page_delete",
  "section_add",
  "section_update",
  "section_delete",
  "set_status",
  "nav_edit",
] as const;

export class FakeSite {
  pages: FakePage[] = [];
  nav: FakeNav[] = [];
  images: JsonObject[] = [
    {
      id: "im_logo",
      filename: "logo.svg",
      alt: "Fern & Fell",
      tags: ["logo"],
      width: 200,
      height: 60,
      usageCount: 1,
    },
    {
      id: "im_ridge",
      filename: "ridge.png",
      alt: "A ridge at dawn",
      tags: ["mountain"],
      width: 1600,
      height: 900,
      usageCount: 1,
    },
    {
      id: "im_valley",
      filename: "valley.png",
      alt: "A green valley",
      tags: ["valley"],
      width: 1600,
      height: 900,
      usageCount: 0,
    },
    {
      id: "im_shelter",
      filename: "shelter.png",
      alt: "A stone shelter",
      tags: ["hut"],
      width: 1600,
      height: 900,
      usageCount: 0,
    },
  ];
  /** errors to answer next, by tool; each is used once */
  readonly errors = new Map<string, FakeError[]>();
  private made = 0;

  constructor() {
    const page = (key: string, name: string, sections: [string, Record<string, Json>][]): void => {
      this.pages.push({
        id: `pg_${key}`,
        name,
        slug: key,
        status: "published",
        dirty: false,
        sections: sections.map(([template, content], at) => ({
          id: `sc_${key}_${at}`,
          template,
          hidden: false,
          content,
        })),
      });
    };
    page("home", "Home", [
      ["hero", { title: "Walk further", subtitle: "Guided walks", image: { image: "im_ridge" } }],
      ["feature", { heading: "Why us", items: [{ title: "Ridge walks", description: "High and wide" }] }],
      [
        "image-text",
        { heading: "Our valley", content: "We know every path.", image: { image: "im_valley" } },
      ],
      ["cta", { heading: "Come along", buttonText: "Write", buttonLink: "page:pg_contact" }],
    ]);
    page("about", "About", [
      ["hero", { title: "About us", image: { image: "im_ridge" } }],
      ["image-text", { heading: "How it began", content: "With a map.", image: { image: "im_valley" } }],
      ["gallery", { title: "Pictures", images: [{ image: "im_ridge" }] }],
    ]);
    page("contact", "Contact", [
      ["hero", { title: "Say hello" }],
      ["cta", { heading: "Write to us", buttonText: "Mail", buttonLink: "mailto:a@example.com" }],
    ]);
    this.nav = [
      { id: "nv_1", label: "Home", target: "page:pg_home", location: "header" },
      { id: "nv_2", label: "About", target: "page:pg_about", location: "header" },
      { id: "nv_3", label: "Blog", target: "collection:co_blog", location: "header" },
      { id: "nv_4", label: "Contact", target: "page:pg_contact", location: "header" },
      { id: "nv_5", label: "About", target: "page:pg_about", location: "footer" },
      { id: "nv_6", label: "Contact", target: "page:pg_contact", location: "footer" },
    ];
  }

  addPage(name: string, slug: string, status: FakePage["status"] = "draft"): FakePage {
    const page: FakePage = {
      id: `pg_${slug}`,
      name,
      slug,
      status,
      dirty: status !== "published",
      sections: [],
    };
    page.sections.push({ id: `sc_${slug}_0`, template: "hero", hidden: false, content: { title: name } });
    this.pages.push(page);
    return page;
  }

  fail(tool: string, ...errors: FakeError[]): this {
    this.errors.set(tool, [...(this.errors.get(tool) ?? []), ...errors]);
    return this;
  }

  /** The observation of a call, as the model reads it. */
  answer(tool: string, input: JsonObject): string {
    const injected = this.errors.get(tool)?.shift();
    if (injected !== undefined) return failure(injected);
    try {
      return JSON.stringify({ ok: true, ...this.run(tool, input) });
    } catch (error) {
      if (error instanceof Refusal) return failure(error.error);
      throw error;
    }
  }

  private run(tool: string, input: JsonObject): JsonObject {
    switch (tool) {
      case "site_overview":
        return this.overview();
      case "page_list":
        return this.list(input);
      case "page_get":
        return this.detail(this.page(input["page"]), input["detail"] === "full");
      case "image_search": {
        const query = String(input["query"] ?? "").toLowerCase();
        const items = this.images.filter(
          (one) =>
            JSON.stringify(one).toLowerCase().includes(query) &&
            (input["unused"] !== true || one["usageCount"] === 0),
        );
        return { items, total: items.length };
      }
      case "page_create":
        return this.create(input);
      case "page_update": {
        const page = this.page(input["page"]);
        if (typeof input["name"] === "string") page.name = input["name"];
        page.dirty = true;
        return { page: brief(page), changed: Object.keys(input) };
      }
      case "page_delete":
        for (const ref of strings(input["pages"])) this.pages.splice(this.pages.indexOf(this.page(ref)), 1);
        return { deleted: input["pages"] ?? [] };
      case "section_add": {
        const page = this.page(input["page"]);
        const section = this.section(input);
        page.sections.splice(this.place(page, input["position"]), 0, section);
        page.dirty = true;
        return {
          section: { id: section.id, template: section.template, heading: headingOf(section) },
          page: brief(page),
        };
      }
      case "section_update": {
        const { page, section } = this.owner(input["section"]);
        const content = (input["content"] ?? {}) as Record<string, Json>;
        const unknown = Object.keys(content).find((key) => !FIELDS[section.template]?.includes(key));
        if (unknown !== undefined)
          throw new Refusal({
            code: "unknown_field",
            at: `content.${unknown}`,
            message: `No field ${unknown}`,
          });
        Object.assign(section.content, content);
        if (typeof input["hidden"] === "boolean") section.hidden = input["hidden"];
        page.dirty = true;
        return { section: { id: section.id }, page: brief(page) };
      }
      case "section_delete":
        for (const id of strings(input["sections"])) {
          const { page, section } = this.owner(id);
          page.sections.splice(page.sections.indexOf(section), 1);
          page.dirty = true;
        }
        return { deleted: input["sections"] ?? [] };
      case "set_status":
        return this.status(input);
      case "nav_edit":
        return this.navEdit(input);
      default:
        throw new Error(`the fake site has no tool ${tool}`);
    }
  }

  private overview(): JsonObject {
    const of = (status: string): JsonObject => {
      const items = this.pages
        .filter((page) => page.status === status)
        .map(({ id, name, slug }) => ({ id, name, slug }));
      return { total: items.length, items };
    };
    const nav = (location: string): Json =>
      this.nav
        .filter((item) => item.location === location)
        .map(({ id, label, target }) => ({ id, label, target, visible: true, children: [] }));
    return {
      site: { id: "site_main", name: "Fern & Fell", homePage: "pg_home" },
      settings: { identity: { title: "Fern & Fell", tagline: "Walks worth the climb." } },
      nav: { header: nav("header"), footer: nav("footer") },
      pages: { draft: of("draft"), published: of("published"), unpublished: of("unpublished") },
      layout: null,
    };
  }

  private list(input: JsonObject): JsonObject {
    const status = input["status"] ?? "all";
    const items = this.pages
      .filter(
        (page) => (status === "all" || page.status === status) && (input["dirtyOnly"] !== true || page.dirty),
      )
      .map((page) => ({
        ...brief(page),
        sectionCount: page.sections.length,
        inNav: this.nav.some((item) => item.target === `page:${page.id}`),
        updatedAt: "2026-11-20T10:00:00.000Z",
      }));
    return { items, total: items.length };
  }

  private detail(page: FakePage, full: boolean): JsonObject {
    return {
      page: brief(page),
      sections: page.sections.map((section, at) => ({
        id: section.id,
        template: section.template,
        templateName: section.template,
        position: at + 1,
        hidden: section.hidden,
        heading: headingOf(section),
        ...(full ? { content: section.content } : {}),
      })),
    };
  }

  private create(input: JsonObject): JsonObject {
    const name = String(input["name"]);
    const slug =
      typeof input["slug"] === "string"
        ? input["slug"]
        : name
            .normalize("NFKD")
            .replace(/\p{M}/gu, "")
            .toLowerCase()
            .replace(/[^a-z0-9]+/gu, "-")
            .replace(/^-|-$/gu, "");
    if (slug === "") throw new Refusal({ code: "invalid_input", message: "A slug is needed", at: "slug" });
    if (["api", "media", "site", "preview", "blog"].includes(slug))
      throw new Refusal({ code: "slug_reserved", message: `${slug} is reserved` });
    if (this.pages.some((page) => page.slug === slug))
      throw new Refusal({
        code: "slug_taken",
        message: `The slug ${slug} is taken by a page`,
        suggestions: [{ label: `${slug}-2`, value: `${slug}-2` }],
      });
    const asked = Array.isArray(input["sections"]) ? (input["sections"] as JsonObject[]) : [];
    const sections = asked.map((section, at) => this.section(section, `sections[${at}]`));
    const page: FakePage = {
      id: `pg_${(this.made += 1)}`,
      name,
      slug,
      status: "draft",
      dirty: true,
      sections,
    };
    this.pages.push(page);
    return {
      op: "op",
      page: brief(page),
      sections: sections.map(({ id, template: key }) => ({ id, template: key })),
      publicNow: false,
      preview: { path: `/site/${slug}` },
    };
  }

  private section(input: JsonObject, at = ""): FakeSection {
    const key = String(input["template"]);
    const fields = FIELDS[key];
    if (fields === undefined)
      throw new Refusal({
        code: "unknown_template",
        at: `${at}.template`,
        message: `There is no template ${key}`,
      });
    const content = (input["content"] ?? {}) as Record<string, Json>;
    const unknown = Object.keys(content).find((one) => !fields.includes(one));
    if (unknown !== undefined)
      throw new Refusal({
        code: "unknown_field",
        at: `${at}.content.${unknown}`,
        message: `${key} has no field ${unknown}`,
      });
    const missing = REQUIRED[key]?.find((one) => content[one] === undefined);
    if (missing !== undefined)
      throw new Refusal({
        code: "invalid_content",
        at: `${at}.content.${missing}`,
        message: `${key} needs ${missing}`,
      });
    return { id: `sc_${(this.made += 1)}`, template: key, hidden: false, content: { ...content } };
  }

  private status(input: JsonObject): JsonObject {
    const targets = (input["targets"] as JsonObject[]).map((target): JsonObject => {
      const page = this.page(target["ref"]);
      page.status = input["to"] as FakePage["status"];
      page.dirty = false;
      return { type: "page", id: page.id, status: page.status, url: `/site/${page.slug}` };
    });
    return { targets };
  }

  private navEdit(input: JsonObject): JsonObject {
    for (const op of input["ops"] as JsonObject[]) {
      const at = this.nav.findIndex((item) => item.id === op["item"]);
      const item = this.nav[at];
      if (op["op"] === "add") {
        if (this.nav.some((one) => one.target === op["target"] && one.location === op["location"]))
          throw new Refusal({ code: "already_exists", message: "That entry exists" });
        this.nav.push({
          id: `nv_${(this.made += 1) + 100}`,
          label: String(op["label"]),
          target: String(op["target"]),
          location: op["location"] as FakeNav["location"],
        });
      } else if (item === undefined) throw new Refusal({ code: "not_found", message: "No such item" });
      else if (op["op"] === "remove") this.nav.splice(at, 1);
      else item.label = String(op["label"]);
    }
    return { nav: {} };
  }

  private page(ref: Json | undefined): FakePage {
    const page = this.pages.find((one) => one.id === ref || one.slug === ref);
    if (page === undefined)
      throw new Refusal({
        code: "not_found",
        class: "not_found",
        message: `There is no page ${String(ref)}`,
        suggestions: this.pages.slice(0, 3).map((one) => ({ label: one.name, ref: one.id })),
      });
    return page;
  }

  private owner(id: Json | undefined): { page: FakePage; section: FakeSection } {
    for (const page of this.pages) {
      const section = page.sections.find((one) => one.id === id);
      if (section !== undefined) return { page, section };
    }
    throw new Refusal({
      code: "not_found",
      class: "not_found",
      message: `There is no section ${String(id)}`,
    });
  }

  private place(page: FakePage, position: Json | undefined): number {
    if (typeof position !== "object" || position === null) return page.sections.length;
    const { before, after } = position as { before?: string; after?: string };
    const at = page.sections.findIndex((section) => section.id === (before ?? after));
    if (at < 0) throw new Refusal({ code: "not_found", message: "No such section to stand next to" });
    return before === undefined ? at + 1 : at;
  }
}

class Refusal extends Error {
  readonly error: FakeError;
  constructor(error: FakeError) {
    super(error.code);
    this.error = error;
  }
}

function failure(error: FakeError): string {
  return JSON.stringify({
    ok: false,
    error: { class: "conflict", message: error.code, retryable: false, hint: "", suggestions: [], ...error },
  });
}

function brief(page: FakePage): JsonObject {
  const { id, name, slug, status, dirty } = page;
  return { id, name, slug, status, dirty, version: 1, url: `/site/${slug}` };
}

function headingOf(section: FakeSection): string {
  const heading = section.content["title"] ?? section.content["heading"];
  return typeof heading === "string" ? heading : "";
}

function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}
