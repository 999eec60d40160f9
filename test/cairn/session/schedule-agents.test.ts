import { expect, test } from "vitest";
import { defineAgent, type Agent, type AgentFault, type Agents } from "../../../src/cairn/agents/define.ts";
import { err, ok, type Result } from "../../../src/cairn/core/log/result.ts";
import type { EntryDraft } from "../../../src/cairn/core/log/entry.ts";
import type { Missed } from "../../../src/cairn/core/schedule.ts";
import { EMPTY_STATE } from "../../../src/cairn/core/state/state.ts";
import { newMeta } from "../../../src/cairn/session/commands/access.ts";
import { calendar } from "../../../src/cairn/session/background/cron.ts";
import { ScheduleStore, type Schedule } from "../../../src/cairn/session/background/schedules.ts";
import { readTargets } from "../../../src/cairn/session/runs/targets.ts";
import type { Standing } from "../../../src/cairn/session/runs/standing.ts";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import { NO_TARGETS, PLAIN_FILES, NO_TOOLS } from "../../fixtures/agents.ts";
import { SimDisk } from "../../../src/cairn/testing/disk.ts";

/**
 * Terms under which the run of a schedule is accepted: its agent and its site, which are stored elsewhere and read before it falls due,
 * because nothing is waited for then; and the rights that its maker has left.
 */

const NOW = 1_700_000_000_000;
const ADA = { subject: "ada", scopes: ["read", "send"], via: "http" } as const;
const AGENT = defineAgent({ description: "Stored.", tools: [] });

const SITE = { siteId: "site_main", environmentId: "env_staging" };

function open(
  found: (name: string) => Result<Agent, AgentFault>,
  targets = NO_TARGETS,
  standing?: Standing,
  model: string | null = "rehearsal:",
) {
  const loaded: string[] = [];
  const disk = new SimDisk(() => NOW);
  const store = new SqlStore(disk);
  const defaults = {
    session: "ses",
    model,
    fallbacks: [],
    messagesPerMinute: 60,
    admins: null,
    tools: NO_TOOLS,
    agents: agentsBy(found, loaded),
    targets,
    files: PLAIN_FILES,
    ...(standing === undefined ? {} : { standing }),
  };
  const schedules = new ScheduleStore(disk, { defaults, store, calendar, reportUnread: () => {} });
  const said: EntryDraft[] = [];
  const fall = (): void => {
    const append = (drafts: readonly EntryDraft[]) => {
      said.push(...drafts);
      return [];
    };
    schedules.fallDue({ at: NOW, state: EMPTY_STATE, append }, NOW);
  };
  return { store, schedules, said, fall, loaded };
}

const agentsBy = (find: Agents["find"], loaded: string[]): Agents => ({
  find,
  names: () => [],
  load: async (name) => void loaded.push(name),
});

const due = (id: string, agent: string | null, nextAt = NOW - 1): Schedule => ({
  id,
  text: "Look.",
  timing: { kind: "once", at: nextAt },
  catchUp: "once",
  nextAt,
  createdAt: 1,
  by: "ada",
  role: "member",
  agent,
  lastRun: null,
  missed: null,
});

test("the agents of what is due are loaded, those of the rest are not", async () => {
  const { store, schedules, loaded } = open(() => ok(AGENT));
  const load = async (): Promise<readonly string[]> => {
    await schedules.loadDue(NOW);
    return loaded.splice(0);
  };
  expect(await load()).toEqual([]);
  schedules.save(due("later", "night", NOW + 1));
  expect(await load()).toEqual([]);
  schedules.save(due("own", "writer"));
  schedules.save(due("plain", null));
  expect(await load()).toEqual(["writer", "default"]);
  store.saveMeta({ ...newMeta(ADA, NOW), agent: "editor" });
  expect(await load()).toEqual(["writer", "editor"]);
});

test("one for a site is said once the site was read, and only for who may use it", async () => {
  let members = ["ada"];
  const find = async () => ({ isOwn: false, members });
  let now = NOW;
  const sites = readTargets({ kinds: new Map([["site", { find }]]), clock: () => now, report: () => {} });
  const { store, schedules, said, fall } = open(() => ok(AGENT), sites);
  store.saveMeta({ ...newMeta(ADA, NOW), targets: { site: SITE } });
  schedules.save(due("own", "writer"));
  fall();
  expect([said, schedules.all()]).toEqual([[], [due("own", "writer")]]);
  await schedules.loadDue(NOW);
  fall();
  const queued = said.flatMap((entry) => (entry.kind === "run_queued" ? [entry.body.spec.targets] : []));
  expect([queued, schedules.all()]).toEqual([[{ site: SITE }], []]);
  members = [];
  now += 5_001;
  schedules.save(due("next", "writer"));
  await schedules.loadDue(NOW);
  fall();
  expect(schedules.all()).toEqual([
    {
      ...due("next", "writer"),
      nextAt: NOW + 60_000,
      missed: { at: NOW - 1, reason: "unknown_target" },
    },
  ]);
});

