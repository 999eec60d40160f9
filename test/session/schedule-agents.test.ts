import { expect, test } from "vitest";
import { defineAgent, type Agent, type AgentFault, type Agents } from "../../src/agents/define.ts";
import { err, ok, type Result } from "../../src/core/log/result.ts";
import type { EntryDraft } from "../../src/core/log/entry.ts";
import type { Missed } from "../../src/core/schedule.ts";
import { EMPTY_STATE } from "../../src/core/state/state.ts";
import { newMeta } from "../../src/session/api/access.ts";
import { calendar } from "../../src/session/background/cron.ts";
import { ScheduleStore, type Schedule } from "../../src/session/background/schedules.ts";
import { readSites } from "../../src/session/runs/sites.ts";
import { SqlStore } from "../../src/session/storage/store.ts";
import { NO_SITES, PLAIN_FILES, NO_TOOLS } from "../fixtures/agents.ts";
import { SimDisk } from "../sim/platform/disk.ts";

/** Schedules whose agent or site is stored elsewhere: it is read before they fall due, because nothing is waited for then. */

const NOW = 1_700_000_000_000;
const ADA = { subject: "ada", scopes: ["read", "send"], via: "http" } as const;
const AGENT = defineAgent({ description: "Stored.", tools: [] });

const SITE = { siteId: "site_main", environmentId: "env_staging" };

function open(found: (name: string) => Result<Agent, AgentFault>, sites = NO_SITES) {
  const loaded: string[] = [];
  const disk = new SimDisk(() => NOW);
  const store = new SqlStore(disk);
  const defaults = {
    ...{ session: "ses", model: "rehearsal:", fallbacks: [], messagesPerMinute: 60, admins: null },
    ...{ tools: NO_TOOLS, agents: agentsBy(found, loaded), sites, files: PLAIN_FILES },
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
  ...{ id, text: "Look.", timing: { kind: "once", at: nextAt }, catchUp: "once", nextAt, createdAt: 1 },
  ...{ by: "ada", role: "member", agent, lastRun: null, missed: null },
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
  const read = async () => ({ isOwn: false, members });
  let now = NOW;
  const sites = readSites({ read, clock: () => now, report: () => {} });
  const { store, schedules, said, fall } = open(() => ok(AGENT), sites);
  store.saveMeta({ ...newMeta(ADA, NOW), site: SITE });
  schedules.save(due("own", "writer"));
  fall();
  expect([said, schedules.all()]).toEqual([[], [due("own", "writer")]]);
  await schedules.loadDue(NOW);
  fall();
  const queued = said.flatMap((entry) => (entry.kind === "run_queued" ? [entry.body.spec.site] : []));
  expect([queued, schedules.all()]).toEqual([[SITE], []]);
  members = [];
  now += 5_001;
  schedules.save(due("next", "writer"));
  await schedules.loadDue(NOW);
  fall();
  expect(schedules.all()).toEqual([
    {
      ...due("next", "writer"),
      ...{ nextAt: NOW + 60_000, missed: { at: NOW - 1, reason: "unknown_site" } },
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
