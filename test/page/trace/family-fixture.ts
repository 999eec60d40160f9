import type { BodyOf, EntryKind } from "../../../src/cairn/core/log/entry.ts";
import { NO_USAGE } from "../../../src/cairn/core/log/model.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Event } from "../../../src/cairn/protocol/views.ts";

const LIMITS = {
  steps: 15,
  activeMs: 1,
  outputTokens: 1,
  toolCalls: 60,
  messages: 10,
  tokens: 400_000,
  cost: 1_500_000,
};

/** A log of a run that starts others, entry by entry: only what the page reads of a body is filled in. */
export class FamilyLog {
  readonly events: Event[] = [];
  #at = Date.parse("2026-03-01T06:00:00Z");

  add<Kind extends EntryKind>(kind: Kind, body: Partial<BodyOf<Kind>>, step: string | null = "r1s1"): this {
    this.#at += 1_000;
    const at = new Date(this.#at).toISOString();
    const seq = this.events.length + 1;
    this.events.push({ seq, at, run: "r1", step, kind, v: 1, body } as unknown as Event);
    return this;
  }

  /** One step whose reply starts a run for each of these objectives; all of them are at work. */
  start(objectives: readonly Json[], more: { readonly wait?: boolean } = {}): this {
    const calls = objectives.map((asked, at) => ({
      call: `r1s1c${at}`,
      tool: "run_agent",
      title: "Delegate to an agent",
      input: typeof asked === "string" ? { objective: asked } : asked,
    }));
    this.add("run_queued", {}, null);
    this.add("run_started", { profile: "standard", limits: LIMITS, grant: [], model: "rehearsal:" }, null);
    this.add("step_started", { n: 1, purpose: "step", model: "rehearsal:" });
    this.add("model_replied", {
      parts: [],
      finish: "tool-calls",
      model: "rehearsal:",
      calls: calls as unknown as BodyOf<"model_replied">["calls"],
      usage: { ...NO_USAGE, inputTokens: 900, outputTokens: 100, cost: 20_000 },
    });
    for (const { call, tool } of calls) {
      const share = { sessions: 3 } as BodyOf<"call_intended">["share"];
      this.add("call_intended", { call, tool, attempt: 1, ...(share === undefined ? {} : { share }) });
      this.add("call_deferred", { call, tool, child: `demo~${call}`, wait: more.wait ?? true });
    }
    return this;
  }

  report(at: number, more: Partial<BodyOf<"child_reported">> = {}): this {
    const used = { steps: 3, activeMs: 1, toolCalls: 1, messages: 0, tokens: 5_000, cost: 50_000 };
    return this.add("child_reported", {
      call: `r1s1c${at}`,
      child: `demo~r1s1c${at}`,
      outcome: "completed",
      reason: null,
      answer: "Done.",
      used,
      sessions: 1,
      usage: { ...NO_USAGE, inputTokens: 4_000, outputTokens: 1_000, cost: 50_000 },
      ...more,
    });
  }

  settle(at: number, more: Partial<BodyOf<"call_settled">> = {}): this {
    return this.add("call_settled", {
      call: `r1s1c${at}`,
      tool: "run_agent",
      status: "ok",
      observation: "{}",
      chars: 2,
      failure: null,
      attempt: 1,
      ms: 0,
      reusedFrom: null,
      ...more,
    });
  }
}
