import { EMPTY_STATE } from "../../../src/cairn/core/state/state.ts";
import { fold } from "../../../src/cairn/core/state/apply.ts";
import { canonicalJson } from "../../../src/cairn/core/log/json.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { ChatDecision } from "../../../src/cairn/session/api/session-api.ts";
import {
  LiveSession,
  RawClient,
  type Frame,
  type Line,
} from "../../cairn/session/sockets/session-fixture.ts";
import type { Chance } from "../platform/chance.ts";

/**
 * Clients that follow no protocol: bodies that mix responses with messages, responses to approvals that are over or were never
 * asked, ids that come twice, frames of both protocols on several sockets in any order and before the last one was answered.
 * After each request and at the end the invariants below hold.
 */

const LINES: readonly [Line, ...Line[]] = [
  { calls: [["publish", { name: "about" }]] },
  { text: "The page is done." },
  { calls: [["ask_human", { question: "Which color?" }]] },
  { text: "Done." },
];

/** Possible effects of one request, as its client sees them. */
interface Sent {
  readonly before: number;
  readonly decisions: readonly ChatDecision[];
  readonly message: string | null;
}

export class HostileClients {
  readonly session: LiveSession;
  readonly #random: Chance;
  #sockets: [RawClient, ...RawClient[]] | null = null;
  readonly faults: string[] = [];
  #ids = 0;

  constructor(random: Chance) {
    this.#random = random;
    this.session = new LiveSession(Array.from({ length: 400 }, () => random.pick(LINES)));
  }

