import { changesBegin, changesDiscard } from "../../../src/plugins/cms/changes/collect.ts";
import { changesPublish } from "../../../src/plugins/cms/changes/publish.ts";
import { withinSet } from "../../../src/plugins/cms/changes/within.ts";
import { undo } from "../../../src/plugins/cms/history/undo.ts";
import type { CmsContext, CmsServices } from "../../../src/plugins/cms/model/types.ts";
import { navEdit } from "../../../src/plugins/cms/tools/nav.ts";
import { pageCreate } from "../../../src/plugins/cms/tools/page-create.ts";
import { pageDelete } from "../../../src/plugins/cms/tools/page-delete.ts";
import { pageUpdate } from "../../../src/plugins/cms/tools/pages.ts";
import { sectionMove, sectionUpdate } from "../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../src/plugins/cms/tools/status.ts";
import { ToolError, type AnyTool } from "../../../src/cairn/tools/define.ts";
import { Chance } from "../platform/chance.ts";
import { Death, FakeD1 } from "./d1.ts";
import { makeSmallSite } from "./small-site.ts";
import { Watch, type SiteFault } from "./watch.ts";

/**
 * Random days of a site: one session collects in change sets, another one edits the site meanwhile, in the middle of the
 * other's calls too; the worker dies before or after any batch, and the call is then made again with its key. What must
 * always hold is watched at every batch (watch.ts).
 */

const ACTS = 14;
const TOOLS = { pageCreate, pageUpdate, pageDelete, sectionUpdate, sectionMove, navEdit, setStatus, undo };
const IN_SET = Object.fromEntries(
  Object.entries(TOOLS).map(([name, tool]) => [name, withinSet(tool as AnyTool<CmsServices>)]),
);

interface Call {
  readonly tool: AnyTool<CmsServices>;
  readonly input: object;
  readonly context: Omit<CmsContext, "services">;
}

export interface SiteDay {
  readonly faults: readonly SiteFault[];
  readonly deaths: number;
  readonly published: number;
  readonly calls: number;
}

