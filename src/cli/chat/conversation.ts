import * as z from "zod";
import { OpenApprovals } from "./open-approvals.ts";
import { isLast, parseChunk, type Approval, type Chunk, type Question } from "./chunks.ts";
import type { Acknowledged, ConnectionEvent } from "./connection.ts";
import { runEnded, said, type Fault, type Logged, type RawChunk, type RunEnded } from "./frames.ts";
import type { Piece } from "./ansi.ts";
import { LEFT_OPEN, parseObject, parseReply, QUESTION, decisionOf, type Choice } from "./reply.ts";
import { NEW_VIEW, remark, receiptWords, render, type Rendered, type View } from "./view.ts";

/**
 * A person and a session: what is said, what is shown, which approval is asked about, when a run is over.
 * Owns no socket and no terminal. What always holds: a person is asked about one approval at a time, only while it
 * is pending as far as the server has told, and what is sent carries the digest of the card that was shown.
 */

/** What it asks of a connection. */
export interface Line {
  request(type: string, fields: { readonly [name: string]: unknown }): Promise<Acknowledged>;
  follow(runId: string): void;
}

/** What it asks of a terminal. */
export interface Stage {
  show(pieces: readonly Piece[]): void;
  note(text: string): void;
  /** one event for a script */
  record(event: { readonly type: string; readonly [name: string]: unknown }): void;
  /** a line from the person; null when there is nobody (any more); rejects when the signal fires */
  ask(prompt: string, signal: AbortSignal): Promise<string | null>;
}

export type Ending =
  | { readonly kind: "ended"; readonly ended: RunEnded }
  /** the run may go on; this side cannot do what is needed */
  | { readonly kind: "refused"; readonly error: Fault };

interface Followed {
  readonly runId: string;
  readonly settle: (ending: Ending) => void;
  sawLast: boolean;
  ended: RunEnded | null;
  cancelled: boolean;
}

/** The edited arguments were refused; the approval is as it was. */
const NOT_TAKEN = new Set(["invalid_args", "not_editable"]);
/** Another decision came first, or none is needed any more. */
const TOO_LATE = new Set(["already_decided", "approval_cancelled", "approval_expired", "digest_mismatch"]);
/** Others decide it: whoever sits here waits for them. */
const OF_OTHERS = new Set(["not_an_approver", "requester_cannot_approve"]);
/** why a question is denied that nobody reads */
const NOBODY = "no person at the terminal";
/** What was voted on: an edit is a new proposal. */
const votedOn = z.object({ digest: z.string() });

export class Conversation {
  private readonly session: string;
  private readonly line: Line;
  private readonly stage: Stage;
  private readonly approveAll: boolean;
  private view: View = NEW_VIEW;
  private run: Followed | null = null;
  private caughtUp = false;
  private readonly approvals = new OpenApprovals();
  private question: Question | null = null;
  /** runs that ended before anyone here followed them: a short one is over before its receipt is read */
  private readonly ends = new Map<string, RunEnded>();
  private asking: { readonly id: string; readonly digest?: string; readonly abort: AbortController } | null =
    null;

  constructor(session: string, line: Line, stage: Stage, options: { readonly approveAll: boolean }) {
    this.session = session;
    this.line = line;
    this.stage = stage;
    this.approveAll = options.approveAll;
  }

  /** Says something under the client's own message id and works with the run to its end. */
  async say(text: string, id: string): Promise<Ending> {
    const answer = await this.line.request("cairn:send", { text, id });
    if (!answer.ok) return { kind: "refused", error: answer.error };
    const parsed = said.safeParse(answer.result);
    if (!parsed.success) return { kind: "refused", error: notUnderstood("the receipt of a message") };
    const { runId, queued } = parsed.data;
    this.stage.record({ type: "accepted", runId, queued: queued ?? 0 });
    if ((queued ?? 0) > 0)
      this.stage.note(`Waiting behind ${queued} other ${queued === 1 ? "run" : "runs"} …`);
    return this.follow(runId);
  }

  /** Works with a run that exists already to its end; shows it from its beginning. */
  follow(runId: string): Promise<Ending> {
    return new Promise((settle) => {
      const ended = this.ends.get(runId) ?? null;
      this.run = { runId, settle, sawLast: false, ended, cancelled: false };
      this.caughtUp = false;
      this.approvals.clear();
      this.question = null;
      this.line.follow(runId);
    });
  }

