import { createChangeSets } from "../../../../src/plugins/cms/renderer/api/change-sets.ts";
import { createHistory } from "../../../../src/plugins/cms/renderer/api/history.ts";
import { createOutline } from "../../../../src/plugins/cms/renderer/api/outline.ts";
import { createPreviewLinks } from "../../../../src/plugins/cms/renderer/api/preview-link.ts";
import { rendering } from "../../../../src/plugins/cms/renderer/rendering.ts";
import { createSite } from "../../../../src/plugins/cms/renderer/routes.ts";
import { publishDueSets } from "../../../../src/plugins/cms/changes/due-sets.ts";
import { maintainImages } from "../../../../src/plugins/cms/maintenance/images.ts";
import { cursorAfter } from "../../../../src/plugins/cms/model/ids.ts";
import type { CmsBindings } from "../../../../src/plugins/cms/model/types.ts";
import { cmsPack, imagesPack } from "../../../../src/plugins/cms/pack.ts";
import { publishDue } from "../../../../src/plugins/cms/schedule/due.ts";
import { ToolError } from "../../../../src/cairn/tools/define.ts";
import { call, contextOf, services as ofFixture, T0 } from "../fixture.ts";
import { photos } from "../history/acts.ts";
import { pageName } from "./large-site.ts";

/** Everything that is done with a site, each call under its name: by tools, by visitors, at the doors, by the clock. */

