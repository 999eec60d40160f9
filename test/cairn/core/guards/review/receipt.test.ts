import { describe, expect, test } from "vitest";
import { receiptOf } from "../../../../../src/cairn/core/guards/review/receipt.ts";
import { receiptLines } from "../../../../../src/cairn/core/text/receipt-lines.ts";
import {
  RECEIPT_ITEMS_MAX,
  RECEIPT_REASON_CHARS_MAX,
  RECEIPT_TARGETS_MAX,
} from "../../../../../src/cairn/core/limits.ts";
import type { CallStatus, EntryDraft } from "../../../../../src/cairn/core/log/entry.ts";
import type { Json } from "../../../../../src/cairn/core/log/json.ts";
import { NO_RECEIPT, type Receipt } from "../../../../../src/cairn/core/log/receipt.ts";
import type { EntityRef } from "../../../../../src/cairn/core/log/tool.ts";

const receiptText = (receipt: Receipt): string =>
  receiptLines(receipt, { outcome: "answered", reason: null })
    .map(({ text }) => text)
    .join("\n");

let n = 0;
const entry = (kind: string, body: unknown, run = "r1"): EntryDraft =>
  ({ kind, run, step: `${run}s1`, body }) as unknown as EntryDraft;

interface Told {
  readonly input?: Json;
  readonly effect?: string;
  readonly kind?: string;
  readonly verbs?: readonly string[];
  readonly status?: CallStatus;
  readonly message?: string;
  readonly error?: string;
  readonly result?: Json;
  readonly things?: readonly EntityRef[];
  readonly edited?: Json;
  readonly reusedFrom?: string;
  readonly run?: string;
}

/** The entries of one call, as the log has them. */
function call(tool: string, told: Told = {}): EntryDraft[] {
  const {
    input = {},
    effect = "keyed",
    kind = "work",
    verbs = ["update"],
    status = "ok",
    things = [],
  } = told;
  const { message, result = { ok: true }, edited, reusedFrom = null, run = "r1" } = told;
  const name = `${run}s1c${n++}`;
  const traits = { kind, verbs };
  const failure =
    status === "ok" ? null : { class: told.error ?? "conflict", message: message ?? "It is taken." };
  return [
    entry(
      "model_replied",
      { parts: [], calls: [{ call: name, tool, title: `Do ${tool}`, effect, input, traits }] },
      run,
    ),
    ...(edited === undefined
      ? []
      : [entry("approval_decided", { call: name, decision: "edit", args: edited }, run)]),
    entry(
      "call_settled",
      {
        call: name,
        tool,
        status,
        failure,
        observation: JSON.stringify(result),
        reusedFrom,
        ...(things.length === 0 ? {} : { changes: things }),
      },
      run,
    ),
  ];
}

const page = (name: string, op: EntityRef["op"] = "touch", id = name): EntityRef => ({
  op,
  type: "page",
  id,
  name,
  slug: name.toLowerCase(),
});
const receipt = (...entries: readonly EntryDraft[][]): Receipt => receiptOf("r1", entries.flat());
const brief = ({ changed, failed, unknown }: Receipt): unknown[][][] =>
  [changed, failed, unknown].map((list) => list.map((one) => [one.tool, one.targets, one.state]));