  handle(event: ConnectionEvent): void {
    switch (event.kind) {
      case "chunk":
        if (event.runId === this.run?.runId) this.see(this.run, event.pos, event.chunk);
        return;
      case "caught_up":
        if (event.runId !== this.run?.runId) return;
        this.caughtUp = true;
        if (this.run.ended !== null) this.finish({ kind: "ended", ended: this.run.ended });
        else this.considerAsking();
        return;
      case "entry":
        return this.read(event.entry);
      case "lost":
        this.caughtUp = false;
        this.stage.note("The connection is lost; the run goes on without it. Connecting again …");
        return;
      case "hello":
        if (event.again) this.stage.note("Connected again.");
        return;
      case "complaint":
        return this.stage.note(event.error.message);
      case "over":
        return;
    }
  }

  /** The run that is followed, while it is not over. */
  readonly atWork = (): string | null => this.run?.runId ?? null;

  /** The first Ctrl-C: cancels the live run. Answers false when there is none, or when it was asked already. */
  interrupt(): boolean {
    const run = this.run;
    if (run === null || run.cancelled) return false;
    run.cancelled = true;
    this.asking?.abort.abort();
    this.stage.note("Cancelling the run … (Ctrl-C again leaves)");
    void this.line
      .request("cairn:cancel", { runId: run.runId, reason: "stopped in the terminal" })
      .then((answer) => {
        if (!answer.ok) this.stage.note(answer.error.message);
      });
    return true;
  }

  private see(run: Followed, pos: number | null, raw: RawChunk): void {
    this.stage.record({ type: "chunk", runId: run.runId, pos, chunk: raw });
    const chunk = parseChunk(raw);
    if (chunk === null) return;
    if (isLast(chunk)) run.sawLast = true;
    if (chunk.type === "data-question") return this.consider(chunk);
    if (chunk.type !== "data-approval") {
      this.put(render(this.view, chunk));
      // A remark, so that what is piped on ends with the answer.
      const receipt = receiptWords(chunk);
      return receipt === null ? undefined : this.stage.note(receipt);
    }
    const approval = chunk.data;
    this.put(render(this.view, chunk));
    this.approvals.see(approval);
    const isOver = approval.state !== "pending" || this.asking?.digest !== approval.digest;
    if (this.asking?.id === approval.id && isOver) this.asking.abort.abort();
    if (this.caughtUp) this.considerAsking();
  }

  private consider(chunk: Extract<Chunk, { type: "data-question" }>): void {
    this.put(render(this.view, chunk));
    const { questionId, state } = chunk.data;
    this.question = state === "open" ? chunk.data : null;
    if (state !== "open" && this.asking?.id === questionId) this.asking.abort.abort();
    if (this.caughtUp) this.considerAsking();
  }

  private read(entry: Logged): void {
    if (entry.kind !== "run_ended") return;
    const runId = `${this.session}.${entry.run}`;
    const run = this.run?.runId === runId ? this.run : null;
    const parsed = runEnded.safeParse(entry.body);
    if (!parsed.success) {
      if (run !== null) this.finish({ kind: "refused", error: notUnderstood("the end of the run") });
      return;
    }
    this.ends.set(runId, parsed.data);
    if (run === null) return;
    run.ended = parsed.data;
    if (run.sawLast) this.finish({ kind: "ended", ended: parsed.data });
    // The log knows of the end before the message showed all of it: ask for the rest, up to `caught_up`.
    else this.line.follow(runId);
  }

  private finish(ending: Ending): void {
    const run = this.run;
    if (run === null) return;
    this.run = null;
    this.asking?.abort.abort();
    if (this.view.midLine)
      this.put({ view: { ...this.view, midLine: false }, pieces: [{ tone: "plain", text: "\n" }] });
    if (ending.kind === "ended") this.stage.record({ type: "ended", runId: run.runId, ...ending.ended });
    run.settle(ending);
  }

  private considerAsking(): void {
    if (this.asking !== null || this.run === null || this.run.cancelled) return;
    const approval = this.approvals.next;
    if (approval !== null) void this.decide(approval);
    else if (this.question !== null) void this.answer(this.question);
  }

