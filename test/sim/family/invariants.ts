import * as z from "zod";
import type { Share } from "../../../src/cairn/core/log/child.ts";
import { asKind, type Entry, type EntryKind } from "../../../src/cairn/core/log/entry.ts";
import type { Usage } from "../../../src/cairn/core/log/model.ts";
import { checkPlatform, endingOf } from "../invariants/invariants.ts";
import { OUTSIDE, OWN, REACHING } from "../invariants/effects.ts";
import type { FakePlatform } from "../platform/platform.ts";
import type { World } from "./world.ts";

/** A session of a tree at the end of its play. */
interface Seen {
  readonly name: string;
  readonly platform: FakePlatform;
  readonly log: readonly Entry[];
}

/** The run of a child, with the call and the run that have started it. */
interface Kin {
  readonly child: Seen;
  readonly parent: Seen;
  readonly queued: Entry<"run_queued">;
  readonly call: string;
}

type TreeRule = (tree: readonly Seen[], kin: readonly Kin[]) => boolean;

/** as docs/agents.md says it, not as the product reads it */
const DEPTH_MAX = 3;
const CHILDREN_MAX = 10;
const SESSIONS_MAX = 50;
/** why a report was made without the child */
const LOST: ReadonlySet<string> = new Set(["child_lost", "child_deleted"]);
/** by when whoever is stopped has heard, if its isolate lives */
const STOP_MS = 60_000;
const AMOUNTS = ["steps", "activeMs", "toolCalls", "messages", "tokens", "cost"] as const;

function of<Kind extends EntryKind>(log: readonly Entry[], kind: Kind): readonly Entry<Kind>[] {
  return log.flatMap((entry) => asKind(entry, kind) ?? []);
}

const tokensOf = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;

const runOfCall = (call: string): string => call.split("s", 1)[0] ?? "";

/** Share reserved by a call, from its first attempt. */
const shareOf = ({ parent, call }: Kin): Share | undefined =>
  of(parent.log, "call_intended").find(({ body }) => body.call === call)?.body.share;

const reportsOf = ({ parent, call }: Kin): readonly Entry<"child_reported">[] =>
  of(parent.log, "child_reported").filter(({ body }) => body.call === call);

const isStopped = ({ parent, call }: Kin): boolean =>
  of(parent.log, "child_stopped").some(({ body }) => body.call === call) ||
  of(parent.log, "run_ended").some(({ run }) => run === runOfCall(call));

const endOf = ({ child, queued }: Kin): Entry<"run_ended"> | undefined =>
  of(child.log, "run_ended").find(({ run }) => run === queued.run);

/** Settled before it started anything. */
const isRefused = (log: readonly Entry[], call: string): boolean =>
  of(log, "call_settled").some(({ body }) => body.call === call && body.status !== "unknown") &&
  !of(log, "call_deferred").some(({ body }) => body.call === call);

/** Final limits of a run: those from its start, or the last ones that it was given. */
function limitsOf(log: readonly Entry[], run: string | null, until = Infinity): Share | null {
  const own = log.filter((entry) => entry.run === run && entry.seq <= until);
  const begun = of(own, "run_started")[0];
  const given = own.flatMap((entry) =>
    (entry.kind === "verdict" || entry.kind === "command_queued") && entry.body.limits !== undefined
      ? [entry.body.limits]
      : [],
  );
  const limits = given.at(-1) ?? begun?.body.limits;
  return limits === undefined ? null : { ...limits, sessions: 0 };
}

/** Counted from the entries: what a run has used itself by then, of what its log tells exactly. */
function ownCounts(log: readonly Entry[], run: string | null, until = Infinity) {
  const own = log.filter((entry) => entry.run === run && entry.seq <= until);
  const steps = new Set(of(own, "step_started").map(({ step }) => step)).size;
  const calls = of(own, "call_intended").map(({ body }) => body.call);
  return { steps, toolCalls: new Set(calls).size };
}

