import type { Entry } from "../../core/log/entry.ts";
import type { JsonObject } from "../../core/log/json.ts";
import { addUsage, type Usage, NO_USAGE } from "../../core/log/model.ts";
import { runId } from "../../core/log/names.ts";
import type { Progress } from "../../core/log/tool.ts";
import { endWords, failureWords } from "../../core/text/cause-words.ts";
import type { RunEnd } from "../../core/text/receipt-lines.ts";
import { stripMarker, createTape } from "../../core/text/markers.ts";
import { receiptView } from "../receipt.ts";
import { resultOf } from "../run-result.ts";
import { RUN_STATUS } from "../views.ts";
import { BudgetChunks } from "./budget-chunks.ts";
import { CallChunks, isAnswer } from "./call-chunks.ts";
import {
  stepChunk,
  usageChunk,
  usageView,
  verdictChunk,
  type StepPhase,
  questionChunk,
  clientCallChunk,
  citationChunks,
  textChunks,
} from "./data-parts.ts";
import type { Emission, OpenStep, Outgoing } from "./emission.ts";
import { PlanChunks } from "./plan-chunks.ts";
import { tapePosition, draftPosition } from "./tape-position.ts";
import { shownPart, isoTime, type PlacedChunk, type UiChunk, type DataChunk } from "./ui-chunk.ts";

/**
 * Maps the entries of one run to the chunks of its UI message stream. Owns the state of the mapping: the open step, the
 * calls shown, and whether a segment is open. The same entries produce the same chunks with the same `pos`, live or
 * replayed. Invariants: a segment begins with `start` and ends with one of `finish`, `abort` and `error`, and a chunk
 * never stands outside one.
 */
export class RunChunks {
  readonly id: string;
  readonly #session: string;
  readonly #run: string;
  #queued: Entry<"run_queued"> | null = null;
  #started: Entry<"run_started"> | null = null;
  #inputSeq: number | null = null;
  #joined: Entry<"user_message">[] = [];
  readonly #notes: Entry<"note">[] = [];
  #segment = -1;
  #open = false;
  #step: OpenStep | null = null;
  #question: Entry<"human_asked"> | null = null;
  #client: Entry<"client_asked"> | null = null;
  #answer: Entry<"answer"> | null = null;
  readonly #calls: CallChunks;
  #usage: Usage = NO_USAGE;
  readonly #plan = new PlanChunks();
  readonly #budget = new BudgetChunks();
  readonly #models = new Map<string, Usage & { calls: number }>();

  constructor(session: string, run: string) {
    this.#session = session;
    this.#run = run;
    this.id = runId(session, run);
    this.#calls = new CallChunks(session);
  }

  /** seq of the entry that opened the attempt in flight, or null when no model call is open */
  get base(): number | null {
    return this.#step?.base ?? null;
  }

  get step(): string | null {
    return this.#step?.view.step ?? null;
  }

  get queued(): Entry<"run_queued"> | null {
    return this.#queued;
  }

  /** Number of the newest segment, from 0; -1 before the first. */
  get segment(): number {
    return this.#segment;
  }

  /**
   * Returns the progress of a tool of the open step as a transient part; null `progress` clears it. Null without an
   * open step.
   */
  progress(progress: Progress | null): DataChunk | null {
    const step = this.#step;
    if (step === null || step.closed || step.waiting !== null || step.late) return null;
    return { ...stepChunk(step.view, "acting", noteOf(progress ?? step.progress)), transient: true };
  }

