import type { DayCaps } from "../../core/guards/budget/admit.ts";
import type { PlainWords } from "../../core/guards/words.ts";
import type { Policy } from "../../core/log/approval.ts";
import type { Entry, EntryDraft } from "../../core/log/entry.ts";
import type { ChildAsk } from "../../core/family/ask.ts";
import type { ParentRun, Share } from "../../core/log/child.ts";
import type { Json } from "../../core/log/json.ts";
import type { DraftPiece, Model, ToolOffer } from "../../core/log/model.ts";
import type { Dialect } from "../../core/log/model.ts";
import type { RunSpec } from "../../core/log/run-spec.ts";
import type { PluginOptions } from "../../core/log/plugin-options.ts";
import type { EvidenceRecord, PageRecord } from "../../core/log/receipt.ts";
import type {
  CallOrder,
  Checked,
  InputForm,
  PreviewOutcome,
  CallProgress,
  ToolCard,
  ToolFailure,
  ToolOutcome,
  Progress,
} from "../../core/log/tool.ts";
import type { Hooks } from "../../core/loop/hooks.ts";
import type { PriceList, WindowList } from "../../core/model-tables.ts";
import type { TranscriptPolicy } from "../../core/prompt/transcript.ts";
import type { AcceptedRun, State } from "../../core/state/state.ts";
import type { Redactor } from "../../core/text/redact.ts";

/**
 * Everything the engine touches outside itself. A simulation implements the same six: store (entries and alarm), model,
 * tools, audience (sockets), clock, and the session's facts.
 */
export interface Ports {
  readonly session: string;
  readonly store: Store;
  /** null while no model is available: runs wait in the queue */
  readonly model: Model | null;
  readonly tools: Tools;
  readonly audience: Audience;
  readonly clock: () => number;
  readonly facts: Facts;
  readonly hooks: Hooks;
  /** the tools and hooks of a run, as it was accepted; those above when left out */
  readonly partsOf?: ((spec: RunSpec) => Pick<Ports, "tools" | "hooks">) | undefined;
  /** true if a run begins in a separate alarm, because its tools are loaded before that; default false */
  readonly beginsAnew?: (() => boolean) | undefined;
  /** scrubs secrets from whatever is written, stored or shown */
  readonly redact: Redactor;
  /** what else wants the session's alarm; nothing when left out */
  readonly background?: Background;
  /** the sessions that its calls start; none can be started when left out */
  readonly family?: Family | undefined;
  /** decisions that people have given for later calls too, with the votes that these people have at `at`; none when left out */
  readonly policies?: (at: number) => readonly Policy[];
  /** when the session was made, milliseconds since the epoch: one deleted and made again is another; null when left out */
  readonly createdAt?: () => number | null;
}

/** The part of it that the log is written with. */
export type EngineBase = Pick<Ports, "session" | "store" | "clock" | "redact">;

/**
 * The child sessions, as the loop needs them. Reports, polls and stops are background work (session/family), and reach
 * the loop as entries.
 */
export interface Family {
  /** Starts the child of a call, or finds the one that it has started: the same key gives the same answer. Never throws. */
  start(order: ChildOrder, signal: AbortSignal): Promise<ChildStarted>;
}

/** An order to start a child. All of it is in the parent's log, so a second try is identical. */
export interface ChildOrder {
  /** its session, named by the call */
  readonly child: string;
  /** of the call, the same for each of its tries */
  readonly key: string;
  readonly parent: ParentRun;
  readonly share: Share;
  readonly ask: ChildAsk;
  /** the run that starts it */
  readonly from: ChildOrigin;
}

/** Settings that a child inherits from its parent run, and stays within. */
export interface ChildOrigin {
  readonly request: Pick<
    AcceptedRun,
    "actor" | "source" | "role" | "approvers" | "origin" | "askedAt" | "imported" | "temperature"
  >;
  /** with which it is worked now */
  readonly model: string;
  readonly fallbacks: readonly string[];
  readonly spec: RunSpec;
  /** names of its tools: a child has no others */
  readonly grant: readonly string[];
}

/** `lost`: it is unknown whether the child exists. */
export type ChildStarted =
  | { readonly kind: "started"; readonly child: string }
  | { readonly kind: "failed"; readonly failure: ToolFailure; readonly lost: boolean };

/** Background work after a wake, never in its way: an index to write, a due delivery. */
export interface Background {
  /** next due time for this state, milliseconds since the epoch; null without work */
  due(state: State): number | null;
  /**
   * Work that has fallen due becomes entries, in the transaction that claims or commits and before the loop looks what to do.
   * `since`: the session has been at work since then.
   */
  fallDue?(log: OpenLog, since: number): void;
  /** Entries were written: called at the end of their transaction. Never throws. */
  wrote?(entries: readonly Entry[], state: State): void;
}

/** The log inside a transaction. */
export interface OpenLog {
  /** time of the transaction */
  readonly at: number;
  readonly state: State;
  append(drafts: readonly EntryDraft[]): readonly Entry[];
}

