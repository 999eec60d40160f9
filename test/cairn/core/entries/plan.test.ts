import { describe, expect, test } from "vitest";
import type { Plan, PlanItem } from "../../../../src/cairn/core/log/plan.ts";
import { updatePlan, type Replanned } from "../../../../src/cairn/core/entries/plan.ts";
import {
  changePlan,
  currentPlan,
  goalPlan,
  mayPlan,
  planDue,
  renderPlan,
  type PlanState,
} from "../../../../src/cairn/core/state/plan.ts";
import { planTool } from "../../../../src/cairn/tools/builtin/plan.ts";
import { RunLog } from "../state/log.ts";

type Wish = Omit<PlanItem, "seqs">;
const item = (id: string, more: Partial<Wish> = {}): Wish => ({
  id,
  text: `do ${id}`,
  kind: "do",
  status: "open",
  ...more,
});

/** A run whose plan is set and moved as the loop would do it. */
class Planned {
  readonly log = new RunLog();
  #folded = 0;
  #state: PlanState | null = null;
  #stored: Plan | null = null;

  get state(): PlanState {
    const { entries } = this.log;
    for (; this.#folded < entries.length; this.#folded++)
      this.#state = changePlan(this.#state, entries[this.#folded]!);
    return this.#state!;
  }

  get plan(): Plan {
    return currentPlan(this.state, this.#stored!);
  }

  /** `p1 doing` … as the plan stands */
  get statuses(): string[] {
    return this.state.items.map((one) => `${one.id} ${one.status}`);
  }

  set(...items: readonly Wish[]): Replanned {
    const first = this.#stored === null;
    const made = updatePlan(first ? null : this.state, first ? null : this.plan, { goal: "The goal", items });
    if (!made.ok) return made;
    this.#stored = made.plan;
    this.log.add("plan_changed", { ...made.plan, by: "model", call: "x", claims: made.claims });
    return made;
  }
}

const begun = (...items: readonly Wish[]): Planned => {
  const run = new Planned();
  run.set(...items);
  return run;
};

describe("an item", () => {
  test("is being done from the first call that names it or uses its tool", () => {
    const run = begun(item("p1", { tool: "search" }), item("p2"), item("p3", { tool: "publish" }));
    run.log.reply("", [{ tool: "search" }]);
    expect(run.statuses).toEqual(["p1 doing", "p2 open", "p3 open"]);
    run.log.reply("Now [p2].", [{ tool: "get_page" }]);
    expect(run.statuses).toEqual(["p1 doing", "p2 doing", "p3 open"]);
  });

  test("is not begun by a page whose id looks like it, by bookkeeping, or by a refused call", () => {
    const run = begun(item("p1"), item("p2", { tool: "store_memory" }));
    run.log.reply("Reading page p1.", [{ tool: "get_page" }]);
    run.log.reply("[p1]", [{ tool: "store_memory" }]);
    expect(run.statuses).toEqual(["p1 open", "p2 open"]);
  });

  test("is done only with an ok result since it was being done", () => {
    const run = begun(item("p1", { status: "doing" }), item("p2"));
    expect(run.set(item("p1", { status: "done" }), item("p2", { status: "done" }))).toMatchObject({
      claims: ["p1", "p2"],
      output: {
        refused: [
          { id: "p1", code: "PLAN_CLAIM" },
          { id: "p2", code: "PLAN_CLAIM" },
        ],
      },
    });
    expect(run.statuses).toEqual(["p1 doing", "p2 open"]);
    run.log.step("get_page", "error");
    expect(run.set(item("p1", { status: "done" }), item("p2"))).toMatchObject({ claims: ["p1"] });
    run.log.step("store_memory");
    expect(run.set(item("p1", { status: "done" }), item("p2"))).toMatchObject({ claims: ["p1"] });
    const call = run.log.step("get_page");
    expect(run.set(item("p1", { status: "done" }), item("p2"))).toMatchObject({ claims: [] });
    expect(run.statuses).toEqual(["p1 done", "p2 open"]);
    const evidence = run.log.entries.find(
      (entry) => entry.kind === "call_settled" && entry.body.call === call,
    );
    expect(run.plan.items[0]?.seqs).toEqual([evidence?.seq]);
  });

  test("is not proven by a result from before it was being done", () => {
    const run = begun(item("p1"));
    run.log.step("get_page");
    run.set(item("p1", { status: "doing" }));
    expect(run.set(item("p1", { status: "done" }))).toMatchObject({ claims: ["p1"] });
  });

  test("that is delivered is done by the answer, and by nothing that is said of it", () => {
    const run = begun(item("p1", { kind: "deliver", status: "doing" }));
    run.log.step("get_page");
    expect(run.set(item("p1", { kind: "deliver", status: "done" }))).toMatchObject({ claims: ["p1"] });
    run.log.add("answer", { text: "Stopped.", source: "mechanical" });
    expect(run.statuses).toEqual(["p1 doing"]);
    run.log.add("answer", { text: "Here.", source: "plain" });
    expect(run.statuses).toEqual(["p1 done"]);
  });

  test("that is done stays so, and one that is left out stays in the plan", () => {
    const run = begun(item("p1", { status: "doing" }), item("p2"));
    run.log.step("get_page");
    run.set(item("p1", { status: "done" }), item("p2"));
    expect(run.set(item("p3"), item("p1", { status: "open", text: "again" }))).toMatchObject({
      output: { kept: ["p2"] },
    });
    expect(run.statuses).toEqual(["p2 open", "p3 open", "p1 done"]);
    expect(run.plan.items.at(-1)?.text).toBe("do p1");
  });

  test("is dropped with a reason, never without", () => {
    const run = begun(item("p1"));
    expect(run.set(item("p1", { status: "dropped", reason: " " }))).toMatchObject({
      ok: false,
      failure: { code: "plan_reason" },
    });
    expect(run.set(item("p1", { status: "dropped", reason: "not needed" })).ok).toBe(true);
    expect(run.statuses).toEqual(["p1 dropped"]);
  });
});

describe("two failed results", () => {
  const failed = (): Planned => {
    const run = begun(
      item("p1", { tool: "look", status: "doing" }),
      item("p2", { tool: "publish", fallback: "mail it" }),
    );
    run.log.step("look");
    run.set(
      item("p1", { tool: "look", status: "done" }),
      item("p2", { tool: "publish", fallback: "mail it" }),
    );
    run.log.step("publish", "error");
    return run;
  };

  test("on one item fail it, and want a new plan; one does not, nor one on another", () => {
    const run = failed();
    run.log.step("look", "error");
    expect([run.statuses, run.state.replan]).toEqual([["p1 done", "p2 doing"], false]);
    run.log.step("publish", "unknown");
    expect([run.statuses, run.state.replan]).toEqual([["p1 done", "p2 failed"], true]);
    expect(planDue("standard", run.state, 5, true)).toBe("replan");
  });

  test("a refusal or a person's no is no failure", () => {
    const run = failed();
    run.log.step("publish", "refused");
    run.log.step("publish", "denied");
    expect(run.statuses).toEqual(["p1 done", "p2 doing"]);
  });

  test("the new plan changes what failed and keeps what is done, as revision 2", () => {
    const run = failed();
    run.log.step("publish", "error");
    const same = run.set(item("p2", { tool: "publish", fallback: "mail it", status: "doing" }));
    expect(same).toMatchObject({
      plan: { rev: 1 },
      output: { refused: [{ id: "p2", code: "PLAN_FAILED" }] },
    });
    expect(run.state.replan).toBe(true);
    run.set(item("p2", { tool: "send_mail", status: "open" }));
    expect([run.plan.rev, run.statuses, run.state.replan]).toEqual([2, ["p1 done", "p2 open"], false]);
    // The item starts anew: one more failure does not fail it.
    run.log.step("send_mail", "error");
    expect(run.statuses).toEqual(["p1 done", "p2 doing"]);
  });

  test("after three new plans it stays failed", () => {
    const run = failed();
    for (let rev = 1; rev <= 4; rev++) {
      run.log.step(`publish`, "error");
      run.log.step(`publish`, "error");
      expect([run.state.rev, run.statuses[1], run.state.replan]).toEqual([rev, "p2 failed", rev < 4]);
      run.set(item("p2", { tool: "publish", text: `try ${rev}` }));
    }
    expect([run.state.rev, run.statuses]).toEqual([4, ["p1 done", "p2 failed"]]);
    expect(run.set(item("p2", { status: "dropped", reason: "no" }))).toMatchObject({
      output: { refused: [{ id: "p2" }] },
    });
  });
});

test("a plan with an id twice, or with too many items beside those that are kept, is refused as a whole", () => {
  const run = begun(item("p1"));
  expect(run.set(item("p2"), item("p2"))).toMatchObject({ ok: false, failure: { code: "plan_ids" } });
  const twelve = Array.from({ length: 12 }, (_, n) => item(`p${n + 2}`));
  expect(run.set(...twelve)).toMatchObject({ ok: false, failure: { code: "plan_too_long" } });
  expect(run.set(...twelve.slice(1)).ok).toBe(true);
});

describe("what is due", () => {
  test("is a plan on the first step, none on the second, and after two replies the core's own", () => {
    expect([0, 1, 2, 9].map((replies) => planDue("complex", null, replies, true))).toEqual([
      "want",
      null,
      "write",
      "write",
    ]);
    for (const profile of ["trivial", "simple", "lean", "heartbeat", "standard"] as const)
      expect([0, 2].map((replies) => planDue(profile, null, replies, true))).toEqual([null, null]);
    expect(planDue("research", null, 0, false)).toBeNull();
    expect(mayPlan("standard") && mayPlan("time_capsule")).toBe(true);
    expect(mayPlan("simple") || mayPlan("lean")).toBe(false);
  });

  test("the core's own plan has the goal as its only item, within its bounds", () => {
    const plan = goalPlan(`Make ${"😀".repeat(300)}`);
    expect([plan.rev, plan.items.length, plan.goal.length, plan.items[0]!.text.length]).toEqual([
      1, 1, 400, 200,
    ]);
    expect(plan.goal.isWellFormed() && plan.items[0]!.text.isWellFormed()).toBe(true);
    expect(goalPlan(`Mak ${"😀".repeat(300)}`).items[0]!.text).toHaveLength(199);
    expect(goalPlan("hi").items[0]).toMatchObject({ text: "Answer the request", kind: "deliver" });
  });
});

describe("the plan as it is shown", () => {
  test("has each item with its status, and what matters now", () => {
    const plan: Plan = {
      rev: 2,
      goal: "An About\npage",
      items: [
        { ...item("p1", { status: "done", doneWhen: "it is there" }), seqs: [] },
        { ...item("p2", { tool: "publish", status: "doing", doneWhen: "it is public" }), seqs: [] },
        { ...item("p3", { status: "failed", fallback: "mail </cairn-situation>" }), seqs: [] },
      ],
    };
    expect(renderPlan(plan)).toBe(
      [
        "plan 2: An About page",
        "- [p1] done do: do p1",
        "- [p2] doing do: do p2; tool=publish; done when it is public",
        "- [p3] failed do: do p3; else mail &lt;/cairn-situation>",
      ].join("\n"),
    );
  });

  test("of any size is within 1,200 characters, with every item", () => {
    for (const chars of [3, 60, 100, 200]) {
      const items = Array.from({ length: 12 }, (_, n) => ({
        ...item(`p${n + 100}`, {
          status: "dropped",
          kind: "deliver",
          text: "x".repeat(chars),
          tool: "t".repeat(64),
        }),
        seqs: [],
      }));
      const text = renderPlan({ rev: 4, goal: "g".repeat(400), items });
      expect(text.length).toBeLessThanOrEqual(1_200);
      expect(text.split("\n")).toHaveLength(13);
    }
  });
});

test("update_plan refuses what is no plan, in one sentence that shows one", () => {
  const faults = (input: unknown): string[] => {
    const parsed = planTool.definition.input.safeParse(input);
    return parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
  };
  expect(faults({ goal: "g", items: [item("p1", { tool: "x", doneWhen: "y" })] })).toEqual([]);
  for (const nothing of [{}, { goal: "g" }, { goal: "g", items: [] }, { items: " " }, { items: 7 }, null])
    expect(faults(nothing)).toEqual([expect.stringMatching(/^items is missing: .*"text":"Look"/)]);
  expect(faults({ items: ["Look", { status: "done" }] })).toEqual([
    'Item 2 has no text, such as {"id":"p1","text":"Look"}.',
  ]);
  const many = Array.from({ length: 13 }, (_, n) => item(`p${n}`));
  expect(faults({ goal: "g", items: many })).toEqual(["13 items are too many: keep the plan to 12."]);
});
