import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../../src/cairn/core/log/digest.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import { attack, ATTACK_FAMILIES, expanded, type Attack, type Deed } from "../../corpus/attack-format.ts";
import { checkPlatform } from "../invariants/invariants.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

const attacks = readFileSync(path.join(import.meta.dirname, "../../corpus/attacks.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => attack.parse(JSON.parse(line)));

/** Parts that exist; a scenario that needs another one waits for it. */
const BUILT: ReadonlySet<string> = new Set<string>(["taint"]);
const waiting = attacks.filter(({ needs }) => needs !== undefined && !BUILT.has(needs));
const played = attacks.filter((scenario) => !waiting.includes(scenario));

const ACTORS: Readonly<Record<"ada" | "mallory" | "reader" | "root", Actor>> = {
  ada: { subject: "ada", scopes: ["read", "send", "approve"], via: "http" },
  mallory: { subject: "mallory", scopes: ["read", "send", "approve"], via: "http" },
  root: { subject: "ada", scopes: ["admin"], via: "http" },
  reader: { subject: "ada", scopes: ["read", "send"], via: "http" },
};

async function perform(platform: FakePlatform, deed: Deed, n: number): Promise<void> {
  switch (deed.do) {
    case "say": {
      const parts = [{ type: "text", text: deed.text }] as const;
      const said = await platform.api.send(ACTORS[deed.who ?? "ada"], {
        id: `deed${n}`,
        parts,
        mode: deed.mode ?? null,
        source: deed.source ?? "api",
        request: null,
        ask: {},
      });
      expect(said.ok ? undefined : said.error.code).toBe(deed.refused);
      break;
    }
    case "decide": {
      const phase = platform.state.run?.phase;
      const open = phase?.at === "waiting_approval" ? phase.approval.approval : "none";
      if (deed.if_open === true && open === "none") return;
      const decided = await platform.api.decide(ACTORS[deed.who ?? "ada"], {
        approval: deed.approval ?? open,
        decision: deed.decision,
        reason: null,
        digest: deed.digest ?? null,
        args: deed.args ?? null,
      });
      expect(decided.ok ? undefined : decided.error.code).toBe(deed.refused);
      break;
    }
    case "cancel":
      platform.cancel("enough");
      break;
    case "restart":
      platform.restart();
      break;
    case "wait":
      await platform.settle(deed.ms);
      break;
  }
}

async function play(scenario: Attack): Promise<FakePlatform> {
  const script = scenario.script.map((line) => expanded(line as unknown as Json) as unknown as Line);
  const platform = new FakePlatform(script);
  platform.protect(scenario.secrets ?? []);
  platform.effects.bulk = scenario.outputs?.["bulk"] ?? "";
  platform.effects.outside = scenario.outputs?.["outside"] ?? "";
  const { said: text, who, source } = scenario;
  await perform(
    platform,
    { do: "say", text, ...(who === undefined ? {} : { who }), ...(source === undefined ? {} : { source }) },
    0,
  );
  await platform.settle();
  for (const [n, deed] of (scenario.deeds ?? []).entries()) {
    await perform(platform, deed, n + 1);
    await platform.settle();
  }
  return platform;
}

const CHANGES: ReadonlySet<string> = new Set([
  "put",
  "send",
  "publish",
  "fetch_out",
  "mail",
  "reset",
  "drop",
]);

/** External changes in order, each effect once however often it was tried. */
function changesOf(platform: FakePlatform): string[] {
  const began = platform.begun.filter((effect) => effect.what === "tool" && CHANGES.has(effect.tool ?? ""));
  const first = new Map(began.map((effect) => [effect.effect, `${effect.tool} ${effect.args}`]));
  return [...first.values()];
}

function heldOf(platform: FakePlatform): number {
  const ran = new Set(platform.begun.flatMap((effect) => (effect.what === "tool" ? [effect.effect] : [])));
  return platform.log.filter((entry) => entry.kind === "call_settled" && !ran.has(entry.body.call)).length;
}

/** Everything that anyone could read of it. Pieces of one streamed text are read as one. */
function visible(platform: FakePlatform): string {
  const drafts = Map.groupBy(platform.drafts, ({ step, attempt, part }) => `${step} ${attempt} ${part}`);
  return [
    platform.disk.dump(),
    JSON.stringify(platform.requests),
    JSON.stringify(platform.published),
    ...[...drafts.values()].map((pieces) => pieces.map((piece) => piece.text).join("")),
  ].join("\n");
}

describe("attacks", () => {
  test.each(played.map((scenario) => [`${scenario.id}: ${scenario.about}`, scenario] as const))(
    "%s",
    async (_name, scenario) => {
      const platform = await play(scenario);
      const { forbidden, effects, held, hidden, rest } = scenario.expect;
      const begun = platform.begun.flatMap((effect) => (effect.what === "tool" ? [effect.tool] : []));
      expect(forbidden.filter((tool) => begun.includes(tool))).toEqual([]);
      const allowed = effects.map(([tool, args]) => `${tool} ${digestOf(expanded(args as Json))}`);
      expect(changesOf(platform)).toEqual(allowed);
      expect(platform.effects.once.length).toBe(effects.filter(([tool]) => tool === "send").length);
      expect(platform.effects.keyed.size).toBe(effects.filter(([tool]) => tool !== "send").length);
      expect(heldOf(platform)).toBeGreaterThanOrEqual(held);
      const read = visible(platform);
      expect((hidden ?? []).filter((text) => read.includes(text))).toEqual([]);
      const at = platform.state.run === null ? "ended" : platform.state.run.phase.at;
      const rests = { ended: ["ended"], person: ["waiting_approval"], either: ["ended", "waiting_approval"] };
      expect(rests[rest]).toContain(at);
      // A run that waits for a person is open: it has calls without a result, and messages queued behind it.
      const open = [
        "every run ends exactly once",
        "every call has exactly one result",
        "every accepted message is read, or visibly ended",
      ];
      // These speak as a schedule would that nobody has made.
      const unmade = "a schedule speaks at its own times, in the words and the name of whoever made it";
      const broken = checkPlatform(platform).filter((rule) => rule !== unmade);
      expect(broken.filter((rule) => at === "ended" || !open.includes(rule))).toEqual([]);
    },
  );

  test("are at least seventy, of every family, and few wait for what is not built", () => {
    const names = waiting.map(({ id, needs }) => `${id} (${needs})`).join(", ");
    console.log(`attacks: ${played.length} played, ${waiting.length} wait: ${names}`);
    expect(attacks.length).toBeGreaterThanOrEqual(70);
    expect(played.length).toBeGreaterThanOrEqual(60);
    expect(new Set(attacks.map(({ id }) => id)).size).toBe(attacks.length);
    expect(attacks.filter(({ id, family }) => !id.startsWith(`${family}-`))).toEqual([]);
    expect(new Set(attacks.map(({ family }) => family))).toEqual(new Set(ATTACK_FAMILIES));
  });

  test("could not succeed unseen: with a person's yes the same call has its effect", async () => {
    const scenario = attacks.find(({ id }) => id === "claimed_approval-001");
    if (scenario === undefined) throw new Error("the scenario is gone");
    const approved: Attack = {
      ...scenario,
      script: [{ calls: [["publish", { name: "a" }]] }, { text: "It is public." }],
      deeds: [{ do: "decide", decision: "approve" }],
    };
    expect(changesOf(await play(approved))).toEqual([`publish ${digestOf({ name: "a" })}`]);
  });
});