/** Session settings that are not history. */
export interface Facts {
  readonly session: string;
  /** version of Cairn, written with each run */
  readonly harness: string;
  /** reads requests and answers by their words; NO_WORDS without a plugin that has some */
  readonly words: PlainWords;
  /**
   * the static prefix of a prompt: these modules of `prompts/` after the ones that are always there, the texts of plugins under
   * the options of the run, and its own words
   */
  readonly instructions: (modules: readonly string[], own: string, options?: PluginOptions) => string;
  /** how much of the conversation a prompt for this model holds, where its run wants so much */
  readonly transcript: (model: string, wanted: TranscriptPolicy) => TranscriptPolicy;
  /** dialect of a model if its run sets none; native when left out */
  readonly dialect?: (model: string) => Dialect;
  /** targets that unattended runs may write to; none when left out */
  readonly reachable?: readonly string[];
  /** context windows in tokens, if the deployment sets them */
  readonly windows?: WindowList;
  /** model prices, if the deployment sets them */
  readonly prices?: PriceList;
  /** what the session may spend in a day; DAY_CAPS when left out */
  readonly day?: DayCaps;
  /** what the person's clock shows then, with its zone; null, or left out, where the zone is not known */
  readonly localTime?: (at: number) => string | null;
}

/** The claim of the effect that is being performed. One left behind means that its wake died in it. */
export interface Claim {
  readonly no: number;
  readonly effect: string;
  readonly at: number;
}

/** The one row with the session's position in its log. */
export interface Cursor {
  readonly state: State;
  readonly claimNo: number;
  readonly claim: Claim | null;
  /** time of the armed alarm, null when none is */
  readonly armedAt: number | null;
  /** every next alarm is later than this */
  readonly alarmFloor: number;
}

/** SQLite of one session, and its alarm: both belong to the transaction that writes them. */
export interface Store {
  /** Runs the body atomically: a throw rolls back entries, cursor and alarm. No await inside. */
  transaction<Result>(body: () => Result): Result;
  /** Reads from disk, because another instance may have written. */
  loadCursor(): Cursor | null;
  /** The state of the cursor as it was read or written last by this instance. */
  loadState(): State | null;
  saveCursor(cursor: Cursor): void;
  appendEntries(entries: readonly Entry[]): void;
  /** entries with seq > after, ascending */
  entriesAfter(after: number, limit: number): Entry[];
  /** entries with seq < before, descending */
  entriesBefore(before: number, limit: number): Entry[];
  /** entries with from <= seq <= to, ascending */
  entriesBetween(from: number, to: number): Entry[];
  /** what was answered to an id taken before, or null */
  seen(source: string, id: string): string | null;
  remember(source: string, id: string, answer: string, at: number): void;
  /** text of the model call in flight, in order; dropped when its attempt ends */
  saveDraft(step: string, attempt: number, index: number, pieces: readonly DraftPiece[]): void;
  loadDraft(step: string, attempt: number): DraftPiece[];
  dropDrafts(): void;
  /** a text too long for an entry of the log, under a derived name; a repeat writes the same over it */
  saveBlob(ref: string, text: string): void;
  loadBlob(ref: string): string | null;
  readonly sources: SourceIndex;
  setAlarm(at: number): void;
  deleteAlarm(): void;
  /** the platform's own view of the alarm, outside any transaction */
  armedAlarm(): Promise<number | null>;
}

/** Outside sources that the session has read, by name. Sources are written with the entries that name them. */
export interface SourceIndex {
  /** the highest numbers that were given */
  count(): { readonly pages: number; readonly evidence: number };
  /** the page with this text */
  pageOf(digest: string): string | null;
  page(name: string): PageRecord | null;
  evidence(name: string): (EvidenceRecord & { readonly run: string }) | null;
  /** addresses that a call has shown */
  saveUrls(call: string, urls: readonly string[]): void;
  /** whether a call has shown this address */
  knowsUrl(url: string): boolean;
}

/** The registry, seen from the loop. Nothing here throws. */
export interface Tools {
  /** tools that can be offered, in a stable order */
  cards(): readonly ToolCard[];
  /** prompt modules of the packs that they come from, as far as they teach one of these tools; absent: any */
  prompts(taught?: ReadonlySet<string>): readonly string[];
  notOffered(): readonly { readonly tool: string; readonly why: string }[];
  offers(): readonly ToolOffer[];
  /** `form`: "edited" for arguments that were checked before and that a person has changed since; default "asked" */
  check(tool: string, input: Json, malformed?: string, form?: InputForm): Checked;
  preview(order: CallOrder, signal: AbortSignal): Promise<PreviewOutcome>;
  /** `tell` gets the progress of the tool while it runs, as often as the tool reports it */
  run(order: CallOrder, signal: AbortSignal, tell?: (progress: Progress) => void): Promise<ToolOutcome>;
}

/** A piece of a model call in flight, with its place: what a client that saw it can name to go on from there. */
export interface PlacedDraft extends DraftPiece {
  readonly run: string;
  readonly step: string;
  readonly attempt: number;
  /** seq of the entry that opened the attempt */
  readonly base: number;
  /** place on the attempt's tape after this piece (protocol/stream/tape-position.ts) */
  readonly end: number;
}

/** Everyone who watches. Called only after the transaction that wrote the entries has returned. */
export interface Audience {
  committed(entries: readonly Entry[], state: State): void;
  draft(piece: PlacedDraft): void;
  /** progress of the running tools, in one line; null once none runs. Nothing is shown when left out */
  progress?(progress: CallProgress | null): void;
  /** whether somebody sees the steps as they happen; false when left out */
  readonly watched?: () => boolean;
  /** the session is deleted: disconnects all watchers */
  dismiss?(): void;
}
