import * as z from "zod";
import { childRunAnswer, runTreeAnswer } from "./answers/children.ts";
import { deliveriesAnswer } from "./answers/deliveries.ts";
import { heartbeatAnswer, scheduleAnswer } from "./answers/schedules.ts";
import { batchAnswer, shownChange } from "./answers/batch.ts";
import type { Json } from "../core/log/json.ts";
import { SESSION_NAME } from "../core/log/names.ts";
import { json } from "./json.ts";
import { citationsSchema, receiptSchema, sourcePageSchema } from "./receipt.ts";
import { resultSchema } from "./run-result.ts";

/**
 * The shapes that the HTTP routes answer with, for the OpenAPI document. They describe; the tests hold real answers against
 * them. What clients send is parsed by the schemas of src/cairn/http, which the document shows as they are.
 */

export const RUN_STATUSES = ["queued", "running", "paused", "completed", "failed", "cancelled"] as const;

function makeAnswers() {
  const time = z.iso.datetime();
  const sessionId = z.string().regex(SESSION_NAME);
  const status = z.enum(["idle", "running", "waiting"]);
  const outcome = z.enum(["answered", "partial", "failed", "cancelled"]);
  const count = z.number().int().min(0);
  const runStatus = z.enum(RUN_STATUSES);
  const pageOf = <Item extends z.ZodType>(item: Item) =>
    z.object({ items: z.array(item), nextCursor: z.string().nullable() });

  const change = shownChange();
  const session = z.object({
    id: sessionId,
    title: z.string(),
    titleSource: z.enum(["auto", "user"]),
    owner: z.string(),
    /** what the session names, or the deployment's; null while that cannot be called */
    agent: z.string(),
    model: z.string().nullable(),
    /** what its runs work on, by name; null: those of their agent, else the deployment's own */
    targets: z.record(z.string(), z.record(z.string(), json)).nullable(),
    status,
    archived: z.boolean(),
    messageCount: count,
    runCount: count,
    queued: count,
    pendingApprovals: count,
    lastSeq: count,
    version: count,
    createdAt: time,
    updatedAt: time,
    forkedFrom: z.object({ sessionId, seq: count }).nullable(),
    imported: z.boolean(),
    metadata: z.record(z.string(), json),
  });
  const budgetQuestion = z.object({
    id: z.string(),
    sessionId,
    runId: z.string(),
    /** the budget that is nearly used, as `budgets` of a Run names it */
    what: z.enum(["steps", "tokens", "costUsd", "activeMs", "toolCalls", "messages"]),
    used: z.number(),
    limit: z.number(),
    /** what a yes adds to the limits, by their names */
    adds: z.record(z.string(), z.number()),
    costUsd: z.object({ used: z.number(), limit: z.number() }),
    state: z.enum(["open", "extended", "finished", "ended"]),
    by: z.string().nullable(),
    askedAt: time,
  });
  const listed = session.extend({ snippet: z.string().optional() });

  /** of a run, also in a list */
  const runFacts = {
    id: z.string(),
    sessionId,
    status: runStatus,
    partial: z.boolean(),
    outcome: outcome.nullable(),
    reason: z.string().nullable(),
    objective: z.string(),
    source: z.string(),
    requester: z.string(),
    agent: z.string(),
    model: z.string(),
    createdAt: time,
    startedAt: time.nullable(),
    endedAt: time.nullable(),
  };
  const run = z.object({
    ...runFacts,
    /** of its answer, once it has ended: to be shown above it */
    receipt: receiptSchema.nullable(),
    answer: z.string().nullable(),
    /** once it has ended: under its result_key */
    result: resultSchema.nullable(),
    citations: citationsSchema.nullable(),
    warnings: z.array(z.object({ code: z.string(), path: z.string(), message: z.string() })),
    progress: z.object({ text: z.string(), percent: z.number().nullable() }).nullable(),
    waitingFor: z.object({ kind: z.string(), id: z.string().nullable(), until: time.nullable() }).nullable(),
    steps: count,
    usage: json,
    budgets: json,
    /** the run that it continues */
    previousRunId: z.string().nullable(),
    /** the run that started it; null without a parent */
    parentRunId: z.string().nullable(),
    childRuns: z.array(childRunAnswer),
    /** of it and all below it that has reported; null where it has started none */
    treeUsage: json,
    /** as the caller gave it */
    metadata: z.record(z.string(), json).nullable(),
    /** the caller's own id of the request that asked for it */
    traceId: z.string().nullable(),
    firstSeq: count,
    lastSeq: count,
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  });

  const sums = { runs: count, steps: count, inputTokens: count, outputTokens: count, costUsd: z.number() };
  const event = z.object({
    seq: count,
    at: time,
    run: z.string().nullable(),
    step: z.string().nullable(),
    kind: z.string(),
    v: z.literal(1),
    body: z.looseObject({}),
  });

  const outlook = {
    title: z.string(),
    summary: z.string(),
    impact: z.array(z.string()),
    /** what it changes, a field or a thing each, in names instead of ids; empty where the tool knows no more than its arguments */
    changes: z.array(change),
    /** the same by the things that they are about, where many are decided as one */
    batch: batchAnswer(change).nullable(),
    /** the lines of `impact` that must not be missed */
    warnings: z.array(z.string()),
    /** the draft that it is about */
    draft: z.object({ type: z.enum(["page", "entry"]), id: z.string() }).nullable(),
  };
  const approval = z.object({
    id: z.string(),
    sessionId,
    runId: z.string(),
    stepId: z.string(),
    callId: z.string(),
    tool: z.string(),
    ...outlook,
    /** the rule by which a person is asked, as a sentence */
    why: z.string(),
    args: json,
    /** all that is approved, as plain text: show it whole, and offer no approval without it */
    decision: z.object({ text: z.string(), complete: z.boolean() }),
    /** what the agent asked for where a person has changed it since, else null */
    askedArgs: json,
    argsSchema: json,
    editable: z.boolean(),
    effect: z.string(),
    tainted: z.boolean(),
    digest: z.string(),
    state: z.enum(["pending", "approved", "denied", "expired", "cancelled"]),
    requester: z.string(),
    /** false: the requester has no vote */
    requesterMayApprove: z.boolean(),
    approvers: z.array(z.string()),
    needed: count,
    votes: z.array(
      z.object({
        subject: z.string(),
        decision: z.string(),
        reason: z.string().nullable(),
        via: z.string(),
        at: time,
      }),
    ),
    escalated: z.boolean(),
    remember: z.array(z.string()),
    createdAt: time,
    expiresAt: time,
    onExpiry: z.enum(["deny", "escalate"]),
    decidedAt: time.nullable(),
    result: z
      .object({
        decision: z.string(),
        args: json,
        digest: z.string(),
        by: z.string(),
        reason: z.string().nullable(),
      })
      .nullable(),
  });
  const policy = z.object({
    id: z.string(),
    tool: z.string(),
    match: z.enum(["args", "tool"]),
    decision: z.enum(["approve", "deny"]),
    expiresAt: z.string(),
    by: z.string(),
    /** their giver may not decide any more, so people are asked */
    ended: z.literal(true).optional(),
  });

  const share = z.object({
    id: z.string(),
    /** the run that it shows; null: the whole session */
    run: z.string().nullable(),
    by: z.string(),
    url: z.string(),
    createdAt: time,
    expiresAt: time,
  });

  const storedTool = z.object({
    name: z.string(),
    version: z.int(),
    /** the title of the document that it was imported from */
    source: z.string().nullable(),
    definition: z.record(z.string(), json),
    effect: z.string().nullable(),
    tier: z.string().nullable(),
    approval: z.string().nullable(),
    /** why it is not offered */
    problem: z.string().nullable(),
    updatedAt: time,
    updatedBy: z.string(),
  });

  const agent = z.object({
    name: z.string(),
    description: z.string(),
    /** that its runs may use */
    tools: z.array(z.string()),
    /** null: none can be called */
    model: z.string().nullable(),
    limits: z.record(z.string(), json),
    /** a file of the deployment, or stored over the API */
    source: z.enum(["file", "stored"]),
    /** of what was stored; null of a file */
    version: count.nullable(),
    /** why no run of it is accepted; null where they are */
    problem: z.string().nullable(),
  });

  return {
    Error: z.object({
      error: z.object({
        code: z.string(),
        message: z.string(),
        hint: z.string().nullable(),
        requestId: z.string(),
        issues: z
          .array(
            z.object({
              path: z.string(),
              code: z.string(),
              message: z.string(),
              suggestion: z.string().optional(),
            }),
          )
          .optional(),
      }),
    }),
    Me: z.object({ subject: z.string(), scopes: z.array(z.string()), anonymous: z.boolean() }),
    Session: session,
    SessionDetail: session.extend({
      activeRun: run.nullable(),
      queue: z.array(z.object({ runId: z.string(), position: count, text: z.string(), source: z.string() })),
      policies: z.array(policy),
    }),
    Sessions: pageOf(listed),
    Run: run,
    RunDetail: run.extend({ trace: z.array(json).optional() }),
    RunTree: runTreeAnswer,
    Runs: pageOf(
      z.object({
        ...runFacts,
        objective: z.string().meta({ description: "Its first 200 characters; the Run has all of it." }),
      }),
    ),
    Accepted: z.object({
      runId: z.string(),
      seq: count,
      messageId: z.string(),
      mode: z.string(),
      queued: count,
    }),
    Cancelled: z.object({ cancelled: z.array(z.string()) }),
    Continued: z.object({ continued: z.boolean() }),
    Steered: z.object({ runId: z.string(), seq: count }),
    Messages: z.array(
      z.looseObject({
        id: z.string(),
        role: z.enum(["user", "assistant"]),
        parts: z.array(z.looseObject({})),
      }),
    ),
    Events: z.object({ items: z.array(event), nextAfter: count, lastSeq: count, more: z.boolean() }),
    SourcePage: sourcePageSchema,
    Fact: z.object({ key: z.string(), value: z.string(), seq: count }),
    Memory: z.looseObject({ entities: z.array(z.looseObject({})), tokens: count, seq: count }),
    Trace: z.object({ items: z.array(z.looseObject({})) }),
    Approval: approval,
    /** what a call would do with other arguments */
    EditPreview: z.object({
      ...outlook,
      args: approval.shape.args,
      decision: approval.shape.decision,
      digest: z.string(),
    }),
    Export: z.object({
      format: z.literal("cairn.session/1"),
      session,
      entries: z.array(event),
      blobs: z.record(z.string(), z.string()),
      stateHash: z.string(),
      seal: z.string(),
    }),
    Deliveries: deliveriesAnswer(),
    Share: share,
    Shares: z.object({ items: z.array(share) }),
    Schedule: scheduleAnswer,
    Schedules: z.object({ items: z.array(scheduleAnswer) }),
    Heartbeat: heartbeatAnswer,
    Usage: z.object({ items: z.array(z.object({ key: z.string(), ...sums })), total: z.object(sums) }),
    Tools: z.object({
      items: z.array(
        z.object({
          name: z.string(),
          title: z.string().nullable(),
          description: z.string().nullable(),
          effect: z.enum(["read", "keyed", "once"]).nullable(),
          inputSchema: json.nullable(),
          approval: z.object({ mode: z.enum(["never", "ask", "depends", "deny"]) }).nullable(),
          pack: z.string().nullable(),
          available: z.boolean(),
          why: z.string().nullable(),
        }),
      ),
    }),
    Agent: agent.extend({
      /** as it was stored; null of a file */
      definition: z.record(z.string(), json).nullable(),
      updatedAt: time.nullable(),
      updatedBy: z.string().nullable(),
    }),
    Agents: z.object({
      items: z.array(agent),
      /** models that a session may use; a trailing `*` matches any suffix */
      models: z.array(z.string()),
    }),
    StoredTool: storedTool,
    StoredTools: z.object({ items: z.array(storedTool) }),
    ImportedTools: z.object({
      /** of the document */
      title: z.string(),
      items: z.array(z.object({ name: z.string(), operation: z.string(), version: z.int() })),
      /** operations that are no tools, each with the reason */
      left: z.array(z.object({ operation: z.string(), why: z.string() })),
    }),
    Ticket: z.object({ ticket: z.string(), expiresAt: time, sessionId, scopes: z.array(z.string()) }),
    ApprovalLink: z.object({ url: z.string(), expiresAt: time }),
    Approvals: pageOf(approval),
    Uploaded: z.union([
      z.object({
        imageId: z.string(),
        url: z.string(),
        /** pixels, as it is shown */
        width: z.number().nullable(),
        height: z.number().nullable(),
        /** the library had these bytes already */
        deduped: z.boolean(),
      }),
      /** A file for reading; `url` names it in a message. */
      z.object({
        fileId: z.string(),
        url: z.string(),
        name: z.string(),
        mediaType: z.string(),
        bytes: z.int(),
        /** the session had these bytes already */
        deduped: z.boolean(),
      }),
    ]),
    BudgetQuestion: budgetQuestion,
    /** what became of each decision, in their order: the approval as it is now, or why it was refused */
    Decisions: z.object({
      items: z.array(
        z.object({
          sessionId,
          approvalId: z.string(),
          decided: z.boolean(),
          approval: approval.nullable(),
          error: z.object({ code: z.string(), message: z.string() }).nullable(),
        }),
      ),
    }),
    Inbox: z.object({
      approvals: z.array(approval),
      /** runs that may have more, if somebody wants so */
      budgetQuestions: z.array(budgetQuestion.extend({ title: z.string() })),
      questions: z.array(
        z.object({
          id: z.string(),
          sessionId,
          title: z.string(),
          runId: z.string(),
          question: z.string(),
          context: z.string().nullable(),
          options: z.array(z.string()),
          default: z.string().nullable(),
          askedAt: time,
          expiresAt: time,
        }),
      ),
      /** what a schedule asked for and did not come about, until a later run of the session or until it is dismissed */
      failedRuns: z.array(
        z.object({
          sessionId,
          title: z.string(),
          runId: z.string(),
          objective: z.string(),
          answer: z.string().nullable(),
          endedAt: time,
        }),
      ),
      /** there is more of a kind than is listed */
      more: z.boolean(),
    }),
  } as const satisfies Record<string, z.ZodType>;
}

let made: ReturnType<typeof makeAnswers> | null = null;

/** Made when first asked for: to make so many schemas takes milliseconds, and a step needs none of them. */
export function answers(): ReturnType<typeof makeAnswers> {
  return (made ??= makeAnswers());
}

export type AnswerName = keyof ReturnType<typeof makeAnswers>;

/** The readonly form of a value; JSON of any kind already is readonly. */
export type Frozen<T> = [Json] extends [T]
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

/** The type of a route's answer. */
export type Answer<Name extends AnswerName> = Frozen<z.output<ReturnType<typeof makeAnswers>[Name]>>;
