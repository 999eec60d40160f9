import * as z from "zod";
import { mayDecide, NOTHING_SHOWN, showAt, type Gate } from "../../cairn/protocol/decision-gate.ts";
import { OpenApprovals } from "./approvals/open-approvals.ts";
import { isLast, parseChunk, type Approval, type BudgetShown, type Chunk, type Question } from "./chunks.ts";
import type { RunFields } from "./chat-options.ts";
import type { ConnectionEvent } from "./connection.ts";
import { runEnded, sendResponse, type Fault, type Logged, type RawChunk, type RunEnded } from "./frames.ts";
import { isBelow, isStarter, type ApprovalBelow, type Below } from "./approvals/below.ts";
import { choose, type ApprovalPrompt } from "./approvals/choose.ts";
import type { Ending, ConnectionPort, TerminalPort } from "./ports.ts";
import { rememberedWords } from "./approvals/remembered.ts";
import type { Choice } from "./approvals/reply.ts";
import { WaitingText } from "./waiting-text.ts";
import {
  NEW_VIEW,
  progressWords,
  remark,
  receiptWords,
  render,
  type Rendered,
  type View,
} from "./screen/view.ts";

/**
 * A conversation of a person with a session: messages, output, the approval that is asked about, and the end of a
 * run. Owns no socket and no terminal. Invariants: the person is asked about one approval at a time, only while it is
 * pending as far as the server has reported, and a decision carries the digest of the card that was shown.
 */

export type { Ending, ConnectionPort, TerminalPort } from "./ports.ts";

interface Followed {
  readonly runId: string;
  readonly resolve: (ending: Ending) => void;
  sawLast: boolean;
  ended: RunEnded | null;
  denied: boolean;
  stopped: boolean;
  doing: string | null;
  /** of the newest call */
  tool: string | null;
}

/** The edited arguments were refused; the approval is as it was. */
const NOT_TAKEN = new Set(["invalid_args", "not_editable"]);
/** Another decision came first, or none is needed any more. */
const TOO_LATE = new Set(["already_decided", "approval_cancelled", "approval_expired", "digest_mismatch"]);
/** Others decide it: the person here waits for them. */
const OF_OTHERS = new Set(["not_an_approver", "requester_cannot_approve"]);
const THINKING = "thinking";
const LOST = "The connection is lost; connecting again";
/** The voted digest: an edit is a new proposal. */
const votedOn = z.object({ digest: z.string() });

export class Conversation {
  private readonly session: string;
  private readonly line: ConnectionPort;
  private readonly terminal: TerminalPort;
  private readonly approveAll: boolean;
  private readonly fields: RunFields;
  private readonly below: Below | null;
  /** stops polling the runs below; null while nobody polls */
  private unwatch: (() => void) | null = null;
  private approvalsBelow: readonly ApprovalBelow[] = [];
  private view: View = NEW_VIEW;
  private run: Followed | null = null;
  private caughtUp = false;
  private readonly approvals = new OpenApprovals();
  private question: Question | null = null;
  private readonly text = new WaitingText();
  /** of the run at work, which waits for no answer to it */
  private budget: BudgetShown | null = null;
  private budgetGate: Gate = NOTHING_SHOWN;
  /** the card or question that was shown last: the prompt is below it */
  private onScreen: string | null = null;
  /** runs that ended before anyone here followed them: a short one is over before its receipt is read */
  private readonly ends = new Map<string, RunEnded>();
  private readonly answers = new Map<string, string>();
  private readonly prompt: ApprovalPrompt;
  private lost = false;
  private asking: {
    readonly id: string;
    readonly digest: string | null;
    readonly abort: AbortController;
  } | null = null;

  constructor(
    session: string,
    line: ConnectionPort,
    stage: TerminalPort,
    options: { readonly approveAll: boolean; readonly fields?: RunFields },
    below: Below | null = null,
  ) {
    this.below = below;
    this.session = session;
    this.line = line;
    this.terminal = stage;
    this.approveAll = options.approveAll;
    this.fields = options.fields ?? {};
    const showChanged = (data: Approval): void =>
      this.put(render(this.view, { type: "data-approval", data }), true);
    this.prompt = { ...stage, showChanged };
  }