  /** The person's words go to the question as they are; without a person the run is left waiting. */
  private async answer({ questionId, options }: Question): Promise<void> {
    const abort = new AbortController();
    this.asking = { id: questionId, abort };
    const prompt = options.length > 0 ? "Your choice (number or words): " : "Your answer: ";
    let line;
    try {
      do line = await this.stage.ask(prompt, abort.signal);
      while (line?.trim() === "");
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      this.asking = null;
      return this.considerAsking();
    }
    this.asking = null;
    if (line === null) return this.finish({ kind: "refused", error: LEFT_OPEN });
    const answer = await this.line.request("cairn:answer", { questionId, value: line });
    if (!answer.ok) this.stage.note([answer.error.message, answer.error.hint ?? ""].join(" ").trim());
    // A choice that is none of them is asked for again; anything else came too late.
    if ((answer.ok || answer.error.code !== "invalid_answer") && this.question?.questionId === questionId)
      this.question = null;
    this.considerAsking();
  }

  private async decide(approval: Approval): Promise<void> {
    const abort = new AbortController();
    this.asking = { id: approval.id, digest: approval.digest, abort };
    const decision = await this.choose(approval, abort.signal);
    this.asking = null;
    if (decision === null) return this.considerAsking();
    this.approvals.send(approval);
    const answer = await this.line.request("cairn:approve", {
      approvalId: approval.id,
      digest: approval.digest,
      ...decision,
    });
    if (answer.ok) {
      this.approvals.heard(approval, votedOn.safeParse(answer.result).data?.digest ?? approval.digest);
      return this.considerAsking();
    }
    const again = decision.decision === "edit" && NOT_TAKEN.has(answer.error.code);
    this.approvals.refused(approval, again);
    if (again) {
      // The card still waits: say what is wrong with the arguments and ask again.
      for (const text of [
        answer.error.message,
        ...(answer.error.issues ?? []).map((issue) => `${issue.path}: ${issue.message}`),
      ])
        this.stage.note(text);
      return this.considerAsking();
    }
    const asked = !this.approveAll && decision.reason !== NOBODY;
    if (TOO_LATE.has(answer.error.code) || (asked && OF_OTHERS.has(answer.error.code))) {
      this.stage.note(answer.error.message);
      return this.considerAsking();
    }
    this.finish({ kind: "refused", error: answer.error });
  }

  /** The person's decision; null when the question is off the table. */
  private async choose(approval: Approval, signal: AbortSignal): Promise<Choice | null> {
    if (this.approveAll) {
      this.put(remark(this.view, "ask", "Approved unseen, because of --yes."));
      return { decision: "approve", reason: "approved by --yes" };
    }
    for (;;) {
      let line;
      try {
        line = await this.stage.ask(QUESTION, signal);
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      }
      if (line === null) return { decision: "deny", reason: NOBODY };
      const reply = parseReply(line);
      if (reply.decision === "edit") {
        const args = await this.edit(approval, reply.args, signal);
        if (args !== null) return { decision: "edit", args };
        if (signal.aborted) return null;
        continue;
      }
      const choice = decisionOf(reply, approval.remember ?? []);
      if (typeof choice !== "string") return choice;
      this.stage.note(choice);
    }
  }

  /** The arguments as the person wants them; null when what they typed is no JSON object. */
  private async edit(approval: Approval, typed: string | null, signal: AbortSignal): Promise<object | null> {
    let line = typed;
    if (line === null) {
      this.stage.note(`Now: ${JSON.stringify(approval.args)}`);
      try {
        line = await this.stage.ask("Arguments (JSON, nothing to go back): ", signal);
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      }
    }
    if (line === null || line.trim() === "") return null;
    const args = parseObject(line);
    if (args === null) this.stage.note('That is no JSON object. It looks like {"name":"value"}.');
    return args;
  }

  private put({ view, pieces }: Rendered): void {
    this.view = view;
    if (pieces.length > 0) this.stage.show(pieces);
  }
}

function notUnderstood(what: string): Fault {
  return {
    code: "not_understood",
    message: `The server described ${what} in a way that this client does not know.`,
  };
}
