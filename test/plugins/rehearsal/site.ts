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

export const TOOL_NAMES = [
  "site_overview",
  "page_list",
  "page_get",
  "schema_list",
  "entry_list",
  "entry_get",
  "find",
  "site_check",
  "image_search",
  "page_create",
  "page_update",
  "page_delete",
  "section_add",
  "section_update",
  "section_move",
  "section_delete",
  "entry_create",
  "entry_update",
  "entry_delete",
  "set_status",
  "image_attach",
  "image_import",
  "image_update",
  "image_replace",
  "image_delete",
  "nav_edit",
  "history",
  "diff",
  "undo",
  "settings_update",
  "collection_save",
  "changes_begin",
  "changes_show",
  "changes_publish",
  "changes_discard",
] as const;

export class FakeSite {
  pages: FakePage[] = [];
  nav: FakeNav[] = [];
  entries = [
    { id: "en_packing", title: "Packing light", slug: "packing-light", status: "published" },
    { id: "en_winter", title: "Winter routes", slug: "winter-routes", status: "draft" },
  ];
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
  /** what was done before the run */
  operations: { operation: string; summary: string; undoable: boolean; isUndo: boolean }[] = [
    { operation: "op_1", summary: "Changed the hero of Home.", undoable: true, isUndo: false },
  ];
  /** the name of the open change set */
  set: string | null = null;
  /** errors to answer next, by tool; each is used once */
  readonly errors = new Map<string, FakeError[]>();
  /** runs before a call of a tool, for changes "from outside" */
  readonly before = new Map<string, () => void>();
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
    this.before.get(tool)?.();
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
      case "schema_list":
        return {
          templates: Object.keys(FIELDS)
            .filter((key) => input["key"] === undefined || input["key"] === key)
            .map(template),
          collections: [
            {
              slug: "blog",
              name: "Blog",
              fields: [
                { key: "body", label: "Body", type: "markdown" },
                { key: "cookingTime", label: "Cooking time", type: "number" },
              ],
            },
          ],
        };
      case "entry_list": {
        const items = this.entries
          .filter((one) => (input["status"] ?? "all") === "all" || one.status === input["status"])
          .filter((one) => one.title.toLowerCase().includes(String(input["q"] ?? "").toLowerCase()));
        return { items, total: items.length };
      }
      case "find":
        return this.find(String(input["query"]), input["types"]);
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
        if (typeof input["slug"] === "string") {
          const slug = input["slug"];
          if (this.pages.some((one) => one !== page && one.slug === slug))
            throw new Refusal({
              code: "slug_taken",
              message: `The slug ${slug} is taken`,
              suggestions: [{ label: `${slug}-2`, value: `${slug}-2` }],
            });
          page.slug = slug;
        }
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
        for (const key of strings(input["unset"])) delete section.content[key];
        if (typeof input["hidden"] === "boolean") section.hidden = input["hidden"];
        page.dirty = true;
        return { section: { id: section.id }, page: brief(page) };
      }
      case "section_move": {
        const { page, section } = this.owner(input["section"]);
        page.sections.splice(page.sections.indexOf(section), 1);
        page.sections.splice(this.place(page, input["position"]), 0, section);
        page.dirty = true;
        return { section: { id: section.id }, page: brief(page), order: page.sections.map((one) => one.id) };
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
      case "image_attach": {
        const target = input["target"] as JsonObject;
        if (target["type"] === "entry") return { target: { ...target }, image: { id: input["image"] ?? "" } };
        const { section } = this.owner(target["ref"]);
        section.content[String(input["field"])] = {
          image: String(input["image"]),
          ...(typeof input["alt"] === "string" ? { alt: input["alt"] } : {}),
        };
        return { target: { ...target }, image: { id: input["image"] ?? "" }, alt: input["alt"] ?? "" };
      }
      case "image_update":
      case "image_delete":
        return { image: { id: input["image"] ?? "" } };
      case "nav_edit":
        return this.navEdit(input);
      case "history":
        return { items: this.operations.toReversed() };
      case "diff":
        return { changes: [] };
      case "undo":
        return this.undo(input);
      case "entry_create": {
        const entry = { id: "en_new", title: String(input["title"]), slug: "new", status: "draft" };
        this.entries.push(entry);
        return { entry: { ...entry, url: "/site/blog/new" } };
      }
      case "entry_update": {
        const entry = this.post(input["entry"]);
        if (typeof input["title"] === "string") entry.title = input["title"];
        return { entry: { ...entry } };
      }
      case "entry_delete":
        for (const ref of strings(input["entries"]))
          this.entries.splice(this.entries.indexOf(this.post(ref)), 1);
        return { deleted: input["entries"] ?? [] };
      case "collection_save":
        return { collection: { url: "/site/recipes/" }, entriesChanged: 2 };
      case "settings_update":
        return { settings: input["set"] ?? {} };
      case "site_check":
        return {
          blockers: [],
          warnings: [{ owner: { name: "About" }, message: "No description." }],
          checked: 3,
        };
      case "changes_begin":
        this.set = String(input["name"] ?? "Changes");
        return { set: { id: "cs_1", name: this.set } };
      case "changes_show":
        return { set: this.openSet(), items: [{ what: "Page “About”", becomes: "changed", changes: [] }] };
      case "changes_publish": {
        const set = this.openSet();
        if (input["at"] === undefined) this.set = null;
        return { set, items: [{ what: "Page “About”" }], publishAt: input["at"] ?? null };
      }
      case "changes_discard": {
        const set = this.openSet();
        this.set = null;
        return { set };
      }
      default:
        throw new Error(`the fake site has no tool ${tool}`);
    }
  }

  /** Takes the last operation back, or does it again; of a draft it says where it stands. */
  private undo(input: JsonObject): JsonObject {
    if (input["target"] !== undefined) return { restored: [], publicNow: false };
    const found = this.operations.findLast(
      (one) =>
        one.undoable &&
        (input["operation"] === undefined ? !one.isUndo : one.operation === input["operation"]),
    );
    if (found === undefined)
      throw new Refusal({ code: "nothing_to_undo", message: "Nothing that could be taken back." });
    found.undoable = false;
    const key = `op_${this.operations.length + 1}`;
    this.operations.push({
      operation: key,
      summary: `Undo: ${found.summary}`,
      undoable: true,
      isUndo: !found.isUndo,
    });
    return { undone: { operation: found.operation, summary: found.summary }, publicNow: false };
  }

  private openSet(): JsonObject {
    if (this.set === null)
      throw new Refusal({ code: "not_found", message: "This session collects no changes." });
    return { id: "cs_1", name: this.set };
  }

  private post(ref: Json | undefined): { id: string; title: string; slug: string; status: string } {
    const found = this.entries.find((one) => one.id === ref || one.slug === ref);
    if (found === undefined) throw new Refusal({ code: "not_found", message: "No such entry" });
    return found;
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
      locales: [
        { code: "en", name: "English", active: true, isDefault: true },
        { code: "de", name: "Deutsch", active: true, isDefault: false },
        { code: "nl", name: "Nederlands", active: false, isDefault: false },
      ],
      nav: { header: nav("header"), footer: nav("footer") },
      collections: [
        { id: "co_blog", slug: "blog", name: "Blog", entries: { draft: 1, published: 1, archived: 0 } },
      ],
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

  private find(query: string, types: Json | undefined): JsonObject {
    const wanted = Array.isArray(types) ? types : ["page", "section", "entry"];
    const has = (value: unknown): boolean =>
      JSON.stringify(value).toLowerCase().includes(query.toLowerCase());
    const items: JsonObject[] = [
      ...this.pages
        .filter((page) => wanted.includes("page") && has(page.name))
        .map((page) => ({
          type: "page",
          id: page.id,
          name: page.name,
          slug: page.slug,
          score: 0.9,
          band: "strong",
          match: "text",
          snippet: page.name,
        })),
      ...this.pages.flatMap((page) =>
        page.sections
          .filter((section) => wanted.includes("section") && has(section.content))
          .map((section) => ({
            type: "section",
            id: section.id,
            name: headingOf(section),
            parent: { type: "page", id: page.id },
            score: 0.6,
            band: "good",
            match: "text",
            snippet: `… ${query} …`,
          })),
      ),
    ];
    return { items, total: items.length };
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
    const copy = typeof input["copyFrom"] === "string" ? this.page(input["copyFrom"]).sections : [];
    const asked = Array.isArray(input["sections"]) ? (input["sections"] as JsonObject[]) : [];
    const sections = [
      ...copy.map((section) => ({ ...section, id: `sc_${(this.made += 1)}` })),
      ...asked.map((section, at) => this.section(section, `sections[${at}]`)),
    ];
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
      if (target["type"] === "entry")
        return { type: "entry", id: target["ref"] ?? "", status: input["to"] ?? "" };
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

function template(key: string): JsonObject {
  const type = (field: string): string =>
    field === "image" ? "image" : field === "images" ? "image_list" : /link/iu.test(field) ? "link" : "text";
  return {
    key,
    name: key,
    region: "main",
    description: `The ${key}`,
    variants: ["default"],
    fields: (FIELDS[key] ?? []).map((field) => ({
      key: field,
      label: field,
      type: type(field),
      ...(REQUIRED[key]?.includes(field) ? { required: true } : {}),
    })),
  };
}

function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}
