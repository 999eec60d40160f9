import { PLAIN_SPEC } from "../../../../src/cairn/core/log/run-spec.ts";
import { DEFAULT_RUN_POLICY } from "../../../../src/cairn/core/log/run.ts";
import { RUN_LIMITS } from "../../../../src/cairn/core/limits.ts";
import type { Entry, EntryDraft, ProposedCall } from "../../../../src/cairn/core/log/entry.ts";
import type { ReplyPart, Usage } from "../../../../src/cairn/core/log/model.ts";
import { NO_RECEIPT } from "../../../../src/cairn/core/log/receipt.ts";

/** Entries of a log, written by hand, so that the mapping is tested against the text of the specification, not the engine. */

export const SESSION = "ses_demo";
export const START = Date.UTC(2026, 7, 20, 12, 0, 0);
export const LIMITS = RUN_LIMITS;
export const USAGE: Usage = {
  inputTokens: 100,
  cachedInputTokens: 0,
  outputTokens: 20,
  reasoningTokens: 0,
  estimated: false,
  cost: null,
};
export const ABOUT_DIGEST = "sha256:e588288c9903afe4e22e21ebf2944c6b38aeae8f800d4e0ee416a955ba484d2b";

/** Gives drafts their places: seq from `from`, one second apart. */
export function entries(drafts: readonly EntryDraft[], from = 1): Entry[] {
  return drafts.map((draft, index) => ({
    ...draft,
    seq: from + index,
    at: START + (from + index) * 1_000,
    v: 1,
  }));
}

export function said(run: string, id: string, text: string, mode: "queue" | "join" = "queue"): EntryDraft {
  return {
    kind: "user_message",
    run,
    step: null,
    body: { id, author: "ann", source: "web", parts: [{ type: "text", text }], mode },
  };
}

export function queued(run: string, message: string, at: number, request: string | null = null): EntryDraft {
  return {
    kind: "run_queued",
    run,
    step: null,
    body: {
      message,
      inputSeq: at,
      request,
      actor: "ann",
      source: "web",
      model: "rehearsal:",
      fallbacks: [],
      limits: LIMITS,
      temperature: null,
      role: "member",
      spec: PLAIN_SPEC,
    },
  };
}

export function started(run: string): EntryDraft {
  return {
    kind: "run_started",
    run,
    step: null,
    body: {
      grant: [],
      notOffered: [],
      model: "rehearsal:",
      limits: LIMITS,
      prompt: "sha256:0",
      harness: "0.1.0",
      dialect: "native",
      profile: "standard",
      classified: { rule: 7, score: 0, work: true },
      policy: DEFAULT_RUN_POLICY,
    },
  };
}

export function step(run: string, n: number): EntryDraft {
  return {
    kind: "step_started",
    run,
    step: `${run}s${n}`,
    body: {
      purpose: "step",
      model: "rehearsal:",
      n,
      window: { from: 1, to: 1 },
      promptChars: 100,
      promptTokens: 25,
      promptDigest: "sha256:0",
      size: { instructions: 10, tools: 0, earlier: 0, run: 10, tail: 5, messages: 1 },
      reservedTokens: 100,
      reservedCost: 0,
      maxOut: 50,
    },
  };
}

export function replied(
  at: string,
  base: number,
  parts: readonly ReplyPart[],
  calls: readonly ProposedCall[] = [],
): EntryDraft {
  return {
    kind: "model_replied",
    run: at.replace(/s.*/, ""),
    step: at,
    body: {
      attempt: 1,
      base,
      readTo: base,
      parts,
      calls,
      finish: calls.length > 0 ? "tool-calls" : "stop",
      words: [],
      usage: USAGE,
      model: "rehearsal:",
      ms: 10,
      firstTokenMs: 1,
    },
  };
}

export function call(name: string, tool: string, input: ProposedCall["input"]): ProposedCall {
  return {
    call: name,
    tool,
    title: tool === "page_delete" ? "Delete pages" : tool,
    input,
    effect: tool === "page_delete" ? "keyed" : "read",
    gate: tool === "page_delete" ? "ask" : "never",
    refused: null,
    duplicateOf: null,
  };
}

export function asked(name: string, args: ProposedCall["input"]): EntryDraft {
  return {
    kind: "approval_requested",
    run: name.replace(/s.*/, ""),
    step: name.replace(/c.*/, ""),
    body: {
      approval: `${name}a1`,
      call: name,
      tool: "page_delete",
      title: "Delete the page “About”",
      summary: "Delete page “About” (3 sections, 2 navigation items).",
      impact: ["3 sections", "2 navigation items"],
      reason: "destructive",
      args,
      effect: "keyed",
      digest: ABOUT_DIGEST,
      basis: null,
      requester: "ann",
      approvers: ["owner"],
      needed: 1,
      expiresAt: START + 86_400_000,
      onExpiry: "deny",
    },
  };
}

export function decided(
  name: string,
  decision: "approve" | "deny" | "edit" | "expired",
  more: { reason?: string; args?: ProposedCall["input"] } = {},
): EntryDraft {
  return {
    kind: "approval_decided",
    run: name.replace(/s.*/, ""),
    step: name.replace(/c.*/, ""),
    body: {
      approval: `${name}a1`,
      call: name,
      decision,
      actor: "ann",
      via: "socket",
      reason: more.reason ?? null,
      digest: decision === "edit" ? "sha256:edited" : ABOUT_DIGEST,
      args: more.args ?? null,
      shown: null,
    },
  };
}

export function intended(name: string, tool: string): EntryDraft {
  return {
    kind: "call_intended",
    run: name.replace(/s.*/, ""),
    step: name.replace(/c.*/, ""),
    body: {
      call: name,
      tool,
      effect: "keyed",
      argsDigest: "sha256:1",
      key: `${SESSION}/${name}`,
      attempt: 1,
    },
  };
}

