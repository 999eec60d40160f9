import { describe, expect, test } from "vitest";
import type { EntryDraft } from "../../../../src/cairn/core/log/entry.ts";
import { closingText } from "../../../../src/cairn/core/loop/closing-report.ts";
import { MECHANICAL_ANSWER_CHARS_MAX } from "../../../../src/cairn/core/limits.ts";
import type { LiveRun } from "../../../../src/cairn/core/state/state.ts";
import { item } from "../guards/review/review-run.ts";

const live = {
  run: "r1",
  output: { latestText: null },
  cancel: null,
  models: { current: "m" },
} as unknown as LiveRun;

let n = 0;
interface Told {
  readonly input?: unknown;
  readonly effect?: string;
  readonly status?: string;
  readonly failure?: string;
  readonly observation?: string;
  readonly names?: readonly string[];
}

/** The entries of one call, as the log has them. */
function call(tool: string, title: string, told: Told = {}): EntryDraft[] {
  const name = `r1s1c${n++}`;
  const { input = {}, effect = "read", status = "ok", observation = "{}", names = [] } = told;
  const failure = told.failure === undefined ? null : { message: told.failure };
  const entry = (kind: string, body: unknown) =>
    ({ kind, run: "r1", step: "r1s1", body }) as unknown as EntryDraft;
  return [
    entry("model_replied", { parts: [], calls: [{ call: name, tool, title, effect, input }] }),
    entry("call_settled", {
      call: name,
      tool,
      status,
      failure,
      observation,
      reusedFrom: null,
      ...(names.length === 0 ? {} : { changes: names.map((one) => ({ op: "touch", name: one })) }),
    }),
  ];
}

const told = (entries: readonly EntryDraft[], more: Parameters<typeof closingText>[5] = []): string =>
  closingText(live, entries, [], "completed_partial", "review:NO_SEND", more);

describe("the answer that needs no model", () => {
  test("says what was found by its titles; what was done is in the receipt above it", () => {
    const text = told([
      ...call("find", "Search the site", { observation: '{"items":[{"name":"Team"},{"name":"Hours"}]}' }),
      ...call("page_create", "Create a page", { effect: "keyed", names: ["About us"] }),
      ...call("set_status", "Publish or unpublish", {
        effect: "keyed",
        status: "denied",
        failure: "ada declined.",
      }),
    ]);
    expect(text.split("\n\n")).toEqual([
      "This run ended without an answer of the model, because it wrote no answer.",
      "Found: Search the site: “Team”, “Hours”.",
      "Try again, or open the trace for details.",
    ]);
  });

  test("names the newest five findings, each once, and counts the names it leaves out", () => {
    const searches = [1, 2, 3, 4, 5, 6, 6].flatMap((k) =>
      call("find", "Search", { observation: JSON.stringify({ items: [{ title: `T${k}` }] }) }),
    );
    const many = call("find", "Search", {
      observation: JSON.stringify({ items: "abcde".split("").map((name) => ({ name })) }),
    });
    const line = told([...searches, ...many]).split("\n\n")[1];
    expect(line).toBe(
      "Found: Search: “a”, “b”, “c” and 2 more; Search: “T6”; Search: “T5”; Search: “T4”; Search: “T3”.",
    );
  });

  test("a result that is no list is named by the things it touched, and one without names is not a finding", () => {
    expect(
      told([...call("page_get", "Read a page", { observation: "plain text", names: ["About us"] })]),
    ).toContain("Found: Read a page: “About us”.");
    expect(told(call("page_get", "Read a page", { observation: "plain text" }))).not.toContain("Found");
  });

  test("names the open items of the plan, and not what is delivered by the answer itself", () => {
    const plan = [
      item("p1", "Translate the page.", "open"),
      item("p2", "Check links", "done"),
      item("p3", "Report", "open", "deliver"),
    ];
    expect(told([], plan)).toContain("Not done: Translate the page.");
    expect(told([], plan)).not.toContain("Report");
  });

  test("is never too long, says where it was cut, and always ends with what the person can do", () => {
    const plan = [1, 2, 3, 4, 5].map((k) =>
      item(`p${k}`, `A rather long item 🎈 ${"🎈".repeat(200)}`, "open"),
    );
    const text = told([], plan);
    expect(text.length).toBeLessThanOrEqual(MECHANICAL_ANSWER_CHARS_MAX);
    expect(text).toMatch(/…\n\nTry again[^…]*$/u);
    expect(text.isWellFormed()).toBe(true);
  });
});