  async play(acts: number): Promise<void> {
    await this.session.say("begin", "m0");
    this.#sockets = [
      await RawClient.connect(this.session),
      await RawClient.connect(this.session),
      await RawClient.connect(this.session),
    ];
    for (let n = 0; n < acts; n++) await this.#act();
    await this.session.api.cancel(this.session.actor(), { id: "end", runId: null, all: true, reason: null });
    await this.session.settle();
    this.#check();
  }

  async #act(): Promise<void> {
    const random = this.#random;
    switch (random.below(6)) {
      case 0:
        return this.session.settle();
      case 1:
        return this.session.disk.alarm === null ? undefined : this.session.fire();
      case 2:
        return this.#body();
      case 3:
        return this.#interleaved();
      case 4:
        this.session.now += random.below(120_000);
        return;
      default:
        return this.#frame();
    }
  }

  /** A body over the command that HTTP and the sockets use. Alone, so that its effect can be told from others. */
  async #body(): Promise<void> {
    const sent: Sent = {
      before: this.session.state.head,
      decisions: Array.from({ length: this.#random.below(4) }, () => this.#decision()),
      message: this.#random.below(3) > 0 ? this.#messageId() : null,
    };
    const open = this.#openApproval();
    const { message, decisions } = sent;
    const answers = this.#random.below(4) === 0 ? [{ call: this.#callId(), value: "blue" }] : [];
    const done = await this.session.api.submit(this.session.actor(), {
      decisions: [...new Map(decisions.map((one) => [one.approval, one])).values()],
      answers,
      message:
        message === null
          ? null
          : {
              id: message,
              parts: [{ type: "text", text: `about ${message}` }],
              mode: this.#mode(),
              source: "web",
              request: null,
              ask: {},
            },
    });
    const written = this.session.store.entriesAfter(sent.before, 1_000);
    if (!done.ok) {
      if (written.length > 0)
        this.faults.push(`a refused body wrote ${written.map(({ kind }) => kind).join()}`);
      return;
    }
    const asked = decisions.findLast(({ approval }) => approval === open);
    const decided = written.find((entry) => entry.kind === "approval_decided");
    if (asked !== undefined && decided?.body.approval !== open)
      this.faults.push(`a body was accepted without its response to ${open}`);
    if (
      asked !== undefined &&
      decided !== undefined &&
      (decided.body.decision === "approve") !== asked.approved
    )
      this.faults.push(`a body decided ${open} as it did not say`);
    if (message !== null && done.value.sent?.messageId !== message)
      this.faults.push(`the message ${message} was not accepted`);
  }

  /** Several frames on several sockets, none of them waited for. */
  async #interleaved(): Promise<void> {
    const count = 2 + this.#random.below(5);
    await Promise.all(Array.from({ length: count }, () => this.#frame()));
  }

  async #frame(): Promise<void> {
    if (this.#sockets !== null) await this.#random.pick(this.#sockets).send(this.#anyFrame());
  }

  #anyFrame(): Frame {
    const random = this.#random;
    const approval = this.#approvalId();
    const eventId = `e${random.below(40)}`;
    switch (random.below(7)) {
      case 0:
        return {
          type: "cf_agent_tool_approval",
          toolCallId: approval.slice(0, -2),
          approved: random.below(2) === 0,
        };
      case 1:
        return {
          type: "cf_agent_tool_result",
          toolName: "ask_human",
          toolCallId: this.#callId(),
          output: "red",
        };
      case 2: {
        const decision = random.below(2) === 0 ? "approve" : "deny";
        return { type: "cairn:approve", eventId, approvalId: approval, decision };
      }
      case 3:
        return { type: "cairn:send", eventId, text: `event ${eventId}` };
      case 4:
        return { type: "cairn:answer", eventId, questionId: `${this.#callId()}q1`, value: "green" };
      case 5:
        return { type: "cf_agent_chat_request_cancel", id: `q${random.below(this.#ids + 1)}` };
      default:
        return this.#request();
    }
  }

  #request(): Frame {
    const parts = Array.from({ length: this.#random.below(3) }, () => this.#decision()).map((one) => ({
      type: "tool-publish",
      toolCallId: one.approval.slice(0, -2),
      state: "approval-responded",
      approval: { id: one.approval, approved: one.approved },
    }));
    const id = this.#messageId();
    const messages = [
      { id: "a1", role: "assistant", parts },
      { id, role: "user", parts: [{ type: "text", text: `about ${id}` }] },
    ];
    const shuffled = this.#random.below(4) === 0 ? messages.toReversed() : messages;
    const body = JSON.stringify({ messages: shuffled, mode: this.#mode() ?? undefined });
    return { type: "cf_agent_use_chat_request", id: `q${(this.#ids += 1)}`, init: { method: "POST", body } };
  }

  #decision(): ChatDecision {
    return {
      approval: this.#approvalId(),
      approved: this.#random.below(2) === 0,
      reason: null,
      digest: null,
    };
  }

  /** The open one, one that is over, or one that was never asked. */
  #approvalId(): string {
    const open = this.#openApproval();
    if (open !== null && this.#random.below(2) === 0) return open;
    const { runs } = this.session.state;
    return `r${1 + this.#random.below(runs + 2)}s${1 + this.#random.below(2)}c0a1`;
  }

  #openApproval(): string | null {
    const phase = this.session.state.run?.phase;
    return phase?.at === "waiting_approval" ? phase.approval.approval : null;
  }

  #callId(): string {
    const phase = this.session.state.run?.phase;
    const open = phase?.at === "waiting_human" ? phase.question.call : null;
    return open ?? `r${1 + this.#random.below(this.session.state.runs + 1)}s1c0`;
  }

  /** A new one, or one that came before. */
  #messageId(): string {
    return this.#random.below(3) === 0 ? `m${this.#random.below(this.#ids + 1)}` : `m${(this.#ids += 1)}`;
  }

  #mode(): "queue" | "join" | "replace" | null {
    return this.#random.pick([null, null, "queue", "join", "replace"] as const);
  }

  #check(): void {
    const entries: readonly Entry[] = this.session.store.entriesAfter(0, 100_000);
    const twice = (of: (entry: Entry) => string | null, what: string): void => {
      const names = entries.map(of).filter((name) => name !== null);
      for (const name of new Set(names))
        if (names.filter((one) => one === name).length > 1)
          this.faults.push(`${what} ${name} is there twice`);
    };
    twice((entry) => (entry.kind === "approval_decided" ? entry.body.approval : null), "the decision of");
    twice((entry) => (entry.kind === "human_answered" ? entry.body.question : null), "the answer to");
    twice((entry) => (entry.kind === "user_message" ? entry.body.id : null), "the message");
    const approved = new Set(
      entries.flatMap((entry) =>
        entry.kind === "approval_decided" && entry.body.decision === "approve" ? [entry.body.call] : [],
      ),
    );
    for (const entry of entries)
      if (entry.kind === "call_intended" && entry.body.tool === "publish" && !approved.has(entry.body.call))
        this.faults.push(`${entry.body.call} ran without an approval`);
    const { state } = this.session;
    if (canonicalJson(fold(EMPTY_STATE, entries)) !== canonicalJson(state))
      this.faults.push("the state is not the fold of the log");
    if (state.run !== null || state.queue.length > 0) this.faults.push("a run did not end");
    for (const client of this.#sockets ?? []) {
      const acks = client
        .ofType("cairn:ack")
        .filter((ack) => ack["duplicate"] !== true && ack["ok"] === true);
      const ids = acks.map((ack) => ack["eventId"]);
      if (new Set(ids).size < ids.length) this.faults.push("a frame was applied twice");
    }
  }
}