/** One round through all calls, with things of its own to write on. */
export class Round {
  readonly #env: Env;
  readonly #n: number;
  readonly #site = createSite({
    render: rendering,
    previewSecret: "a-secret-for-tests-only",
    version: "1",
    now: () => T0,
    seed: async () => {},
    report: (error: unknown) => {
      throw error;
    },
  });

  /** `n`: another one for every round on the same database */
  constructor(env: Env, n: number) {
    this.#env = env;
    this.#n = n;
  }

  /** Each call in turn, given to `run` with its name. A name with `set:` is a call into an open change set. */
  async all(run: (name: string, act: () => Promise<unknown>) => Promise<unknown>): Promise<void> {
    await this.#reads("", run);
    await this.#writes("", run);
    await run("changes_begin", () => this.#tool("changes_begin", {}, this.#session("set: ")));
    await this.#reads("set: ", run);
    await this.#writes("set: ", run);
    await run("changes_show", () => this.#tool("changes_show", {}, this.#session("set: ")));
    await this.#drafts(run);
    await run("changes_publish", () => this.#tool("changes_publish", {}, this.#session("set: ")));
    await this.#tool("changes_begin", {}, this.#session("set: "));
    await this.#tool("page_create", { name: `Thrown away ${this.#n}` }, this.#session("set: "));
    await run("changes_discard", () => this.#tool("changes_discard", {}, this.#session("set: ")));
    await this.#visits(run);
    await this.#doors(run);
    await this.#clock(run);
  }

  #session(where: string): string {
    return `${where === "" ? "own" : "set"}-${this.#n}`;
  }

  async #tool(name: string, args: object, session: string): Promise<Answer> {
    const tool = [...cmsPack.tools, ...imagesPack.tools].find((one) => one.definition.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    const services = { ...ofFixture, db: this.#env.DB, web: photos };
    const facts = { session, run: "r1", subject: "user:1" };
    return call<Answer>(tool, args, contextOf({ services, facts, key: `${session}/${keys++}` }));
  }

  async #reads(where: string, run: Run): Promise<void> {
    const session = this.#session(where);
    const n = 1 + (this.#n % 40);
    const to = (name: string, args: object, more = "") =>
      run(`${where}${name}${more === "" ? "" : ` (${more})`}`, () => this.#tool(name, args, session));
    const refused = (name: string, args: object, more: string) =>
      run(`${where}${name} (${more})`, async () => {
        try {
          await this.#tool(name, args, session);
        } catch (error) {
          if (error instanceof ToolError) return;
          throw error;
        }
        throw new Error(`${name} (${more}) was expected to refuse`);
      });
    await to("site_overview", {});
    await to("page_list", {});
    await to("page_list", { cursor: cursorAfter("name", { sort: "Route", id: "" }) }, "further");
    await to("page_list", { sort: "updated" }, "newest");
    await to("page_list", { dirtyOnly: true, status: "published" }, "with changes");
    await to("page_list", { q: "lantern" }, "part of a name");
    await to("page_list", { q: "nothing is called so" }, "part of no name");
    await to("page_get", { page: `page-${n}` });
    await to("page_get", { page: `pg_${n}`, detail: "full" }, "full");
    await to("page_get", { page: "pg_1", state: "published" }, "published");
    await refused("page_get", { page: "ridge-shelter-404" }, "unknown");
    await to("schema_list", {});
    await to("entry_list", { collection: "list-1" });
    await to("entry_list", { collection: "list-1", sort: "title" }, "by title");
    await to(
      "entry_list",
      { collection: "list-1", sort: "updated", category: "News" },
      "newest of a category",
    );
    await to("entry_list", { collection: "list-1", q: "nothing is called so" }, "part of no title");
    await to("entry_list", { collection: "list-1", tag: "gear" }, "tag");
    await to("entry_get", { entry: `list-1/entry-${n}` });
    await refused("entry_get", { entry: "list-1/ridge-404" }, "unknown");
    await to("find", { query: pageName(n), types: ["page"] }, "name of a page");
    await to("find", { query: "lantern in the fog" }, "common words");
    await to("find", { query: "ridge", status: "draft" }, "drafts");
    await to("find", { query: "zzqx wvut" }, "no word");
    await to("find", { query: "谷" }, "no spaces");
    await to("site_check", {});
    await to("site_check", { scope: "page", ref: `page-${n}` }, "page");
    await to("image_search", {});
    await to("image_search", { query: "ridge valley" }, "words");
    await to("image_search", { query: "ridge", tags: ["ridge"] }, "words and a tag");
    await to("image_search", { unused: true, missingAlt: true }, "unused without alt");
    await to("image_search", { session: "current" }, "of the session");
    await to("image_search", { ids: ["im_1", "im_2"], usages: true }, "usages");
    await to("history", {});
    await to("history", { target: { type: "page", ref: "pg_1" } }, "page of 1,000 revisions");
    await to("history", { session: "current" }, "session");
    await to("history", { run: "r4" }, "run");
    await to("history", { day: "2026-01-01" }, "day");
    await to("history", { operation: "s0/rev/3" }, "operation");
    await to("diff", { target: { type: "page", ref: "pg_1" } });
    const revision = await this.#oldRevision();
    await to("diff", { target: { type: "page", ref: "pg_1" }, from: revision }, "from a revision");
  }

  async #oldRevision(): Promise<string> {
    const sql = "SELECT id FROM revisions WHERE op_key='s0/rev/3'";
    return (await ofFixture.db.prepare(sql).first<string>("id")) ?? "";
  }

  async #writes(where: string, run: Run): Promise<void> {
    const session = this.#session(where);
    const own = `${where}${this.#n}`;
    const n = 1 + (this.#n % 40);
    const to = async (name: string, args: object, more = ""): Promise<Answer> => {
      const answers: Answer[] = [];
      await run(`${where}${name}${more === "" ? "" : ` (${more})`}`, async () => {
        answers.push(await this.#tool(name, args, session));
      });
      return answers[0] ?? {};
    };
    const made = await to("page_create", { name: `Copy ${own}`, copyFrom: "pg_2" });
    const page = made.page?.id ?? "";
    const sections = made.sections ?? [];
    await to("page_update", { page, name: `Named ${own}`, meta: { title: `Titled ${own}` } });
    const added = await to("section_add", {
      page,
      template: "hero",
      position: 1,
      content: { title: `Hero ${own}`, ctaText: "Go", ctaLink: `page:page-${n}`, image: "im_3" },
    });
    const section = added.section?.id ?? "";
    await to("section_update", { section, content: { title: `Hero of ${own}` } });
    await to("section_move", { section, position: 3 });
    await to("section_delete", { sections: [sections[0]?.id] });
    const image = (
      await this.#tool("image_import", { source: "url", url: `https://p.example.com/${keys}.png` }, session)
    ).image?.id;
    await to("image_update", { image, alt: `Alt ${own}`, tags: ["bench"] });
    await to("image_attach", { image, target: { type: "section", ref: section }, field: "image" });
    await to("image_replace", { from: image, to: "im_4" });
    await to("image_delete", { images: [image], onUse: "detach" });
    const entry = (
      await to("entry_create", {
        collection: "list-1",
        title: `Post ${own}`,
        excerpt: "Short.",
        content: { body: `About [this](page:page-${n}).` },
      })
    ).entry?.id;
    await to("entry_update", { entry, title: `Post named ${own}`, content: { body: "Other words." } });
    await to("nav_edit", {
      ops: [{ op: "add", location: "footer", label: `Item ${own}`, target: `page:${page}` }],
    });
    await to("settings_update", { set: { identity: { title: `Site ${own}` } } });
    await to("set_status", { targets: [{ type: "page", ref: page }], to: "published" }, "publish a page");
    await to("set_status", { targets: [{ type: "entry", ref: entry }], to: "published" }, "publish an entry");
    if (where === "") {
      const later = { to: "published", at: "2027-01-01T00:00:00Z" };
      await to("page_update", { page, name: `Later ${own}` }, "published");
      await to("set_status", { targets: [{ type: "page", ref: page }], ...later }, "publish later");
    }
    await to("undo", {}, "last");
    await to("undo", { target: { type: "page", ref: "pg_1" }, revision: await this.#oldRevision() }, "draft");
    await to("undo", { target: { type: "page", ref: "pg_1" }, to: "published" }, "draft as published");
    await to("entry_delete", { entries: [entry] });
    await to("page_delete", { pages: [page] });
  }

  async #get(path: string, status: number): Promise<void> {
    const response = await this.#site.fetch(new Request(`https://walks.example${path}`), this.#env);
    await response.arrayBuffer();
    if (response.status !== status) throw new Error(`${path} answered ${response.status}`);
  }

  async #visits(run: Run): Promise<void> {
    const n = 1 + (this.#n % 5);
    const visits = [
      ["the home page", "/site/", 200],
      ["a page", `/site/page-${2 + n}`, 200],
      ["a page in another language", `/site/de/page-4`, 200],
      ["an entry", `/site/list-1/entry-${n}`, 200],
      ["a list", "/site/list-1/", 200],
      ["a list, further", "/site/list-1/?page=3", 200],
      ["not found", "/site/nowhere", 404],
      ["theme", "/site/assets/theme.css", 200],
      ["robots", "/robots.txt", 200],
      ["feed", "/site/feed.xml", 200],
      ["sitemap", "/site/sitemap.xml", 200],
      ["a file of the sitemap", "/site/sitemap-1.xml", 200],
      ["an image that is gone", `/media/${"0".repeat(64)}/gone.png`, 404],
    ] as const;
    for (const [what, path, status] of visits) await run(`visit: ${what}`, () => this.#get(path, status));
  }

  /** Reads a change set before it is published. */
  async #drafts(run: Run): Promise<void> {
    const set = await ofFixture.db
      .prepare("SELECT id FROM change_sets WHERE session_id=?1 AND state='open'")
      .bind(this.#session("set: "))
      .first<string>("id");
    const mint = createPreviewLinks("a-secret-for-tests-only", async () => {});
    const target = { type: "page", id: "pg_3", environment: null, set } as const;
    const link = await mint(this.#env, target, ADMIN, "https://walks.example", T0);
    if (!link.ok) throw new Error("no link was made");
    const { pathname, search } = new URL(link.value.url);
    await run("set: visit: a draft", () => this.#get(pathname + search, 200));
  }

  async #doors(run: Run): Promise<void> {
    const seed = async (): Promise<void> => {};
    const wish = { environment: null, visitor: ADMIN };
    await run("door: outline", () => createOutline(seed)(this.#env, T0));
    await run("door: change sets", () =>
      createChangeSets(seed).list(this.#env, { ...wish, state: null }, T0),
    );
    await run("door: history", () =>
      createHistory(seed).read(this.#env, { ...wish, session: null, input: { limit: 20 } }, T0),
    );
  }

  async #clock(run: Run): Promise<void> {
    const { DB: db } = this.#env;
    // Not every deployment has a bucket.
    const bound: CmsBindings = this.#env;
    const media = bound.MEDIA ?? null;
    await run("clock: publish what is due", () => publishDue(db, Date.UTC(2027, 0, 2)));
    await run("clock: publish sets that are due", () => publishDueSets(db, Date.UTC(2027, 0, 2)));
    await run("clock: look at new images", () =>
      maintainImages({ db, media, images: null, see: null }, Date.UTC(2027, 0, 2)),
    );
  }
}

type Run = (name: string, act: () => Promise<unknown>) => Promise<unknown>;

const ADMIN = { subject: "user:1", isAdmin: true };
let keys = 0;

/** Parts of a tool's answer that the round reuses. */
interface Answer {
  readonly page?: { readonly id: string };
  readonly section?: { readonly id: string };
  readonly sections?: readonly { readonly id: string }[];
  readonly image?: { readonly id: string };
  readonly entry?: { readonly id: string };
}
