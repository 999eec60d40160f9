import { describe, expect, test } from "vitest";
import {
  judgeDenials,
  decidePermission,
  laneOf,
  roleOf,
  type PermissionRequest,
  type Requester,
  type PermissionDecision,
  type SendTarget,
} from "../../../../src/cairn/core/guards/permissions.ts";
import type { RunSource } from "../../../../src/cairn/core/log/entry.ts";
import type { Gate, Tier, ToolCard } from "../../../../src/cairn/core/log/tool.ts";
import type { Lane, Role } from "../../../../src/cairn/core/log/verdict.ts";
import { countsAsDenial, TAINTED_AND_PRIVATE, UNTAINTED } from "../../../../src/cairn/core/state/safety.ts";
import type { Taint } from "../../../../src/cairn/core/state/state.ts";
import { builtinPack } from "../../../../src/cairn/tools/builtin/pack.ts";
import { cmsPack, imagesPack } from "../../../../src/plugins/cms/pack.ts";
import { Registry } from "../../../../src/cairn/tools/registry.ts";

const asked = (more: Partial<PermissionRequest> = {}): PermissionRequest => ({
  tool: "t",
  seq: 4,
  tier: "open",
  gate: "never",
  reach: "none",
  public: false,
  send: null,
  ...more,
});
const asker = (more: Partial<Requester> = {}): Requester => ({
  role: "admin",
  lane: "user",
  scheduled: new Set(),
  autonomyAllowed: new Set(),
  ...more,
});
const there = (more: Partial<SendTarget> = {}): SendTarget => ({
  known: true,
  configured: true,
  origin: false,
  name: "mail:bob",
  ...more,
});
const outcome = (permit: PermissionDecision): string =>
  permit.act === "deny" ? permit.verdict.code : permit.act;
const judged = (
  what: Partial<PermissionRequest>,
  who: Partial<Requester> = {},
  taint: Taint = UNTAINTED,
): string => outcome(decidePermission(asked(what), asker(who), taint));

const TAINTED: Taint = { tainted: { seq: 2, by: "visit" }, private: null };
const TIERS = ["open", "write", "publish", "external", "admin", "danger"] as const;

describe("the table", () => {
  const columns: readonly (readonly [string, Partial<Requester>])[] = [
    ["admin", { role: "admin" }],
    ["member", { role: "member" }],
    ["guest", { role: "guest" }],
    ["autonomy", { role: "admin", lane: "autonomy" }],
  ];
  const entries: Readonly<Record<Tier, readonly string[]>> = {
    open: ["allow", "allow", "POLICY_DENY", "allow"],
    write: ["allow", "allow", "POLICY_DENY", "AUTONOMY_DENY"],
    publish: ["gate", "gate", "POLICY_DENY", "gate"],
    external: ["gate", "ADMIN_ONLY", "ADMIN_ONLY", "AUTONOMY_DENY"],
    admin: ["gate", "ADMIN_ONLY", "ADMIN_ONLY", "AUTONOMY_DENY"],
    danger: ["gate", "ADMIN_ONLY", "ADMIN_ONLY", "AUTONOMY_DENY"],
  };
  test.each(TIERS)("decides for %s", (tier) => {
    expect(columns.map(([, who]) => judged({ tier }, who))).toEqual(entries[tier]);
  });

  test("allows on its conditions: public to guests, scheduled writes, listed targets", () => {
    expect(judged({ public: true }, { role: "guest" })).toBe("allow");
    const lane = "autonomy" as const;
    expect(judged({ tier: "write" }, { lane, scheduled: new Set(["t"]) })).toBe("allow");
    expect(judged({ tier: "write" }, { lane, scheduled: new Set(["other"]) })).toBe("AUTONOMY_DENY");
    const listed = { lane, autonomyAllowed: new Set(["mail:bob"]) };
    expect(judged({ tier: "external", gate: null, send: there() }, listed)).toBe("allow");
    expect(judged({ tier: "external", gate: "ask", send: there() }, listed)).toBe("gate");
    expect(judged({ tier: "external", send: there() }, { lane })).toBe("AUTONOMY_DENY");
    expect(judged({ tier: "external" }, listed)).toBe("AUTONOMY_DENY");
    for (const name of ["mail:eve", "mail:bob@example.org", "mail:", "bob", "telegram:bob"])
      expect([name, judged({ tier: "external", send: there({ name }) }, listed)]).toEqual([
        name,
        "AUTONOMY_DENY",
      ]);
  });

  test("asks each time about what is dangerous, whatever was remembered", () => {
    const remembered = TIERS.map((tier) => decidePermission(asked({ tier }), asker(), UNTAINTED)).map(
      (permit) => (permit.act === "gate" ? permit.mayRemember : null),
    );
    expect(remembered).toEqual([null, null, true, true, true, false]);
  });
});