  /** Sends a message under the client's own message ID and follows the run to its end. */
  async send(text: string, id: string): Promise<Ending> {
    const answer = await this.line.request("cairn:send", { ...this.fields, text, id });
    if (!answer.ok) return { kind: "refused", error: answer.error };
    const parsed = sendResponse.safeParse(answer.result);
    if (!parsed.success) return { kind: "refused", error: notUnderstood("the receipt of a message") };
    const { runId, queued } = parsed.data;
    this.terminal.record({ type: "accepted", runId, queued: queued ?? 0 });
    if ((queued ?? 0) > 0)
      this.terminal.note(`Waiting behind ${queued} other ${queued === 1 ? "run" : "runs"} …`);
    return this.follow(runId);
  }

  /** Works with a run that exists already to its end; shows it from its beginning. */
  follow(runId: string): Promise<Ending> {
    return new Promise((resolve) => {
      const ended = this.ends.get(runId) ?? null;
      this.run = {
        runId,
        resolve,
        sawLast: false,
        ended,
        denied: false,
        stopped: false,
        doing: THINKING,
        tool: null,
      };
      this.caughtUp = false;
      this.approvals.clear();
      this.question = null;
      this.budget = null;
      this.budgetGate = NOTHING_SHOWN;
      this.onScreen = null;
      this.line.follow(runId);
      this.showBusy();
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
        if (this.run.ended !== null) this.finishEnded(this.run, this.run.ended);
        else this.considerAsking();
        return;
      case "entry":
        return this.read(event.entry);
      case "lost":
        this.caughtUp = false;
        // An interactive status line shows it, with the seconds.
        if (!this.lost && !this.terminal.interactive) this.terminal.note(`${LOST} …`);
        this.lost = true;
        return this.showBusy();
      case "hello":
        this.lost = false;
        this.showBusy();
        if (event.again) this.terminal.note("Connected again.");
        return;
      case "complaint":
        return this.terminal.print(event.error.message);
      case "over":
        return;
    }
  }

  /** The run that is followed, while it is not over. */
  readonly atWork = (): string | null => this.run?.runId ?? null;

  /** The decision or answer that the live run waits for; null if it waits for nobody. */
  readonly waitsFor = (): string | null => {
    if (this.run === null) return null;
    return this.approvals.next !== null ? "a decision" : this.question !== null ? "an answer" : null;
  };

  /** The open question whether the run at work may have more, or null. */
  readonly asksForMore = (): Pick<BudgetShown, "id" | "askedAt"> | null =>
    this.run !== null && this.budget?.state === "open" ? this.budget : null;

  /** True if a word whose first key was pressed at this time may answer that question. */
  readonly mayAnswerMore = (beganAt: number): boolean => mayDecide(this.budgetGate, beganAt);

  /** That question was answered here: the chunk that reports it may come after the answer to the request. */
  answeredMore(question: string): void {
    if (this.budget?.id === question) this.budget = null;
  }

  /** Stops the run at work. False when there is none, or when it was asked already. */
  stop(): boolean {
    const { run } = this;
    if (run === null || run.stopped) return false;
    run.stopped = true;
    this.asking?.abort.abort();
    this.do("stopping");
    void this.line
      .request("cairn:cancel", { runId: run.runId, hold: true, reason: "stopped in the terminal" })
      .then((answer) => {
        if (!answer.ok) this.terminal.print(answer.error.message);
      });
    return true;
  }

  private see(run: Followed, pos: number | null, raw: RawChunk): void {
    this.terminal.record({ type: "chunk", runId: run.runId, pos, chunk: raw });
    const chunk = parseChunk(raw);
    if (chunk === null) return;
    if (isLast(chunk)) run.sawLast = true;
    if (chunk.type === "start-step") this.do(THINKING);
    if (chunk.type === "tool-input-available") this.do((run.tool = chunk.toolName));
    if (chunk.type === "tool-input-available" && isStarter(chunk.toolName))
      this.unwatch ??= this.below?.watch((approvals) => this.receiveBelow(approvals)) ?? null;
    if (chunk.type === "data-step" && chunk.data.phase === "retrying") this.do("waiting to try again");
    if (chunk.type === "data-step" && chunk.transient === true)
      return this.do([run.tool, progressWords(chunk.data)].filter((words) => words !== null).join(": "));
    if (chunk.type === "data-budget-question") {
      this.budget = chunk.data;
      const content = chunk.data.state === "open" ? JSON.stringify(chunk.data) : null;
      this.budgetGate = showAt(this.budgetGate, content, this.terminal.now());
    }
    if (chunk.type === "data-question") return this.consider(chunk);
    if (chunk.type !== "data-approval") {
      return this.showChunk(chunk);
    }
    const approval = chunk.data;
    if (approval.state !== "pending") this.put(render(this.view, chunk));
    else if (this.isFreeFor(approval.id)) this.present(approval);
    if (approval.state === "denied" || approval.state === "expired") run.denied = true;
    this.approvals.see(approval);
    const isOver = approval.state !== "pending" || this.asking?.digest !== approval.digest;
    if (this.asking?.id === approval.id && isOver) this.asking.abort.abort();
    if (this.caughtUp) this.considerAsking();
  }

  /** The text of a step is shown when the step goes on, or below the receipt when the run has ended. */
  private showChunk(chunk: Chunk): void {
    if (this.text.takes(chunk)) return this.do("writing");
    // No part of what is piped on, and shown where remarks are not wanted too.
    const receipt = receiptWords(chunk);
    if (receipt !== null) this.terminal.print(receipt);
    for (const waiting of this.text.release(chunk)) this.put(render(this.view, waiting));
    this.put(render(this.view, chunk));
  }

  /** Receives the open approvals of runs below: shows new ones, and stops waiting for those that are gone. */
  private receiveBelow(approvals: readonly ApprovalBelow[]): void {
    const before = new Map(this.approvalsBelow.map((one) => [one.approval.id, one.approval]));
    this.approvalsBelow = approvals;
    for (const { approval } of approvals) {
      const known = before.get(approval.id);
      before.delete(approval.id);
      if (known?.digest === approval.digest) continue;
      if (this.isFreeFor(approval.id)) this.present(approval);
      this.approvals.see(approval);
    }
    for (const gone of before.values()) {
      this.approvals.see({ ...gone, state: "cancelled" });
      if (this.asking?.id === gone.id) this.asking.abort.abort();
    }
    if (this.caughtUp) this.considerAsking();
  }

  private consider(chunk: Extract<Chunk, { type: "data-question" }>): void {
    const { questionId, state } = chunk.data;
    if (state !== "open") this.put(render(this.view, chunk));
    else if (this.isFreeFor(questionId)) this.presentQuestion(chunk.data);
    this.question = state === "open" ? chunk.data : null;
    if (state !== "open" && this.asking?.id === questionId) this.asking.abort.abort();
    if (this.caughtUp) this.considerAsking();
  }

  private read(entry: Logged): void {
    const runId = `${this.session}.${entry.run}`;
    if (entry.kind === "answer" && typeof entry.body["text"] === "string")
      this.answers.set(runId, entry.body["text"]);
    if (entry.kind !== "run_ended") return;
    const run = this.run?.runId === runId ? this.run : null;
    const parsed = runEnded.safeParse(entry.body);
    if (!parsed.success) {
      if (run !== null) this.finish({ kind: "refused", error: notUnderstood("the end of the run") });
      return;
    }
    this.ends.set(runId, parsed.data);
    if (run === null) return;
    run.ended = parsed.data;
    if (run.sawLast) this.finishEnded(run, parsed.data);
    // The log knows of the end before the message showed all of it: ask for the rest, up to `caught_up`.
    else this.line.follow(runId);
  }

  private finishEnded({ runId, denied }: Followed, ended: RunEnded): void {
    this.finish({ kind: "ended", ended, denied, answer: this.answers.get(runId) ?? null });
  }

  private finish(ending: Ending): void {
    const run = this.run;
    if (run === null) return;
    this.run = null;
    this.unwatch?.();
    this.unwatch = null;
    this.approvalsBelow = [];
    this.asking?.abort.abort();
    this.showBusy();
    for (const waiting of this.text.releaseAll()) this.put(render(this.view, waiting));
    if (this.view.midLine)
      this.put({ view: { ...this.view, midLine: false }, pieces: [{ tone: "plain", text: "\n" }] });
    if (ending.kind === "ended") this.terminal.record({ type: "ended", runId: run.runId, ...ending.ended });
    if (ending.kind === "waits") this.terminal.record({ type: "waits", runId: run.runId, for: ending.for });
    run.resolve(ending);
  }

  private considerAsking(): void {
    if (this.asking !== null || this.run === null || this.run.stopped) return;
    const approval = this.approvals.next;
    const { question } = this;
    if (approval !== null) {
      if (this.onScreen !== cardOf(approval)) this.present(approval);
      void this.wait(approval.id, approval.digest, (signal) => this.decide(approval, signal));
    } else if (question !== null) {
      if (this.onScreen !== question.questionId) this.presentQuestion(question);
      void this.wait(question.questionId, null, (signal) => this.answer(question, signal));
    }
    this.showBusy();
  }

  /** True if a card may be shown now. Above the prompt of another one it would look like what is being decided. */
  private isFreeFor(id: string): boolean {
    return this.asking === null || this.asking.id === id;
  }

  private present(approval: Approval): void {
    const below = this.approvalsBelow.find((one) => one.approval.id === approval.id);
    if (below !== undefined) {
      const { objective } = below;
      const words = `A sub-run asks${objective === null ? "" : `, for: ${objective}`}`;
      this.put(remark(this.view, "ask", words), true);
    }
    this.onScreen = cardOf(approval);
    this.put(render(this.view, { type: "data-approval", data: approval }), true);
  }

  private presentQuestion(question: Question): void {
    this.onScreen = question.questionId;
    this.put(render(this.view, { type: "data-question", data: question }), true);
  }

  /** Works with one thing that waits for the person, until it is settled or off the table. */
  private async wait(
    id: string,
    digest: string | null,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const abort = new AbortController();
    this.asking = { id, digest, abort };
    this.showBusy();
    try {
      await work(abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    }
    this.asking = null;
    this.considerAsking();
  }

  /** The person's words go to the question as they are; without a person the run is left waiting. */
  private async answer({ questionId, options }: Question, signal: AbortSignal): Promise<void> {
    const prompt = options.length > 0 ? "Your choice (number or words): " : "Your answer: ";
    let line;
    do line = await this.terminal.ask(prompt, signal);
    while (line?.trim() === "");
    if (line === null) return this.finish({ kind: "waits", for: "an answer" });
    const answer = await this.line.request("cairn:answer", { questionId, value: line });
    if (!answer.ok) this.terminal.print([answer.error.message, answer.error.hint ?? ""].join(" ").trim());
    // A choice that is none of them is asked for again; anything else came too late.
    if ((answer.ok || answer.error.code !== "invalid_answer") && this.question?.questionId === questionId)
      this.question = null;
  }

  private async decide(approval: Approval, signal: AbortSignal): Promise<void> {
    const choice = this.approveAll ? this.unseen() : await choose(approval, this.prompt, signal);
    if (choice === null) return this.finish({ kind: "waits", for: "a decision" });
    this.approvals.send(approval);
    const { id, digest } = approval;
    const answer =
      this.below !== null && isBelow(id)
        ? await this.below.decide(id, { digest, ...choice })
        : await this.line.request("cairn:approve", { approvalId: id, digest, ...choice });
    if (answer.ok) {
      this.approvals.accepted(approval, votedOn.safeParse(answer.result).data?.digest ?? approval.digest);
      if (choice.decision === "approve" && choice.remember !== undefined)
        this.terminal.print(rememberedWords(approval.tool, choice.remember));
      return;
    }
    const { code, message, issues = [] } = answer.error;
    // The card still waits: report the invalid arguments and ask again.
    const again = choice.decision === "edit" && NOT_TAKEN.has(code);
    this.approvals.refused(approval, again);
    if (again)
      return this.terminal.print(
        [message, ...issues.map((issue) => `${issue.path}: ${issue.message}`)].join("\n"),
      );
    if (OF_OTHERS.has(code) && this.approveAll)
      return this.finish({ kind: "waits", for: "a decision of others" });
    if (TOO_LATE.has(code) || OF_OTHERS.has(code)) return this.terminal.print(message);
    this.finish({ kind: "refused", error: answer.error });
  }

  private unseen(): Choice {
    this.put(remark(this.view, "ask", "Approved without review (--yes)."));
    return { decision: "approve", reason: "approved by --yes" };
  }

  /** Shows the activity of the run, unless the run waits for the person. */
  private showBusy(): void {
    const doing = this.run === null || this.asking !== null ? null : this.run.doing;
    this.terminal.busy(this.lost ? LOST : doing);
  }

  private do(words: string | null): void {
    if (this.run === null) return;
    this.run.doing = words;
    this.showBusy();
  }

  private put({ view, pieces }: Rendered, approvals = false): void {
    this.view = view;
    if (pieces.length === 0) return;
    if (approvals) this.terminal.showRequest(pieces);
    else this.terminal.show(pieces);
  }
}

const cardOf = ({ id, digest }: Approval): string => `${id} ${digest}`;

function notUnderstood(what: string): Fault {
  return {
    code: "not_understood",
    message: `The server described ${what} in a way that this client does not know.`,
  };
}