describe("the receipt of a run", () => {
  test("of one that did nothing, or only read and planned, is that nothing was changed", () => {
    expect(receipt()).toEqual(NO_RECEIPT);
    const read = call("page_get", { effect: "read", things: [page("About")] });
    const plan = call("update_plan", { kind: "bookkeeping", verbs: [] });
    expect(receipt(read, plan, call("put", { run: "r2" }))).toEqual(NO_RECEIPT);
    expect(receiptText(NO_RECEIPT)).toBe("Answered.\nNothing was changed.");
  });

  test("says what was done to which things, what has become of them, and what was not done for which reason", () => {
    const created = call("page_create", {
      verbs: ["create"],
      result: { ok: true, page: { id: "p1", status: "draft" }, publicNow: false },
      things: [
        page("Team", "create", "p1"),
        { op: "create", type: "section", id: "s1", name: "hero", parent: { type: "page", id: "p1" } },
      ],
    });
    const denied = call("set_status", {
      verbs: ["publish"],
      input: { targets: [{ type: "page", ref: "team" }], to: "published" },
      status: "denied",
      message: "ada declined.",
    });
    const made = receipt(created, denied);
    expect(made).toEqual({
      changed: [
        {
          call: made.changed[0]?.call,
          tool: "page_create",
          title: "Do page_create",
          verbs: ["create"],
          targets: ["Team"],
          state: "draft",
          reason: null,
        },
      ],
      failed: [
        {
          call: made.failed[0]?.call,
          tool: "set_status",
          title: "Do set_status",
          verbs: ["publish"],
          targets: ["Team"],
          state: null,
          reason: "ada declined",
        },
      ],
      unknown: [],
      more: 0,
    });
    expect(receiptText(made)).toBe(
      "Answered, with 1 failure.\nChanged: Do page_create: “Team” (draft). Nothing else was changed.\nFailed: Do set_status: “Team”: ada declined.",
    );
  });

  test("names the thing that a person put in the place of another", () => {
    const [edited] = receipt(call("put", { input: { name: "menu" }, edited: { name: "lunch" } })).changed;
    expect(edited?.targets).toEqual(["lunch"]);
  });

  test("a change that visitors do not see yet is one of the draft, and a deletion says so", () => {
    const update = call("page_update", {
      result: { publicNow: false, changed: ["name"], page: { status: "published" } },
      things: [page("About")],
    });
    const gone = call("page_delete", { things: [page("Old", "delete"), page("Press", "delete")] });
    expect(brief(receipt(update, gone))[0]).toEqual([
      ["page_update", ["About"], "draft"],
      ["page_delete", ["Old", "Press"], "deleted"],
    ]);
  });

  test("what was like this already is no change, and neither is a result that was had before", () => {
    const same = { unchanged: true, status: "published" };
    expect(
      receipt(
        call("page_update", {
          result: { changed: [], page: { status: "draft" }, unchanged: true },
          things: [page("About")],
        }),
        call("set_status", {
          result: { targets: [{ id: "a", ...same }] },
          things: [page("A", "touch", "a")],
        }),
        call("put", { reusedFrom: "r1s1c0" }),
      ),
    ).toEqual(NO_RECEIPT);
    const some = call("set_status", {
      result: {
        targets: [
          { id: "a", ...same },
          { id: "b", status: "published" },
        ],
      },
      things: [page("A", "touch", "a"), page("B", "touch", "b")],
    });
    expect(brief(receipt(some))[0]).toEqual([["set_status", ["B"], "published"]]);
  });

  test.each<[Json]>([[{ deleted: [], count: 3 }], [{ added: [], id: 7 }], [{ changed: [] }]])(
    "an effect is no less done because its result holds an empty list: %j",
    (result) => {
      expect(brief(receipt(call("rows_delete", { result, input: { name: "rows" } })))[0]).toEqual([
        ["rows_delete", ["rows"], null],
      ]);
    },
  );

  test("a state is one of the words that the receipt knows, wherever the result says it", () => {
    const stateOf = (result: Json): unknown => receipt(call("put", { result })).changed[0]?.state;
    expect(stateOf({ status: "published" })).toBe("published");
    for (const status of ["done). Nothing failed", "not changed", "Published", "all is well"]) {
      expect(stateOf({ status })).toBeNull();
      expect(stateOf({ state: status })).toBeNull();
      expect(stateOf({ structured: { status } })).toBeNull();
      expect(stateOf({ items: [{ status: "draft" }, { status }] })).toBeNull();
    }
  });

  test("a failure that the same act made good is none; that of another thing, or another act on it, stays", () => {
    const put = (name: string, more: Told = {}) => call("put", { input: { name }, ...more });
    const broken = { status: "error" } as const;
    expect(receipt(put("a", broken), put("a")).failed).toEqual([]);
    expect(brief(receipt(put("a", broken), put("b"), put("c")))[1]).toEqual([["put", ["a"], null]]);
    const publish = (to: string, more: Told = {}) =>
      call("set_status", { input: { targets: [{ ref: "menu" }], to }, ...more });
    expect(receipt(publish("published", broken), publish("unpublished")).failed).toHaveLength(1);
    const both = call("set_status", { input: { targets: [{ ref: "a" }, { ref: "b" }] }, ...broken });
    const one = (ref: string) => call("set_status", { input: { targets: [{ ref }] } });
    expect(receipt(both, one("a")).failed).toHaveLength(1);
    expect(receipt(both, one("a"), one("b")).failed).toEqual([]);
  });

  test("what was refused or stopped was not done; but a repetition of what is done is no failure", () => {
    const refused = call("put", { input: { name: "a" }, status: "refused" });
    const stopped = call("send", { input: { to: "ana" }, status: "cancelled" });
    expect(brief(receipt(refused, stopped))[1]).toEqual([
      ["put", ["a"], null],
      ["send", ["ana"], null],
    ]);
    expect(receipt(call("put", { input: { name: "a" } }), refused).failed).toEqual([]);
    expect(receipt(call("look", { effect: "read", status: "refused" }))).toEqual(NO_RECEIPT);
  });

  test("a look-up that missed is no failure once the thing was found or the run has acted; one that broke is", () => {
    const look = (more: Told) => call("page_get", { effect: "read", verbs: [], status: "error", ...more });
    expect(receipt(look({ error: "not_found" }), call("put")).failed).toEqual([]);
    expect(receipt(look({ error: "not_found" })).failed).toHaveLength(1);
    expect(receipt(look({ error: "timeout" }), call("put")).failed).toHaveLength(1);
  });

  test("an unknown outcome is neither done nor failed, whatever came after it", () => {
    const lost = call("send", { input: { to: "ana" }, status: "unknown" });
    expect(brief(receipt(lost, call("send", { input: { to: "ana" } })))).toEqual([
      [["send", ["ana"], null]],
      [],
      [["send", ["ana"], null]],
    ]);
    expect(receiptText(receipt(lost))).toBe(
      "Answered, with 1 unknown outcome.\nNot known whether it happened: Do send: “ana”. Look before you ask for it again.",
    );
  });

  test("a stored fact is a change", () => {
    const stored = call("store_memory", {
      kind: "bookkeeping",
      verbs: ["save"],
      input: { key: "tone", value: "x" },
    });
    expect(brief(receipt(stored))[0]).toEqual([["store_memory", ["tone"], null]]);
  });

  test("is bounded, counts what it leaves out, and cuts no character in two", () => {
    const many = Array.from({ length: RECEIPT_ITEMS_MAX + 3 }, (_, k) =>
      call("put", { input: { name: `${k}` } }),
    );
    const names = Array.from({ length: RECEIPT_TARGETS_MAX + 2 }, (_, k) => page(`P${k}`));
    const long = call("send", { status: "error", message: "🎈".repeat(500) });
    const made = receipt(call("bulk", { things: names }), ...many, long);
    expect([made.changed.length, made.more]).toEqual([RECEIPT_ITEMS_MAX, 4 + 2]);
    expect(made.failed[0]?.reason?.length).toBeLessThanOrEqual(RECEIPT_REASON_CHARS_MAX);
    expect(JSON.stringify(made).isWellFormed()).toBe(true);
    expect(receiptText(made)).toContain("\nAnd 6 more.");
  });
});
