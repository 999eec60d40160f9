import type { Json, JsonObject } from "../../../../src/cairn/core/log/json.ts";
import { FakeSite } from "../site.ts";
import type { Wish } from "./format.ts";

type Nav = FakeSite["nav"][number];

/** The fake site, where every write shows in its state: what FakeSite answers without doing it is done here. */
export class WishSite extends FakeSite {
  /** calls of `undo`; what they would bring back is not modelled */
  undone = 0;

  override answer(tool: string, input: JsonObject): string {
    switch (tool) {
      case "section_add":
      case "section_move":
        return super.answer(tool, this.beside(input));
      case "page_create": {
        const answer = super.answer(tool, input);
        // A copy has texts of its own.
        const made = this.pages.at(-1);
        for (const section of made?.sections ?? []) section.content = structuredClone(section.content);
        return answer;
      }
      case "page_delete": {
        const answer = super.answer(tool, input);
        const left = new Set(this.pages.map((page) => `page:${page.id}`));
        this.nav = this.nav.filter((item) => !item.target.startsWith("page:") || left.has(item.target));
        return answer;
      }
      case "image_attach": {
        const answer = super.answer(tool, input);
        const ref = (input["target"] as JsonObject)["ref"];
        const page = this.pages.find((one) => one.sections.some((section) => section.id === ref));
        if (page !== undefined) page.dirty = true;
        return answer;
      }
      case "set_status": {
        const refs = (input["targets"] as JsonObject[])
          .filter((target) => target["type"] === "entry")
          .map((target) => target["ref"]);
        const lost = refs.find((ref) => this.entry(ref) === undefined);
        if (lost !== undefined) return refused(`There is no entry ${String(lost)}`);
        const answer = super.answer(tool, input);
        if (!answer.startsWith('{"ok":true')) return answer;
        for (const ref of refs) Object.assign(this.entry(ref) ?? {}, { status: String(input["to"]) });
        return answer;
      }
      case "nav_edit":
        return this.editNavigation(input["ops"] as JsonObject[]);
      case "image_update": {
        const image = this.images.find((one) => one["id"] === input["image"]);
        if (image === undefined) return refused(`There is no image ${String(input["image"])}`);
        const described = { ...image, alt: input["alt"] ?? "" };
        this.images = this.images.map((one) => (one === image ? described : one));
        return done({ image: described });
      }
      case "entry_get": {
        const entry = this.entry(input["entry"]);
        return entry === undefined ? refused(`There is no entry ${String(input["entry"])}`) : done({ entry });
      }
      case "entry_create": {
        const id = `en_${this.entries.length + 1}`;
        this.entries.push({ id, title: String(input["title"]), slug: id, status: "draft" });
        return done({ entry: { id, title: input["title"] ?? "" } });
      }
      case "entry_update": {
        const entry = this.entry(input["entry"]);
        if (entry === undefined) return refused(`There is no entry ${String(input["entry"])}`);
        if (typeof input["title"] === "string") entry.title = input["title"];
        return done({ entry });
      }
      case "entry_delete": {
        const refs = [input["entry"], input["entries"]].flat();
        const gone = refs.filter((ref) => ref !== undefined).map((ref) => this.entry(ref));
        if (gone.includes(undefined)) return refused("There is no such entry");
        this.entries = this.entries.filter((entry) => !gone.includes(entry));
        return done({ deleted: refs.filter((ref) => ref !== undefined) });
      }
      case "undo":
        this.undone += 1;
        return done({ restored: [] });
      case "history":
        return done({ items: [], total: 0 });
      default:
        return super.answer(tool, input);
    }
  }

  private entry(ref: Json | undefined) {
    const key = String(ref).replace(/^blog\//u, "");
    return this.entries.find((entry) => entry.id === key || entry.slug === key);
  }

  /** A position that is a number becomes the neighbour that the fake site understands. */
  private beside(input: JsonObject): JsonObject {
    const position = input["position"];
    if (typeof position !== "number") return input;
    const moved = input["section"];
    const page = this.pages.find(
      (one) =>
        one.id === input["page"] ||
        one.slug === input["page"] ||
        one.sections.some((section) => section.id === moved),
    );
    const others = page?.sections.filter((section) => section.id !== moved) ?? [];
    const next = others[position - 1];
    const { position: _, ...rest } = input;
    return next === undefined ? rest : { ...rest, position: { before: next.id } };
  }

  /** All operations or none, as the tool does it. */
  private editNavigation(ops: readonly JsonObject[]): string {
    let nav: Nav[] = structuredClone(this.nav);
    for (const [index, op] of ops.entries()) {
      if (op["op"] === "add") {
        const location = op["location"] === "footer" ? "footer" : "header";
        const target = this.idTarget(String(op["target"]));
        if (nav.some((item) => item.target === target && item.location === location))
          return refused("That entry exists", "already_exists");
        const item = {
          id: `nv_new_${nav.length}_${index}`,
          label: String(op["label"]),
          target,
          location,
        } as const;
        nav = inserted(nav, item, op["position"]);
        continue;
      }
      const named = nav.filter((one) => one.id === op["item"] || one.label === op["item"]);
      const item = named[0];
      if (item === undefined || named.length > 1) return refused(`No one item ${String(op["item"])}`);
      const at = nav.indexOf(item);
      nav = nav.filter((one) => one !== item);
      if (op["op"] === "remove") continue;
      if (op["op"] === "move") {
        if (op["location"] === "header" || op["location"] === "footer") item.location = op["location"];
        nav = inserted(nav, item, op["position"]);
      } else {
        if (typeof op["label"] === "string") item.label = op["label"];
        if (typeof op["target"] === "string") item.target = this.idTarget(op["target"]);
        nav.splice(at, 0, item);
      }
    }
    this.nav = nav;
    return done({ nav: {} });
  }

  /** `page:<slug>` as `page:<id>`. */
  private idTarget(target: string): string {
    const page = this.pages.find((one) => target === `page:${one.slug}`);
    return page === undefined ? target : `page:${page.id}`;
  }
}

/** The site on which a wish is said. */
export function siteOf(wish: Pick<Wish, "pages">): WishSite {
  const site = new WishSite();
  for (const page of wish.pages ?? []) site.addPage(...page);
  return site;
}

function inserted(nav: readonly Nav[], item: Nav, position: Json | undefined): Nav[] {
  const own = nav.filter((one) => one.location === item.location);
  const { before, after } = (typeof position === "object" ? position : {}) as {
    before?: string;
    after?: string;
  };
  const at =
    typeof position === "number"
      ? position - 1
      : before !== undefined
        ? own.findIndex((one) => one.id === before)
        : after !== undefined
          ? own.findIndex((one) => one.id === after) + 1
          : own.length;
  own.splice(at < 0 ? own.length : at, 0, item);
  return [...own, ...nav.filter((one) => one.location !== item.location)];
}

const done = (value: JsonObject): string => JSON.stringify({ ok: true, ...value });

function refused(message: string, code = "not_found"): string {
  return JSON.stringify({
    ok: false,
    error: { class: "conflict", code, message, retryable: false, hint: "", suggestions: [] },
  });
}