  /** Returns the chunks that an entry adds to the stream; null if it belongs to another run or adds nothing. */
  accept(entry: Entry): Emission | null {
    if (entry.run !== this.#run) return null;
    const out: Outgoing = {
      streamed: [],
      chunks: [],
      opens: false,
      end: null,
      withdrawn: null,
      request: null,
    };
    this.#map(entry, out);
    // A separate segment: the run still waits for a person.
    if (this.#step?.waiting != null && out.end === null && out.chunks.length > 0) this.#pause(out);
    if (out.chunks.length + out.streamed.length === 0 && !out.opens) return null;
    const opened = !this.#open;
    if (opened) {
      this.#open = true;
      this.#segment += 1;
      out.chunks.unshift(this.#start(entry));
    }
    if (out.end !== null) this.#open = false;
    const placed = out.chunks.map((chunk, index): PlacedChunk => ({
      pos: tapePosition(entry.seq, index),
      chunk,
    }));
    return {
      segment: this.#segment,
      opened,
      chunks: [...out.streamed, ...placed],
      end: out.end,
      withdrawn: out.withdrawn,
      request: out.request,
    };
  }

  #start(entry: Entry): UiChunk {
    if (this.#segment > 0) return { type: "start", messageId: this.id };
    const body = this.#started?.body ?? this.#queued?.body;
    const { seq, at } = this.#started ?? entry;
    return {
      type: "start",
      messageId: this.id,
      messageMetadata: {
        runId: this.id,
        sessionId: this.#session,
        seq,
        model: body?.model ?? "",
        createdAt: isoTime(at),
      },
    };
  }

  #map(entry: Entry, out: Outgoing): void {
    out.chunks.push(...this.#plan.accept(entry), ...this.#budget.accept(this.#session, entry));
    switch (entry.kind) {
      case "run_queued":
        this.#queued = entry;
        this.#inputSeq = entry.body.inputSeq;
        return;
      case "user_message":
        if (this.#started !== null && entry.seq !== this.#inputSeq && entry.body.mode !== "answer")
          this.#joined.push(entry);
        return;
      case "run_started":
        this.#started = entry;
        out.opens = true;
        for (const note of this.#notes)
          out.chunks.push(...textChunks(`${this.#run}n${note.seq}`, note.body.text));
        return;
      case "note":
        // Shown with the message that requested the run, before its work begins.
        if (entry.body.digest === undefined) return;
        if (this.#started === null) this.#notes.push(entry);
        else out.chunks.push(...textChunks(`${this.#run}n${entry.seq}`, entry.body.text));
        return;
      case "step_started":
        return this.#stepStarted(entry, out);
      case "attempt_lost":
        if (entry.body.what === "model")
          this.#attemptEnded(entry, "thinking", null, "it was interrupted", out);
        return;
      case "model_failed": {
        const { then, until } = entry.body;
        const phase = then === "retry" ? "retrying" : then === "end" ? "done" : "thinking";
        this.#attemptEnded(entry, phase, until, failureWords(entry.body.class), out);
        if (then === "end" && this.#step !== null) this.#step.base = null;
        return;
      }
      case "command_queued":
        // The announced wait is over.
        if (entry.body.command === "retry_now" && this.#step?.base != null)
          out.chunks.push(stepChunk(this.#step.view, "thinking"));
        return;
      case "model_replied":
        return this.#replied(entry, out);
      case "call_intended":
        out.chunks.push(...this.#calls.show(entry.body.call));
        return;
      case "call_settled":
        // Stopped with its run, while it waited.
        if (this.#client?.body.call === entry.body.call) {
          this.#resumed(entry.at);
          this.#closeClientCall("stopped", out);
        }
        out.chunks.push(...this.#calls.settled(entry));
        return this.#settled(entry, out);
      case "progress_noted": {
        const step = this.#step;
        if (step === null) return;
        step.progress = entry.body;
        out.chunks.push(stepChunk(step.view, "acting", noteOf(entry.body)));
        return;
      }
      case "approval_requested":
        out.chunks.push(...this.#calls.approvalRequested(entry));
        return entry.body.policy === undefined ? this.#wait(entry.at, out) : undefined;
      case "approval_voted":
      case "approval_escalated":
        out.chunks.push(...this.#calls.changed(entry));
        return;
      case "approval_decided":
      case "approval_cancelled":
        this.#resumed(entry.at);
        out.chunks.push(...this.#calls.decided(entry));
        return;
      case "human_asked":
        this.#question = entry;
        out.chunks.push(...this.#calls.show(entry.body.call ?? ""), questionChunk(entry, null));
        return this.#wait(entry.at, out);
      case "human_answered":
        this.#resumed(entry.at);
        out.request = entry.body.request;
        return this.#closeQuestion(entry, out);
      case "client_asked":
        this.#client = entry;
        out.chunks.push(clientCallChunk(entry, null));
        return this.#wait(entry.at, out);
      case "client_answered":
        this.#resumed(entry.at);
        out.request = entry.body.request;
        return this.#closeClientCall(entry, out);
      case "verdict":
      case "review":
      case "compacted":
        out.chunks.push(verdictChunk(entry));
        return;
      case "answer":
        this.#answer = entry;
        if (!entry.body.shown) this.#text(entry.body.text, out);
        out.chunks.push(...citationChunks(this.id, entry.body));
        return;
      case "run_ended":
        return this.#ended(entry, out);
      default:
        return;
    }
  }

  #stepStarted(entry: Entry<"step_started">, out: Outgoing): void {
    this.#finishStep(entry.at, "done", out);
    for (const { body } of this.#joined)
      out.chunks.push({ type: "steering-message", id: body.id, parts: body.parts.map(shownPart) });
    this.#joined = [];
    const { n, model } = entry.body;
    const step = entry.step ?? `${this.#run}s${n}`;
    const none = { waitedMs: 0, inputTokens: null, outputTokens: null };
    const view = { runId: this.id, step, n, attempt: 1, model, startedAt: entry.at, ...none };
    this.#step = {
      view,
      base: entry.seq,
      parts: 0,
      finished: false,
      closed: false,
      waiting: null,
      late: true,
      open: new Set(),
      progress: null,
    };
    out.chunks.push({ type: "start-step" }, stepChunk(view, "thinking"));
  }

  /** The texts of the attempt are withdrawn; the parts of the step's message go with them. */
  #attemptEnded(entry: Entry, phase: StepPhase, until: number | null, note: string, out: Outgoing): void {
    const step = this.#step;
    if (step === null || step.base === null) return;
    out.withdrawn = step.base;
    step.base = entry.seq;
    step.view = { ...step.view, attempt: step.view.attempt + 1 };
    out.chunks.push({ type: "reset-step" }, stepChunk(step.view, phase, { until, note }));
  }

  #replied(entry: Entry<"model_replied">, out: Outgoing): void {
    const { parts, calls, usage, model, base } = entry.body;
    const step = this.#step;
    if (step === null) return;
    const tape = createTape();
    for (const [index, part] of parts.entries()) {
      if (part.type === "call") continue;
      const shown = part.type === "text" ? stripMarker(part.text) : part.text;
      if (shown === "") continue;
      const id = `${step.view.step}t${step.parts++}`;
      const end = tape.add({ part: index, text: shown });
      const at = (offset: number): number => draftPosition(base, offset);
      out.streamed.push(
        { pos: at(end - shown.length), chunk: { type: `${part.type}-start`, id } },
        { pos: at(end), chunk: { type: `${part.type}-delta`, id, delta: shown } },
        { pos: at(end + 1), chunk: { type: `${part.type}-end`, id } },
      );
    }
    step.base = null;
    const { inputTokens, outputTokens } = usage;
    step.view = { ...step.view, inputTokens, outputTokens };
    for (const call of calls) {
      this.#calls.proposed(call);
      step.open.add(call.call);
    }
    // Without calls, or with an answer given as a call, the answer's text still belongs to this step.
    step.late = calls.every((call) => isAnswer(call.tool));
    this.#usage = addUsage(this.#usage, usage);
    const before = this.#models.get(model) ?? { ...NO_USAGE, calls: 0 };
    this.#models.set(model, { ...addUsage(before, usage), calls: before.calls + 1 });
    out.chunks.push(usageChunk(this.#usage, this.#models));
    if (!step.late) out.chunks.push(stepChunk(step.view, "acting"));
  }

  /** The last call of a step finishes it, unless its answer is still to come. */
  #settled(entry: Entry<"call_settled">, out: Outgoing): void {
    const step = this.#step;
    if (step === null || !step.open.delete(entry.body.call) || step.open.size > 0 || step.late) return;
    this.#finishStep(entry.at, "done", out);
  }

  /** The run waits for a person: the segment ends. */
  #wait(at: number, out: Outgoing): void {
    this.#finishStep(at, "waiting", out);
    if (this.#step !== null) this.#step.waiting = at;
    this.#pause(out);
  }

  #resumed(at: number): void {
    const step = this.#step;
    if (step === null || step.waiting === null) return;
    step.view = { ...step.view, waitedMs: step.view.waitedMs + at - step.waiting };
    step.waiting = null;
  }

  #pause(out: Outgoing): void {
    out.chunks.push({ type: "finish", finishReason: "tool-calls" });
    out.end = { outcome: "completed", errorText: null, last: false };
  }

  /** An answer that the stream has not shown yet, as one part of the step that gave it. */
  #text(text: string, out: Outgoing): void {
    if (text === "") return;
    const id = this.#step === null ? `${this.#run}t0` : `${this.#step.view.step}t${this.#step.parts++}`;
    out.chunks.push(...textChunks(id, text));
  }

  #closeQuestion(end: Entry<"human_answered"> | "run_ended", out: Outgoing): void {
    if (this.#question !== null) out.chunks.push(questionChunk(this.#question, end));
    this.#question = null;
  }

  #closeClientCall(end: Entry<"client_answered"> | "stopped", out: Outgoing): void {
    if (this.#client !== null) out.chunks.push(clientCallChunk(this.#client, end));
    this.#client = null;
  }

  #ended(entry: Entry<"run_ended">, out: Outgoing): void {
    const { outcome, reason, usage } = entry.body;
    this.#closeQuestion("run_ended", out);
    const face = entry.body.class;
    this.#resumed(entry.at);
    this.#finishStep(entry.at, "done", out);
    const metadata = {
      status: RUN_STATUS[face],
      outcome: face,
      reason,
      usage: usageView(usage),
      ...this.#outcome({ outcome: face, reason }),
    };
    if (face === "answered" || face === "partial") {
      out.chunks.push({ type: "finish", finishReason: "stop", messageMetadata: metadata });
      out.end = { outcome: "completed", errorText: null, last: true };
      return;
    }
    out.chunks.push({ type: "message-metadata", messageMetadata: metadata });
    if (face === "cancelled") {
      out.chunks.push({ type: "abort", ...(reason === null ? {} : { reason }) });
      const never = this.#started === null && outcome !== "cancelled";
      out.end = { outcome: never ? "skipped" : "aborted", errorText: null, last: true };
      return;
    }
    const errorText = `The run ${endWords(face, reason)}.`;
    out.chunks.push({ type: "error", errorText });
    out.end = { outcome: "error", errorText, last: true };
  }

  /** Returns the outcome of a run. An imported log may lack the run_queued that names the result. */
  #outcome(end: RunEnd): JsonObject {
    const answer = this.#answer?.body ?? null;
    const queued = this.#queued?.body ?? null;
    return {
      receipt: answer === null ? null : receiptView(answer, end),
      result: answer === null || queued === null ? null : resultOf(queued, answer),
    };
  }

  #finishStep(at: number, phase: StepPhase, out: Outgoing): void {
    const step = this.#step;
    if (step === null || step.closed) return;
    step.closed = phase === "done";
    out.chunks.push(
      stepChunk(step.view, phase, { ...(phase === "done" ? { at } : {}), ...noteOf(step.progress) }),
    );
    if (!step.finished) out.chunks.push({ type: "finish-step" });
    step.finished = true;
  }
}

const noteOf = (progress: Progress | null): { note: string | null; percent: number | null } => ({
  note: progress?.text ?? null,
  percent: progress?.percent ?? null,
});