test("one whose agent nobody has read yet stays due, and is said when it has been", () => {
  let found: Result<Agent, AgentFault> = err({ kind: "unread" });
  const { schedules, said, fall } = open(() => found);
  schedules.save(due("own", "writer"));
  fall();
  expect([said, schedules.all()]).toEqual([[], [due("own", "writer")]]);
  found = ok(AGENT);
  fall();
  const queued = said.flatMap((entry) => (entry.kind === "run_queued" ? [entry.body.spec.agent] : []));
  expect([queued, schedules.all()]).toEqual([["writer"], []]);
});

test.each<[AgentFault, Missed["reason"]]>([
  [{ kind: "unknown" }, "unknown_agent"],
  [{ kind: "broken", issues: [] }, "invalid_agent"],
  [{ kind: "unavailable" }, "agents_unavailable"],
])("one whose agent is %o is missed, says why, and is tried again", (fault, reason) => {
  const { schedules, said, fall } = open(() => err(fault));
  schedules.save(due("own", "writer"));
  fall();
  expect(said).toEqual([]);
  expect(schedules.all()).toEqual([
    { ...due("own", "writer"), nextAt: NOW + 60_000, missed: { at: NOW - 1, reason } },
  ]);
});

const queuedOf = (said: readonly EntryDraft[]) =>
  said.flatMap((entry) => (entry.kind === "run_queued" ? [entry.body] : []));

test.each([
  ["member", "admin", "member"],
  ["admin", "member", "member"],
  ["member", "guest", "guest"],
  ["admin", "unknown", "admin"],
] as const)("one of a %s who is %s now runs as %s", (given, now, role) => {
  const asked: unknown[] = [];
  const standing: Standing = (subject, at) => (asked.push([subject, at]), now);
  const { schedules, said, fall } = open(() => ok(AGENT), NO_TARGETS, standing);
  schedules.save({ ...due("own", null), role: given });
  fall();
  expect(queuedOf(said)).toMatchObject([{ source: "schedule", actor: "ada", role }]);
  expect(asked).toEqual([["ada", NOW]]);
});

test("one whose maker's access has ended is missed, says so, and is tried again", () => {
  const { schedules, said, fall } = open(
    () => ok(AGENT),
    NO_TARGETS,
    () => null,
  );
  schedules.save(due("own", null));
  fall();
  expect([said, schedules.all()]).toEqual([
    [],
    [{ ...due("own", null), nextAt: NOW + 60_000, missed: { at: NOW - 1, reason: "access_ended" } }],
  ]);
});

test("one without a model is missed, says so, and keeps its beat", () => {
  const { schedules, said, fall } = open(() => ok(AGENT), NO_TARGETS, undefined, null);
  const every: Schedule = { ...due("own", null), timing: { kind: "interval", everyMs: 3_600_000 } };
  schedules.save(every);
  fall();
  expect([said, schedules.all()]).toEqual([
    [],
    [{ ...every, nextAt: NOW - 1 + 3_600_000, missed: { at: NOW - 1, reason: "model_unavailable" } }],
  ]);
});

test("one that a run made has the origin, the tools and the site of that run, and nothing else", async () => {
  const sites = readTargets({
    kinds: new Map([["site", { find: async () => ({ isOwn: false, members: ["ada"] }) }]]),
    clock: () => NOW,
    report: () => {},
  });
  const { schedules, said, fall } = open(() => ok(defineAgent({ description: "All." })), sites);
  const origin = { channel: "telegram", place: "7" } as const;
  schedules.save({ ...due("own", null), origin, tools: [], targets: { site: SITE } });
  await schedules.loadDue(NOW);
  fall();
  expect(queuedOf(said)).toMatchObject([{ origin, spec: { tools: [], targets: { site: SITE } } }]);
  schedules.save(due("plain", null));
  fall();
  const [, plain] = queuedOf(said);
  expect(plain).not.toHaveProperty("origin");
  expect(plain?.spec).not.toHaveProperty("targets");
  expect(plain?.spec.tools).not.toEqual([]);
});

/** A message of a run waits for no quiet hours where a person asked for it, and for that time. */
test.each<readonly [string, Partial<Schedule>, number | undefined]>([
  ["one time that a person has named", { wished: true }, NOW - 1],
  ["an interval", { wished: true, timing: { kind: "interval", everyMs: 3_600_000 } }, 1],
  ["one that no person asked for", {}, undefined],
])("%s was asked for at %j: %s", (_, more, askedAt) => {
  const { schedules, said, fall } = open(() => ok(AGENT));
  schedules.save({ ...due("own", null), ...more });
  fall();
  expect(queuedOf(said).map((body) => body.askedAt)).toEqual([askedAt]);
});