describe("a send", () => {
  test("goes to nobody whom the address book does not know, over no channel that is not set up", () => {
    for (const role of ["admin", "member", "guest"] as const) {
      expect(judged({ tier: "external", send: there({ known: false, origin: true }) }, { role })).toBe(
        "CHANNEL_DENY",
      );
      expect(judged({ tier: "external", send: there({ configured: false }) }, { role })).toBe("CHANNEL_DENY");
    }
  });

  test("to where the run came from is an answer, whoever asked", () => {
    const send = there({ origin: true });
    const who: readonly Partial<Requester>[] = [
      ...(["admin", "member", "guest"] as const).map((role) => ({ role })),
      { lane: "autonomy" },
    ];
    for (const each of who) expect(judged({ tier: "external", send }, each)).toBe("allow");
    for (const tier of ["admin", "danger"] as const)
      expect(judged({ tier, send }, { role: "member" })).toBe("ADMIN_ONLY");
  });

  test("that autonomy may not make is kept for the next input of a person", () => {
    const permit = decidePermission(
      asked({ tier: "external", send: there() }),
      asker({ lane: "autonomy" }),
      UNTAINTED,
    );
    expect(permit).toMatchObject({ act: "deny", outbox: true, verdict: { code: "AUTONOMY_DENY" } });
    const other = decidePermission(asked({ tier: "write" }), asker({ lane: "autonomy" }), UNTAINTED);
    expect(other).toMatchObject({ act: "deny", outbox: false });
  });
});

describe("what a tool says of its own gate", () => {
  test("only adds", () => {
    expect(judged({ tier: "open", gate: "ask" })).toBe("gate");
    expect(judged({ tier: "write", gate: "depends" })).toBe("preview");
    expect(judged({ tier: "publish", gate: "never" })).toBe("gate");
    expect(judged({ tier: "publish", gate: "depends" })).toBe("preview");
    expect(judged({ tier: "external", gate: "never" })).toBe("gate");
    expect(judged({ tier: "external", gate: "depends" })).toBe("gate");
    expect(judged({ tier: "danger", gate: "depends" })).toBe("gate");
    expect(judged({ tier: "open", gate: "deny" })).toBe("POLICY_DENY");
  });
});

test("a run that has read from outside and what is not public asks before anything reaches outside", () => {
  const reach = "external" as const;
  expect(judged({ tier: "open", reach })).toBe("allow");
  expect(judged({ tier: "open", reach }, {}, TAINTED)).toBe("allow");
  expect(judged({ tier: "open", reach }, {}, TAINTED_AND_PRIVATE)).toBe("gate");
  expect(judged({ tier: "publish", gate: "depends", reach }, {}, TAINTED_AND_PRIVATE)).toBe("gate");
  expect(judged({ tier: "open" }, {}, TAINTED_AND_PRIVATE)).toBe("allow");
  const send = there({ origin: true });
  expect(judged({ tier: "external", reach, send }, {}, TAINTED_AND_PRIVATE)).toBe("allow");
});

describe("a second refusal for lack of a right or an address", () => {
  test("ends the run, the first does not, and other refusals do not count", () => {
    expect(judgeDenials([])).toBeNull();
    expect(judgeDenials([12])).toBeNull();
    expect(judgeDenials([12, 15])).toMatchObject({ code: "DENIED_AGAIN", evidence: { seqs: [12, 15] } });
    const codes = ["ADMIN_ONLY", "CHANNEL_DENY", "NOT_GRANTED", "POLICY_DENY", "AUTONOMY_DENY"];
    expect(codes.filter(countsAsDenial)).toEqual(["ADMIN_ONLY", "CHANNEL_DENY"]);
  });
});

describe("a role", () => {
  const actor = (scopes: readonly string[]) => ({ subject: "ada", scopes });
  test("follows the scopes", () => {
    expect(roleOf(actor(["admin"]), null)).toBe("admin");
    expect(roleOf(actor(["read", "send", "approve"]), null)).toBe("member");
    expect(roleOf(actor(["read"]), null)).toBe("guest");
    expect(roleOf(actor([]), null)).toBeNull();
  });

  test("of an admin is given to nobody by an empty list", () => {
    for (const scopes of [["admin"], ["admin", "send"], ["send"], ["read"], []])
      expect(roleOf(actor(scopes), [])).not.toBe("admin");
    expect(roleOf(actor(["admin"]), ["ada"])).toBe("admin");
    expect(roleOf(actor(["admin"]), ["bob"])).toBe("member");
    expect(roleOf(actor(["send"]), ["ada"])).toBe("member");
  });
});

// Every source, tool, role and lane there is, and those that there are not.

const cards: readonly ToolCard[] = new Registry("s", () => 0)
  .add(builtinPack, { observations: { read: () => null } })
  .add(cmsPack, { DB: {} as never })
  .add(imagesPack, { DB: {} as never, MEDIA: {} as never })
  .cards();
const SOURCES: readonly RunSource[] = ["web", "api", "webhook", "schedule"];
const ROLES = ["admin", "member", "guest", null, "root" as unknown as Role] as const;
const LANES = ["user", "autonomy", "night" as unknown as Lane] as const;
const GATES: readonly Gate[] = ["never", "ask", "depends", "deny"];