export function settled(
  name: string,
  tool: string,
  status: "ok" | "error" | "refused" | "denied" | "unknown",
  observation: string,
  errorClass: "internal" | "invalid_args" = "internal",
): EntryDraft {
  return {
    kind: "call_settled",
    run: name.replace(/s.*/, ""),
    step: name.replace(/c.*/, ""),
    body: {
      call: name,
      tool,
      status,
      observation,
      chars: observation.length,
      failure:
        status === "ok" ? null : { class: errorClass, code: "x", message: observation, retryable: false },
      attempt: 1,
      ms: 5,
      reusedFrom: null,
    },
  };
}

export function verdict(at: string): EntryDraft {
  return {
    kind: "review",
    run: at.replace(/s.*/, ""),
    step: at,
    body: { round: 1, accept: true, codes: [], by: "rules", text: "accepted" },
  };
}

export function answer(at: string, text: string, shown: boolean): EntryDraft {
  return {
    kind: "answer",
    run: at.replace(/s.*/, ""),
    step: at,
    body: {
      text,
      source: shown ? "plain" : "complete",
      shown,
      confidence: null,
      summary: null,
      value: null,
      receipt: NO_RECEIPT,
    },
  };
}

export function ended(
  run: string,
  outcome: "completed" | "cancelled" | "failed_provider",
  reason: string | null = null,
): EntryDraft {
  const face = outcome === "completed" ? "answered" : outcome === "cancelled" ? "cancelled" : "failed";
  return {
    kind: "run_ended",
    run,
    step: null,
    body: { outcome, class: face, reason, steps: 2, usage: USAGE, activeMs: 1_000 },
  };
}

export function lost(at: string, attempt: number): EntryDraft {
  return {
    kind: "attempt_lost",
    run: at.replace(/s.*/, ""),
    step: at,
    body: { effect: at, what: "model", attempt },
  };
}

export function failed(at: string, attempt: number): EntryDraft {
  return {
    kind: "model_failed",
    run: at.replace(/s.*/, ""),
    step: at,
    body: {
      attempt,
      model: "rehearsal:",
      class: "overloaded",
      message: "The model is busy.",
      retryAfterMs: null,
      usage: null,
      then: "retry",
      until: START + 60_000,
    },
  };
}

const PAGES = { pages: ["about"] };

/** "Delete the about page": one approval, then an answer; the example of the protocol, entries 1 to 14. */
export function aboutRun(request: string | null = null): Entry[] {
  return entries([
    said("r1", "m1", "Delete the about page"),
    queued("r1", "m1", 1, request),
    started("r1"),
    step("r1", 1),
    replied(
      "r1s1",
      4,
      [{ type: "call", call: "r1s1c0", tool: "page_delete", input: PAGES }],
      [call("r1s1c0", "page_delete", PAGES)],
    ),
    asked("r1s1c0", PAGES),
    decided("r1s1c0", "approve"),
    intended("r1s1c0", "page_delete"),
    settled("r1s1c0", "page_delete", "ok", '{"deleted":["about"]}'),
    step("r1", 2),
    replied("r1s2", 10, [{ type: "text", text: "The about page is deleted." }]),
    verdict("r1s2"),
    answer("r1s2", "The about page is deleted.", true),
    ended("r1", "completed"),
  ]);
}

/**
 * A longer run: thought and text beside two calls, an attempt that is lost and one that fails, a bad call, a joined
 * message, an edited approval, a denied one, and an answer given by `complete`.
 */
export function longRun(): Entry[] {
  const other = { pages: ["team"] };
  return entries([
    said("r1", "m1", "Tidy up"),
    queued("r1", "m1", 1),
    started("r1"),
    step("r1", 1),
    lost("r1s1", 1),
    failed("r1s1", 2),
    replied(
      "r1s1",
      6,
      [
        { type: "reasoning", text: "Two pages look stale 🗿, one is not." },
        { type: "text", text: "I look at both.\nFINAL_ANSWER: not yet" },
        { type: "call", call: "r1s1c0", tool: "page_list", input: {} },
        { type: "text", text: "And I ask." },
        { type: "call", call: "r1s1c1", tool: "page_list", input: { q: 1 } },
      ],
      [call("r1s1c0", "page_list", {}), { ...call("r1s1c1", "page_list", { q: 1 }), refused: null }],
    ),
    settled("r1s1c1", "page_list", "refused", "q must be text", "invalid_args"),
    intended("r1s1c0", "page_list"),
    said("r1", "m2", "Leave the team page", "join"),
    settled("r1s1c0", "page_list", "ok", "plain text"),
    step("r1", 2),
    replied("r1s2", 12, [], [call("r1s2c0", "page_delete", PAGES), call("r1s2c1", "page_delete", other)]),
    asked("r1s2c0", PAGES),
    decided("r1s2c0", "edit", { args: { pages: ["old"] } }),
    intended("r1s2c0", "page_delete"),
    settled("r1s2c0", "page_delete", "unknown", "It was interrupted."),
    asked("r1s2c1", other),
    decided("r1s2c1", "deny", { reason: "keep it" }),
    settled("r1s2c1", "page_delete", "denied", "ann declined"),
    step("r1", 3),
    replied("r1s3", 21, [], [call("r1s3c0", "complete", { answer: "Done, mostly." })]),
    settled("r1s3c0", "complete", "ok", '{"ok":true}'),
    verdict("r1s3"),
    answer("r1s3", "Done, mostly.", false),
    ended("r1", "completed"),
  ]);
}