export async function liveSiteDay(seed: number): Promise<SiteDay> {
  const chance = new Chance(seed);
  const db = new FakeD1();
  makeSmallSite(db);
  const services: CmsServices = { db: db.binding, media: null, env: "env_main" };
  let number = 0;
  const contextOf = (session: string): Call["context"] => {
    number += 1;
    return {
      key: `${session}/c${number}`,
      call: `c${number}`,
      attempt: 1,
      at: Date.UTC(2026, 0, 2) + number * 1_000,
      signal: new AbortController().signal,
      approved: null,
      log: () => {},
      progress: () => {},
      spend: () => {},
      facts: { session, run: "r1", subject: "user:1" },
    };
  };
  /** As the loop does it: previewed once, then run with what was approved, as often as it takes. */
  const previewed = async ({ tool, input, context }: Call): Promise<() => Promise<unknown>> => {
    const { definition } = tool;
    const given = definition.input.parse(input);
    const whole = { ...context, services };
    const preview = await definition.preview?.(given, whole);
    const asked = preview?.need.kind === "ask";
    const approved = asked ? { approval: "ap_1", basis: preview.basis } : null;
    return () => definition.run(given, { ...whole, approved });
  };
  let deaths = 0;
  /** why the last call was refused */
  let refusal: string | null = null;
  let calls = 0;
  /** A call to its end: again with the same key after every death; null where it is refused. */
  const made = async (
    call: Call,
    death: { readonly at: number; readonly when: "before" | "after" } | null,
  ) => {
    calls += 1;
    refusal = null;
    let batches = 0;
    const outer = db.crossing;
    db.crossing = async (when) => {
      if (when === "before") batches += 1;
      await outer(when);
      if (death !== null && batches === death.at && when === death.when) throw new Death("the worker died");
    };
    let run: (() => Promise<unknown>) | null = null;
    try {
      run = await previewed(call);
      return { answer: await run(), call };
    } catch (error) {
      if (error instanceof ToolError && error.failure.code !== "unavailable") {
        refusal = error.failure.code;
        return null;
      }
      if (!(error instanceof Death || error instanceof ToolError) || run === null) throw error;
      deaths += 1;
    } finally {
      db.crossing = outer;
    }
    try {
      return { answer: await run(), call };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      refusal = error.failure.code;
      return null;
    }
  };

  const pageOf = (n: number) => ({
    name: `Page ${n}`,
    sections: [1, 2].map((at) => ({ template: "hero", content: { title: `Title ${n}.${at}` } })),
  });
  const watch = new Watch(db);
  for (const n of [1, 2, 3])
    await made({ tool: pageCreate, input: pageOf(n), context: contextOf("seed") }, null);
  const first = db.rows("SELECT id FROM pages WHERE kind='page'");
  await made(
    {
      tool: setStatus,
      input: { targets: first.map(({ id }) => ({ type: "page", ref: id })), to: "published" },
      context: contextOf("seed"),
    },
    null,
  );
  watch.begin();

  const ids = (table: string): string[] =>
    db.rows(`SELECT id FROM ${table} WHERE deleted_at IS NULL ORDER BY id`).map(({ id }) => String(id));
  const some = (all: readonly string[]): string => all[chance.below(all.length)] ?? "none";
  const page = (): string => some(ids("pages").filter((id) => id !== "pg_layout"));
  const edit = (): readonly [keyof typeof TOOLS, object] => {
    const n = (number += 1);
    switch (chance.below(10)) {
      case 0:
        return ["pageCreate", pageOf(100 + n)];
      case 1:
        return ["pageUpdate", { page: page(), name: `Name ${n}` }];
      case 2:
        // Few addresses, so that they are handed on.
        return ["pageUpdate", { page: page(), slug: `place-${chance.below(3)}` }];
      case 3:
        return ["sectionMove", { section: some(ids("sections")), position: 1 }];
      case 4:
        return [
          "navEdit",
          { ops: [{ op: "add", location: "header", label: `Item ${n}`, target: `page:${page()}` }] },
        ];
      case 5:
        return chance.once(3) ? ["pageDelete", { pages: [page()] }] : ["undo", {}];
      default: {
        const content = chance.once(2) ? { title: `Title ${n}` } : { subtitle: `Subtitle ${n}` };
        return ["sectionUpdate", { section: some(ids("sections")), content }];
      }
    }
  };
  /** Somebody else acts in the middle of a call, once: edits the site, or settles the set that is written into. */
  const between = (set: string | null): void => {
    let once = chance.once(3);
    const settles = set !== null && chance.once(4);
    db.crossing = async (when) => {
      watch.look(when);
      if (!once || when === "after") return;
      once = false;
      const [name, input] = edit();
      const call = settles
        ? {
            tool: chance.once(2) ? changesDiscard : changesPublish,
            input: { set },
            context: contextOf("other"),
          }
        : { tool: TOOLS[name] as AnyTool<CmsServices>, input, context: contextOf("other") };
      await watch.live(async () => made(call as Call, null));
    };
  };
  const death = () =>
    chance.once(3) ? { at: 1, when: chance.once(2) ? ("before" as const) : ("after" as const) } : null;

  for (let n = 0; n < ACTS; n++) {
    const context = contextOf("set");
    const set = watch.openSet("set");
    between(set);
    const what = chance.below(8);
    if (set === null) {
      if (what < 3) {
        watch.begun();
        await made({ tool: changesBegin, input: {}, context }, death());
      } else {
        const [name, input] = edit();
        await watch.live(async () =>
          made({ tool: TOOLS[name] as AnyTool<CmsServices>, input, context }, death()),
        );
      }
    } else if (what === 0) {
      const overwrite = chance.once(3) ? ids("sections") : undefined;
      await watch.publishing(
        set,
        overwrite !== undefined,
        async () =>
          made(
            {
              tool: changesPublish,
              input: overwrite === undefined ? {} : { overwrite: overwrite.slice(0, 50) },
              context,
            },
            death(),
          ),
        () => refusal,
      );
    } else if (what === 1 && chance.once(3))
      await made({ tool: changesDiscard, input: {}, context }, death());
    else {
      const [name, input] = edit();
      const tool = IN_SET[name];
      if (tool === undefined) continue;
      const done = await watch.collecting(set, async () => made({ tool, input, context }, death()));
      if (done === null || name !== "sectionUpdate" || watch.openSet("set") !== set) continue;
      const { section, content } = input as { section: string; content: Record<string, string> };
      watch.written(set, section, content);
    }
  }
  db.crossing = async () => {};
  await watch.end(
    async (key) =>
      (await made({ tool: undo, input: { operation: key }, context: contextOf("end") }, null)) !== null,
  );
  db.close();
  return { faults: watch.faults, deaths, published: watch.published, calls };
}