const TREE: Readonly<Record<string, TreeRule>> = {
  "a call starts one child, and a child one run": (tree, kin) =>
    tree.every(({ name, log }) => {
      const queued = of(log, "run_queued").filter(({ body }) => body.parent !== undefined);
      if (!name.includes("~")) return queued.length === 0;
      // A session that was only stopped has no queued run.
      return queued.length <= 1 && of(log, "run_queued").length === queued.length;
    }) && kin.every((one) => of(one.parent.log, "call_intended").some(({ body }) => body.call === one.call)),
  "a child reports once to its call": (tree, kin) =>
    tree.every(({ log }) => {
      const told = of(log, "child_reported").map(({ body }) => body.call);
      const begun = new Set(of(log, "call_deferred").map(({ body }) => body.call));
      return new Set(told).size === told.length && told.every((call) => begun.has(call));
    }) &&
    kin.every((one) => {
      const deferred = of(one.parent.log, "call_deferred").some(({ body }) => body.call === one.call);
      return !deferred || reportsOf(one).length === 1 || isStopped(one);
    }),
  "a report says what the child came to": (_tree, kin) =>
    kin.every((one) =>
      reportsOf(one).every(({ body }) => {
        if (LOST.has(body.reason ?? "")) return true;
        const end = endOf(one);
        const answer = of(one.child.log, "answer").findLast(({ run }) => run === one.queued.run);
        return end?.body.outcome === body.outcome && (answer?.body.text ?? "") === body.answer;
      }),
    ),
  "no child is given more than its share, nor uses more": (_tree, kin) =>
    kin.every((one) => {
      const share = shareOf(one);
      const limits = limitsOf(one.child.log, one.queued.run);
      if (share === undefined) return false;
      const within = limits === null || AMOUNTS.every((part) => limits[part] <= share[part]);
      const used = ownCounts(one.child.log, one.queued.run);
      return within && used.steps <= share.steps && used.toolCalls <= share.toolCalls;
    }),
  "the budgets of a tree add up": (tree, kin) =>
    tree.every(({ log }) =>
      of(log, "run_ended").every((ended) => {
        const { tree: whole, usage } = ended.body;
        const own = log.filter(({ run, seq }) => run === ended.run && seq < ended.seq);
        const reports = of(own, "child_reported").map(({ body }) => body);
        if (whole === undefined) return reports.length === 0;
        const steps =
          ownCounts(log, ended.run).steps + reports.reduce((sum, { used }) => sum + used.steps, 0);
        const tokens = reports.reduce((sum, report) => sum + tokensOf(report.usage), tokensOf(usage));
        // A child that was stopped or may still be running has reported no usage: charge its whole share.
        const told = new Set(reports.map(({ call }) => call));
        const held = of(own, "call_intended").flatMap(({ body }) =>
          body.share === undefined || body.attempt > 1 || told.has(body.call) || isRefused(own, body.call)
            ? []
            : [body.share.steps],
        );
        const all = held.reduce((sum, one) => sum + one, steps);
        return whole.used.steps === all && tokensOf(whole.usage) === tokens;
      }),
    ) &&
    kin.every((one) =>
      reportsOf(one).every(({ body }) => {
        if (LOST.has(body.reason ?? "")) return true;
        const ended = endOf(one);
        // A child that was stopped before it began has used nothing.
        const { steps = 0, tokens = 0 } = ended?.body.tree?.used ?? {};
        return ended !== undefined && steps === body.used.steps && tokens === body.used.tokens;
      }),
    ),
  "what is set aside for children and what is used fit into a run": (tree) =>
    tree.every(({ log }) =>
      of(log, "call_intended").every(({ seq, run, body }) => {
        if (body.share === undefined) return true;
        const limits = limitsOf(log, run, seq);
        if (limits === null) return false;
        const own = ownCounts(log, run, seq);
        const reported = new Map(
          of(log, "child_reported").flatMap((entry) =>
            entry.seq <= seq ? [[entry.body.call, entry.body.used] as const] : [],
          ),
        );
        const shares = new Map(
          of(log, "call_intended").flatMap((entry) =>
            entry.run === run && entry.seq <= seq && entry.body.share !== undefined
              ? [[entry.body.call, entry.body.share] as const]
              : [],
          ),
        );
        const failed = new Set(
          of(log, "call_settled").flatMap((entry) =>
            entry.seq <= seq && entry.body.status !== "unknown" ? [entry.body.call] : [],
          ),
        );
        const deferred = new Set(of(log, "call_deferred").map((entry) => entry.body.call));
        return (["steps", "toolCalls"] as const).every((part) => {
          const below = [...shares].reduce((sum, [call, share]) => {
            const gone = failed.has(call) && !deferred.has(call);
            return sum + (gone ? 0 : (reported.get(call) ?? share)[part]);
          }, 0);
          return own[part] + below <= limits[part];
        });
      }),
    ),
  "no tree is deeper, wider or larger than it may be": (tree, kin) =>
    kin.every(
      ({ child, queued }) =>
        (queued.body.parent?.depth ?? 0) <= DEPTH_MAX && child.name.split("~").length - 1 <= DEPTH_MAX,
    ) &&
    tree.every(({ name, log }) => {
      const started = new Map<string, number>();
      for (const { body } of of(log, "call_deferred"))
        started.set(runOfCall(body.call), (started.get(runOfCall(body.call)) ?? 0) + 1);
      const below = kin.filter((one) => one.child.name.startsWith(`${name}~`)).length;
      return [...started.values()].every((count) => count <= CHILDREN_MAX) && below < SESSIONS_MAX;
    }),
  "every run of a tree ends, and nobody waits for what is over": (tree) =>
    tree.every(({ platform }) => {
      const { run, queue } = platform.state;
      return run === null && queue.length === 0;
    }),
  "a stop reaches all that is below": (_tree, kin) =>
    kin.every((one) => {
      const above = of(one.parent.log, "run_ended").find(({ run }) => run === runOfCall(one.call));
      if (above === undefined) return true;
      const end = endOf(one);
      // Children with a report ended earlier; the others receive the stop at once, and again if it was lost.
      return end !== undefined && (end.body.class === "cancelled" || end.at <= above.at + STOP_MS);
    }),
  "a run that has answered has heard all that it has started": (tree) =>
    tree.every(({ log }) =>
      of(log, "run_ended").every(({ run, seq, body }) => {
        const told = of(log, "child_reported").filter((entry) => entry.seq < seq);
        // Those that are stopped with it stand behind its answer.
        const answered = of(log, "answer").find((entry) => entry.run === run)?.seq ?? seq;
        const stopped = of(log, "child_stopped").filter((entry) => entry.seq < answered);
        const heard = new Set([...told, ...stopped].map((entry) => entry.body.call));
        const deferred = of(log, "call_deferred").filter((entry) => entry.run === run);
        return body.class !== "answered" || deferred.every((entry) => heard.has(entry.body.call));
      }),
    ),
  "no approval is left without an end": (tree) =>
    tree.every(({ log }) =>
      of(log, "approval_requested").every(({ body }) =>
        log.some(
          (entry) =>
            (entry.kind === "approval_decided" && entry.body.approval === body.approval) ||
            (entry.kind === "call_settled" && entry.body.call === body.call),
        ),
      ),
    ),
  "a decision is of the session that asked": (tree) =>
    tree.every(({ log }) =>
      of(log, "approval_decided").every(({ body, seq }) =>
        of(log, "approval_requested").some(
          (asked) =>
            asked.body.approval === body.approval && asked.body.call === body.call && asked.seq < seq,
        ),
      ),
    ),
  "a child belongs to whoever its root belongs to": (tree, kin) => {
    const owners = new Set(kin.map(({ child }) => child.platform.store.loadMeta()?.owner ?? null));
    const root = tree.find(({ name }) => !name.includes("~"))?.platform.store.loadMeta()?.owner ?? null;
    return [...owners].every((owner) => owner === root);
  },
  "a child may do no more than its parent": (_tree, kin) =>
    kin.every(({ child, parent, queued, call }) => {
      const begun = of(parent.log, "run_started").find(({ run }) => run === runOfCall(call));
      const granted = new Set(begun?.body.grant.map(({ tool }) => tool));
      const queuedParent = of(parent.log, "run_queued").find(({ run }) => run === runOfCall(call));
      const gates = Object.entries(queuedParent?.body.spec.gates ?? {});
      const { votes } = queued.body.spec;
      const above = queuedParent?.body.spec.votes;
      const asked = of(parent.log, "model_replied")
        .flatMap(({ body }) => body.calls)
        .find((one) => one.call === call)?.input;
      const named = z.object({ tools: z.array(z.string()) }).safeParse(asked);
      return (
        of(child.log, "run_started").every(({ body }) => body.grant.every(({ tool }) => granted.has(tool))) &&
        child.platform.begun.every(({ what, tool }) => what !== "tool" || granted.has(tool ?? "")) &&
        votes.needed >= (above?.needed ?? 1) &&
        (!named.success ||
          child.platform.begun.every(({ tool }) => named.data.tools.includes(tool ?? "look"))) &&
        (queued.body.approvers ?? []).join() === (queuedParent?.body.approvers ?? []).join() &&
        gates.every(([tool, gate]) => [gate, "deny"].includes(queued.body.spec.gates[tool] ?? ""))
      );
    }),
  "what a child has read its parent has read": (_tree, kin) =>
    kin.every((one) => {
      const read = of(one.child.log, "call_settled").some(
        ({ body }) => OUTSIDE.has(body.tool) && body.status === "ok",
      );
      return !read || reportsOf(one).every(({ body }) => body.tainted || LOST.has(body.reason ?? ""));
    }),
  "nothing reaches outside unasked after a child has read there": (tree) =>
    tree.every(({ platform, log }) =>
      platform.begun.every(({ what, tool, effect, head }) => {
        if (what !== "tool" || !REACHING.has(tool ?? "")) return true;
        const before = log.slice(0, head);
        const own = of(before, "call_settled").some(({ body }) => OWN.has(body.tool) && body.status === "ok");
        const told = of(before, "child_reported").some(
          ({ body, run }) => body.tainted && run === runOfCall(effect),
        );
        const allowed = of(before, "approval_decided").some(
          ({ body }) => body.call === effect && (body.decision === "approve" || body.decision === "edit"),
        );
        return !own || !told || allowed;
      }),
    ),
};

