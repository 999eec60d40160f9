import { defineAgent, type Agent } from "../../../src/cairn/agents/define.ts";
import type { Json, JsonObject } from "../../../src/cairn/core/log/json.ts";
import type { Model } from "../../../src/cairn/core/log/model.ts";
import { publishDueSets } from "../../../src/plugins/cms/changes/due-sets.ts";
import { cmsPack, imagesPack, servicesOf } from "../../../src/plugins/cms/pack.ts";
import { publishDue } from "../../../src/plugins/cms/schedule/due.ts";
import { ToolError, type AnyTool } from "../../../src/cairn/tools/define.ts";
import type { CmsContext, CmsServices } from "../../../src/plugins/cms/model/types.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";
import { resolved, type Call, type Difference, type Task } from "../format.ts";
import type { Deaths } from "./deaths.ts";
import { difference } from "./difference.ts";
import { instructionsOf, modelOf, valueAt, wishRun, type Mind } from "./mind.ts";
import { Names } from "./names.ts";
import { sampleSite, TASK_BEGINS_AT, type Site } from "./sample.ts";
import { readState } from "./state.ts";
import { Witness } from "./witness.ts";

/** One play of a task through the real loop: session, guards, approvals, tools, database. */
export interface Played {
  readonly difference: Difference;
  /** what became of each call of the wish's run, in order */
  readonly calls: readonly string[];
  /** what must hold at every batch, and did not */
  readonly faults: readonly string[];
  /** what visitors saw, one view after the other, and all rows that no task names */
  readonly traces: string;
  readonly deaths: number;
  /** the answer that the person read */
  readonly answer: string;
  readonly outcome: string;
}

const TURNS_MAX = 400;
/** alarms further ahead wait for a person */
const PATIENCE_MS = 60_000;
const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const ANSWER = "Decide as you think best.";

const AGENT = defineAgent({
  description: "Works on the site.",
  tools: ["pack:cms", "pack:images"],
});

/** A session of the deployment's agent, whose tools work on a site of its own. */
class SitePlatform extends FakePlatform {
  constructor(model: Model, { bindings }: Site, mind: Mind) {
    super(model);
    this.now = TASK_BEGINS_AT;
    // Rules cannot read a summary (src/cairn/session/session.ts).
    this.transcript = typeof mind === "object" ? "compact" : "none";
    this.own = (tools) => tools.add(cmsPack, bindings).add(imagesPack, bindings);
    this.restart();
  }

  override agent(): Agent {
    return AGENT;
  }

  override instructions(modules: readonly string[] = []): string {
    return instructionsOf(modules);
  }
}

export async function playTask(task: Task, mind: Mind, deaths: Deaths): Promise<Played> {
  const site = await sampleSite();
  const names = new Names();
  readState(site.db, names);
  const started: Json[] = [];
  for (const call of task.start ?? []) started.push(await startCall(site, call, started));
  const before = readState(site.db, names);
  const platform: SitePlatform = new SitePlatform(
    modelOf(task, mind, (run, call) => resultOf(platform, run, call), started),
    site,
    mind,
  );
  const witness = new Witness(site.db);
  platform.cross = (where) => deaths.cross(where);
  site.db.crossing = async (when) => {
    if (when === "after") witness.look();
    deaths.cross(`batch: ${when}`);
  };
  const life = new Life(task, platform, deaths, typeof mind === "object" ? mind.model : "rehearsal:");
  for (const { wish } of task.earlier ?? []) await life.say(wish);
  for (const call of task.meanwhile ?? []) started.push(await startCall(site, call, started, platform.now));
  deaths.begin();
  await life.say(task.wish);
  if (task.time !== undefined) await life.passTo(Date.parse(task.time), site);
  deaths.end();
  const run = `r${wishRun(task)}`;
  const played: Played = {
    difference: difference(before, readState(site.db, names)),
    calls: platform.log.flatMap((entry) =>
      entry.kind === "call_settled" && entry.body.call.startsWith(`${run}s`)
        ? [becameOf(entry.body.status, entry.body.failure?.code)]
        : [],
    ),
    faults: witness.faults,
    traces: witness.traces(),
    deaths: deaths.count,
    answer: platform.log.flatMap((entry) => (entry.kind === "answer" ? [entry.body.text] : [])).at(-1) ?? "",
    outcome:
      platform.log.flatMap((entry) => (entry.kind === "run_ended" ? [entry.body.outcome] : [])).at(-1) ??
      "none",
  };
  site.db.crossing = async () => {};
  platform.cross = () => {};
  platform.disk.close();
  site.db.close();
  return played;
}

const becameOf = (status: string, code: string | undefined): string =>
  status === "ok" ? "ok" : status === "denied" ? "denied" : (code ?? status);

/** Result of a call, read from the log. */
function resultOf(platform: FakePlatform, run: number, call: number): Json {
  const settled = platform.log.filter(
    (entry) => entry.kind === "call_settled" && entry.body.call.startsWith(`r${run}s`),
  )[call - 1];
  if (settled?.kind !== "call_settled") throw new Error(`there is no call ${call} in the run ${run}`);
  return JSON.parse(settled.body.observation) as Json;
}