describe("over every source, tool, role and lane", () => {
  const lanes = [...new Set([...LANES, ...SOURCES.map(laneOf)])];
  const askers = ROLES.flatMap((role) =>
    lanes.flatMap((lane) =>
      ([UNTAINTED, TAINTED, TAINTED_AND_PRIVATE] as const).map((taint) => ({ role, lane, taint })),
    ),
  );
  const everything = cards.flatMap((card) => askers.map((each) => ({ card, ...each })));
  const ask = (card: ToolCard, more: Partial<PermissionRequest> = {}): PermissionRequest =>
    asked({ tool: card.name, tier: card.tier, gate: card.gate, reach: card.reach, ...more });

  test("nothing undeclared runs, and nobody unknown runs anything", () => {
    expect(everything.length).toBeGreaterThan(600);
    const acts = new Set<string>();
    const acting = new Set<string>();
    for (const { card, role, lane, taint } of everything) {
      const who = asker({ role, lane, scheduled: new Set(cards.map((each) => each.name)) });
      for (const undeclared of [
        ask(card, { tier: null }),
        ask(card, { tier: "root" as Tier }),
        ask(card, { tier: "toString" as Tier }),
      ])
        expect(outcome(decidePermission(undeclared, who, taint))).toBe("NOT_GRANTED");
      const permit = outcome(decidePermission(ask(card), who, taint));
      acts.add(permit);
      if (permit !== "NOT_GRANTED") acting.add(`${role}/${lane}`);
    }
    const known = ["admin", "member", "guest"].flatMap((role) => [`${role}/autonomy`, `${role}/user`]);
    expect([...acting].sort()).toEqual(known.sort());
    expect([...acts].sort()).toEqual(["NOT_GRANTED", "POLICY_DENY", "allow", "gate", "preview"]);
  });

  test("what may not be undone runs unasked for nobody", () => {
    for (const { role, lane, taint } of askers) {
      for (const tier of ["publish", "external", "admin", "danger"] as const) {
        for (const gate of GATES) {
          const permit = decidePermission(asked({ tier, gate }), asker({ role, lane }), taint);
          expect(permit.act).not.toBe("allow");
          expect(permit.act === "preview" && tier !== "publish").toBe(false);
        }
      }
    }
  });

  test("less right never permits more", () => {
    const strength = (permit: PermissionDecision): number =>
      ["deny", "gate", "preview", "allow"].indexOf(permit.act);
    for (const { card, lane, taint } of everything) {
      const of = (role: Role): number => strength(decidePermission(ask(card), asker({ role, lane }), taint));
      expect(of("member")).toBeLessThanOrEqual(of("admin"));
      expect(of("guest")).toBeLessThanOrEqual(of("member"));
    }
  });
});

test("each tool of the house says what it reads and whether it reaches out", () => {
  const said = Object.fromEntries(cards.map(({ name, reads, reach }) => [name, `${reads}, ${reach}`]));
  expect(said).toEqual({
    ask_human: "none, none",
    complete: "none, none",
    log_progress: "none, none",
    find_tool: "none, none",
    read_observation: "private, none",
    store_memory: "none, none",
    update_plan: "none, none",
    retrieve_memory: "private, none",
    schema_list: "public, none",
    ...Object.fromEntries(
      [
        "site_overview",
        "page_list",
        "page_get",
        "entry_list",
        "entry_get",
        "find",
        "image_search",
        "entry_create",
        "entry_update",
        "entry_delete",
        "settings_update",
        "site_check",
        "collection_save",
        "page_create",
        "page_update",
        "page_delete",
        "section_add",
        "section_update",
        "section_move",
        "section_delete",
        "nav_edit",
        "image_attach",
        "image_update",
        "image_replace",
        "image_delete",
        "history",
        "diff",
        "undo",
        "changes_begin",
        "changes_show",
        "changes_discard",
      ].map((name) => [name, "private, none"]),
    ),
    set_status: "private, external",
    changes_publish: "private, external",
    image_import: "outside, external",
  });
});

test("a send that nobody is there for is kept to be told later, and no other denial is", () => {
  const kept = (what: Partial<PermissionRequest>, who: Partial<Requester>): boolean => {
    const permit = decidePermission(asked({ tier: "external", ...what }), asker(who), UNTAINTED);
    return permit.act === "deny" && permit.outbox;
  };
  expect(kept({ send: there() }, { lane: "autonomy" })).toBe(true);
  expect(kept({}, { lane: "autonomy" })).toBe(false);
  expect(kept({ send: there() }, { role: "member" })).toBe(false);
  expect(kept({ send: there({ known: false }) }, { lane: "autonomy" })).toBe(false);
});

test("what goes on after a run that has read from outside asks a person, in each column that has it", () => {
  const later = { tier: "write", later: true } as const;
  const roles = (["admin", "member", "guest"] as const).map((role) => judged(later, { role }, TAINTED));
  expect(roles).toEqual(["gate", "gate", "POLICY_DENY"]);
  expect(judged(later, { role: "member" })).toBe("allow");
});