/** Names of the rules of trees, and of every rule that holds of each of its sessions. */
export const TREE_INVARIANTS: readonly string[] = Object.keys(TREE);

function seenOf(world: World): readonly Seen[] {
  return world.names.map((name) => {
    const platform = world.session(name);
    return { name, platform, log: platform.log };
  });
}

function kinOf(tree: readonly Seen[]): readonly Kin[] {
  return tree.flatMap((child) =>
    of(child.log, "run_queued").flatMap((queued) => {
      const { parent: by } = queued.body;
      const parent = by === undefined ? undefined : tree.find(({ name }) => name === by.session);
      return by === undefined || parent === undefined ? [] : [{ child, parent, queued, call: by.call }];
    }),
  );
}

/** Names of the rules that the tree breaks, those of its sessions among them. */
export function checkTree(world: World): readonly string[] {
  const tree = seenOf(world);
  const kin = kinOf(tree);
  const broken = new Set(Object.entries(TREE).flatMap(([name, holds]) => (holds(tree, kin) ? [] : [name])));
  // Deleted sessions have no log left to check.
  for (const { platform, log } of tree.filter((one) => one.log.length > 0))
    for (const rule of checkPlatform(platform, null, log)) broken.add(rule);
  return [...broken, ...world.faults];
}

/** How all of it ended, for one play to be held against another. */
export function treeEndingOf(world: World): { readonly all: string; readonly unknown: boolean } {
  const endings = seenOf(world)
    .filter(({ log }) => log.length > 0)
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name, platform, log }) => ({ name, ...endingOf(platform, log) }));
  return {
    all: JSON.stringify(endings.map(({ name, all }) => [name, inAnyOrder(all)])),
    unknown: endings.some(({ unknown }) => unknown),
  };
}

/** Children that work side by side report in any order. */
function inAnyOrder(ending: string): unknown {
  // When a session was made is in its keys.
  const [entries, ...rest] = JSON.parse(ending.replace(/@\d+\//g, "/")) as [unknown[], ...unknown[]];
  return [entries.map((entry) => JSON.stringify(entry)).toSorted(), ...rest];
}