/** The person and the clock around a session. Whatever dies stands up again, and is asked again. */
class Life {
  readonly #task: Task;
  readonly #platform: FakePlatform;
  readonly #deaths: Deaths;
  readonly #model: string;
  readonly #asked: string[] = [];
  #messages = 0;

  constructor(task: Task, platform: FakePlatform, deaths: Deaths, model: string) {
    this.#task = task;
    this.#platform = platform;
    this.#deaths = deaths;
    this.#model = model;
  }

  /** Says it, and lives on until the session has come to rest. */
  async say(text: string): Promise<void> {
    const platform = this.#platform;
    const id = `m${(this.#messages += 1)}`;
    const isSaid = (): boolean =>
      platform.log.some((entry) => entry.kind === "user_message" && entry.body.id === id);
    while (!isSaid())
      await this.#alive(() => {
        platform.service.admitOrCreate(ADA);
        platform.say(text, { id, model: this.#model });
      });
    for (let turn = 0; turn < TURNS_MAX; turn++) {
      const { run, queue } = platform.state;
      const { alarm } = platform.disk;
      const at = run?.phase.at;
      if (at === "waiting_approval" || at === "waiting_human") await this.#alive(() => this.#person());
      else if (alarm !== null && (run !== null || alarm <= platform.now + PATIENCE_MS)) {
        platform.now = Math.max(platform.now, alarm);
        await this.#alive(() => platform.fire());
      } else if (run === null && queue.length === 0) return;
      else await this.#alive(() => platform.engine.restoreAlarm());
    }
    throw new Error(`${this.#task.id} does not come to an end`);
  }

  /** The time comes, and with it the pass that a cron trigger starts (src/worker.ts). */
  async passTo(now: number, { bindings }: Site): Promise<void> {
    const { DB: db } = bindings;
    if (db === undefined) return;
    for (let pass = 0; pass < TURNS_MAX; pass++) {
      const deaths = this.#deaths.count;
      await this.#alive(async () => {
        await publishDue(db, now);
        await publishDueSets(db, now);
      });
      if (this.#deaths.count === deaths) return;
    }
  }

  /** Does it; an isolate that died meanwhile stands up again. */
  async #alive(act: () => unknown): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    if (this.#deaths.isDead) {
      this.#deaths.revive();
      this.#platform.restart();
    }
  }

  async #person(): Promise<void> {
    const phase = this.#platform.state.run?.phase;
    if (phase?.at === "waiting_human") {
      const value = this.#task.answer ?? ANSWER;
      await this.#platform.api.answer(
        { subject: "ada", scopes: ["read", "send", "approve"], via: "http" },
        { runId: null, question: null, value },
      );
    }
    if (phase?.at !== "waiting_approval") return;
    const { approval } = phase.approval;
    if (!this.#asked.includes(approval)) this.#asked.push(approval);
    const { decisions = ["yes"] } = this.#task;
    // Those of what the session did earlier are not the task's.
    const isEarlier = this.#messages <= (this.#task.earlier?.length ?? 0);
    const own = this.#asked.length - 1 - this.#earlierAsked;
    const decision = isEarlier ? "yes" : (decisions[own] ?? decisions.at(-1) ?? "yes");
    if (isEarlier) this.#earlierAsked = this.#asked.length;
    if (decision === "yes") this.#platform.decide("approve");
    else this.#platform.decide("deny", "No, leave that as it is.");
  }

  #earlierAsked = 0;
}

const TOOLS = new Map(
  [...cmsPack.tools, ...imagesPack.tools].map((tool) => [tool.definition.name, tool as AnyTool<CmsServices>]),
);
const STARTED_BY = "user:grace";

/** A call of somebody else, in a session of their own, approved where that is needed. */
async function startCall(
  { bindings }: Site,
  call: Call,
  started: readonly Json[],
  after = TASK_BEGINS_AT - 86_400_000,
): Promise<Json> {
  const [name, given, becomes = "ok"] = call;
  const tool = TOOLS.get(name);
  const services = servicesOf(bindings);
  if (tool === undefined || services === null) throw new Error(`there is no tool ${name}`);
  const { definition } = tool;
  const lookUp = (_list: string, index: number, keys: readonly string[]): Json =>
    valueAt(started[index - 1] ?? null, keys);
  const input = definition.input.parse(resolved(given, lookUp) as JsonObject);
  const number = started.length + 1;
  const context: CmsContext = {
    key: `grace/c${number}`,
    call: `c${number}`,
    attempt: 1,
    at: after + number * 60_000,
    signal: new AbortController().signal,
    services,
    approved: null,
    log: () => {},
    progress: () => {},
    spend: () => {},
    facts: { session: "grace", run: "r1", subject: STARTED_BY },
  };
  try {
    const preview = await definition.preview?.(input, context);
    const approved = preview?.need.kind === "ask" ? { approval: "ap_1", basis: preview.basis } : null;
    const output = await definition.run(input, { ...context, approved });
    return JSON.parse(JSON.stringify(output)) as Json;
  } catch (error) {
    if (error instanceof ToolError && error.failure.code === becomes) return null;
    throw error;
  }
}
