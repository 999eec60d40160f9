import type { Amount, Share } from "../../log/child.ts";
import type { Entry } from "../../log/entry.ts";
import { addUsage, NO_USAGE, type Usage } from "../../log/model.ts";

import { isDeferred, isSettled, type Call, type Phased } from "./phase.ts";

/** Children that the calls of a run started, each in its own session; equal to the fold of the run's entries. */
export interface Children {
  /** that have not reported, in the order of their calls */
  readonly open: readonly OpenChild[];
  /** started in all */
  readonly started: number;
  /** what those that have reported have used, with all below them */
  readonly used: Amount;
  readonly usage: Usage;
  readonly sessions: number;
  /** seqs of reports that no model call has read, of calls that had their results before */
  readonly unread: readonly number[];
  /** an answer waits for the reports; absent where none does */
  readonly awaited?: true;
}

export interface OpenChild {
  readonly call: string;
  /** its session; null until it is known to be there */
  readonly child: string | null;
  /** set aside until it reports */
  readonly share: Share;
  /** the result of its call is the report */
  readonly wait: boolean;
  /** a stop was sent; absent otherwise */
  readonly stopped?: true;
}

/** Code of the verdict by which an answer waits for children. */
export const WORK_PENDING = "WORK_PENDING";

export const NO_AMOUNT: Amount = {
  steps: 0,
  activeMs: 0,
  toolCalls: 0,
  messages: 0,
  tokens: 0,
  cost: 0,
};

export const AMOUNT_PARTS = Object.keys(NO_AMOUNT) as readonly (keyof Amount)[];

export const NO_CHILDREN: Children = {
  open: [],
  started: 0,
  used: NO_AMOUNT,
  usage: NO_USAGE,
  sessions: 0,
  unread: [],
};

/**
 * True if only a child's report or a person can continue the run. The time counts as the child's, whose report contains
 * it.
 */
export function waitsForChild({
  phase,
  children,
}: Phased & { readonly children?: Children | undefined }): boolean {
  if (children === undefined || children.open.length === 0) return false;
  if (phase.at === "thinking") return phase.why === "step" && children.awaited === true;
  if (phase.at !== "acting") return false;
  return phase.calls.every((call) => isSettled(call) || isDeferred(call) || isOfDeferred(call, phase.calls));
}

/** The call shares the result of an equal call, which waits for a child. */
const isOfDeferred = ({ duplicateOf }: Call, calls: readonly Call[]): boolean =>
  calls.some((other) => other.call === duplicateOf && isDeferred(other));

export function sumOf(a: Amount, b: Amount): Amount {
  const { steps, activeMs, toolCalls, messages, tokens, cost } = a;
  return {
    steps: steps + b.steps,
    activeMs: activeMs + b.activeMs,
    toolCalls: toolCalls + b.toolCalls,
    messages: messages + b.messages,
    tokens: tokens + b.tokens,
    cost: cost + b.cost,
  };
}

/** Applies an entry of the live run to its children. */
export function changeChildren(children: Children | undefined, entry: Entry): Children | undefined {
  if (entry.kind === "call_intended" && entry.body.share !== undefined)
    return begin(children ?? NO_CHILDREN, entry.body.call, entry.body.share);
  if (children === undefined) return undefined;
  switch (entry.kind) {
    case "call_deferred": {
      const { call, child, wait } = entry.body;
      return withOpen(children, call, (one) => ({ ...one, child, wait }));
    }
    case "call_settled":
      return settleChildCall(children, entry);
    case "child_stopped":
      return withOpen(children, entry.body.call, (one) => ({ ...one, stopped: true }));
    case "child_reported": {
      const { call, used, usage, sessions, observation } = entry.body;
      return rested({
        ...children,
        open: children.open.filter((one) => one.call !== call),
        used: sumOf(children.used, used),
        usage: addUsage(children.usage, usage),
        sessions: children.sessions + sessions,
        unread: observation === undefined ? children.unread : [...children.unread, entry.seq],
      });
    }
    case "model_replied": {
      const unread = children.unread.filter((seq) => seq > entry.body.readTo);
      return unread.length === children.unread.length ? children : { ...children, unread };
    }
    case "user_message":
      return goOn(children);
    case "verdict":
      // A report that is there already is read at once.
      return entry.body.code === WORK_PENDING && entry.body.act === "wait"
        ? { ...children, awaited: true }
        : children;
    default:
      return children;
  }
}

/** Reserves the child's share before it starts. A retried start reserves nothing more. */
function begin(children: Children, call: string, share: Share): Children {
  if (children.open.some((one) => one.call === call)) return children;
  const open = [...children.open, { call, child: null, share, wait: true }];
  return { ...children, open, started: children.started + 1 };
}

/** A call that ended before its child was known: of an unknown outcome, the child may be at work with all that it was given. */
function settleChildCall(children: Children, { body }: Entry<"call_settled">): Children {
  const begun = children.open.find((one) => one.call === body.call && one.child === null);
  if (begun === undefined) return children;
  const open = children.open.filter((one) => one !== begun);
  if (body.status !== "unknown") return rested({ ...children, open, started: children.started - 1 });
  const { sessions, ...used } = begun.share;
  return rested({
    ...children,
    open,
    used: sumOf(children.used, used),
    sessions: children.sessions + sessions + 1,
  });
}

/** Without pending reports, no answer waits. */
const rested = (children: Children): Children => (awaits(children) ? children : goOn(children));

function goOn(children: Children): Children {
  if (children.awaited === undefined) return children;
  const { awaited: _over, ...rest } = children;
  return rest;
}

/** True if the run still awaits a report. */
export const awaits = ({ open }: Children): boolean => open.some((one) => one.stopped === undefined);

function withOpen(children: Children, call: string, to: (child: OpenChild) => OpenChild): Children {
  return rested({
    ...children,
    open: children.open.map((one) => (one.call === call ? to(one) : one)),
  });
}
