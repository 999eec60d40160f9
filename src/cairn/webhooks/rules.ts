import { sha256Hex } from "../core/log/digest.ts";
import type { InputMode } from "../core/log/entry.ts";
import type { Json } from "../core/log/json.ts";
import type { PromptPart } from "../core/log/model.ts";
import { AGENT_NAME } from "../core/log/names.ts";
import { splitMessage } from "../protocol/run-spec/message-fields.ts";
import { parseRunRequest } from "../protocol/run-spec/parse.ts";
import { SCHEMES, type Scheme } from "./signatures.ts";
import {
  parseTemplate,
  render,
  renderParts,
  type Placeholder,
  type Sent,
  type Template,
} from "./templates.ts";

/** Rules that map a webhook to a session and a message. Declared in src/webhooks.ts. */

/** A run for an event. `session` and `prompt` are templates (templates.ts). */
export interface WebhookRule {
  /** the session's id: letters, digits, - and _; a place in it without a value refuses the webhook */
  readonly session: string;
  /** what the run is asked. Whatever was sent is fenced as data by the filter `untrusted` */
  readonly prompt: string;
  /** while another run is live: `queue` when left out */
  readonly mode?: InputMode;
  /** subjects who may decide approvals of its runs; admins when left out */
  readonly approvers?: readonly string[];
  /** name of the agent that works its runs; the session's when left out */
  readonly agent?: string;
  /** what its runs are asked in addition to their prompt: fields of a run specification, such as `targets`, `instructions` and `metadata` */
  readonly run?: RunFieldsOfRule;
}

type RunFieldsOfRule = { readonly [field: string]: Json };

export interface WebhookSource {
  readonly scheme: Scheme;
  /** a template for the event: the name of a rule in `on` */
  readonly event?: string;
  /** who the sessions belong to, and who asks: `hook:NAME`, or a subject who shall see and decide them */
  readonly owner: string;
  readonly on?: { readonly [event: string]: WebhookRule };
  /** for events that `on` does not name */
  readonly otherwise: "ignore" | WebhookRule;
}

interface Rule extends Pick<WebhookRule, "approvers" | "agent" | "run"> {
  readonly session: Template;
  readonly prompt: Template;
  readonly mode: InputMode;
}

interface Source {
  readonly scheme: Scheme;
  readonly event: Template;
  readonly owner: string;
  readonly on: ReadonlyMap<string, Rule>;
  readonly otherwise: Rule | null;
}

/** The sources by their name in `/hooks/:source`. */
export interface Webhooks {
  readonly sources: ReadonlyMap<string, Source>;
  /** of a source whose mapping has faults, all of them: it takes no webhook until they are fixed */
  readonly faults: ReadonlyMap<string, string>;
}

/** Request derived from a webhook. */
export type Mapped =
  | { readonly kind: "ignored" }
  /** the session's name lacks a value for this placeholder */
  | { readonly kind: "incomplete"; readonly placeholder: string }
  | {
      readonly kind: "run";
      readonly session: string;
      readonly parts: readonly PromptPart[];
      readonly mode: InputMode;
      readonly approvers: readonly string[] | null;
      readonly agent: string | null;
      readonly run: RunFieldsOfRule;
    };

const SESSION_CHARS_MAX = 64;
const SUBJECT = /^[A-Za-z0-9_.@:-]{1,64}$/;
const SOURCE_FIELDS = ["scheme", "event", "owner", "on", "otherwise"];
const RULE_FIELDS = ["session", "prompt", "mode", "approvers", "agent", "run"];
const MODES: readonly InputMode[] = ["queue", "join", "replace"];

/** Never throws: a faulty source is disabled and its faults reported, and the others work. */
export function defineWebhooks(sources: { readonly [name: string]: WebhookSource }): Webhooks {
  const sound = new Map<string, Source>();
  const faulty = new Map<string, string>();
  for (const [name, source] of Object.entries(sources)) {
    const faults: string[] = [];
    try {
      const read = readSource(name, source, (what) => void faults.push(what));
      if (faults.length === 0) sound.set(name, read);
    } catch (error) {
      faults.push(`it is not a mapping: ${error instanceof Error ? error.message : "unreadable"}`);
    }
    if (faults.length > 0) faulty.set(name, faults.join("; "));
  }
  return { sources: sound, faults: faulty };
}

function readSource(name: string, source: WebhookSource, fault: (what: string) => void): Source {
  if (!/^[a-z0-9_-]{1,64}$/.test(name)) fault("a source is named by a-z, 0-9, _ and -");
  if (!SCHEMES.includes(source.scheme)) fault(`the scheme is one of ${SCHEMES.join(", ")}`);
  if (!SUBJECT.test(source.owner)) fault("owner is 1 to 64 of A-Z a-z 0-9 _ . @ : -");
  refuseOthers(source, SOURCE_FIELDS, fault);
  const { event = "", on = {}, otherwise } = source;
  if (event === "" && Object.keys(on).length > 0) fault("on needs event");
  const rule = (of: string, written: WebhookRule): Rule =>
    parseRule(written, (what) => fault(`${of}: ${what}`));
  return {
    scheme: source.scheme,
    owner: source.owner,
    event: parsed(event, "event", fault),
    on: new Map(Object.entries(on).map(([of, written]) => [of, rule(of, written)])),
    otherwise: otherwise === "ignore" ? null : rule("otherwise", otherwise),
  };
}

/** A field that would change nothing is refused, not passed over. */
function refuseOthers(fields: object, known: readonly string[], fault: (what: string) => void): void {
  for (const field of Object.keys(fields))
    if (!known.includes(field)) fault(`there is no field ${field}, only ${known.join(", ")}`);
}

function parseRule(rule: WebhookRule, fault: (what: string) => void): Rule {
  refuseOthers(rule, RULE_FIELDS, fault);
  const session = parsed(rule.session, "session", fault);
  const prompt = parsed(rule.prompt, "prompt", fault);
  const { mode = "queue", approvers, agent, run } = rule;
  if (session.some((piece) => typeof piece === "string" && !/^[A-Za-z0-9_-]*$/.test(piece)))
    fault("session is made of letters, digits, - and _, and of places");
  if (rule.session === "") fault("session is empty");
  if (
    session.some(
      (piece) => isPlaceholder(piece) && piece.filters.some((filter) => filter.name === "untrusted"),
    )
  )
    fault("session takes no untrusted: it fences text for a prompt");
  if (rule.prompt.trim() === "") fault("prompt is empty");
  for (const piece of prompt) {
    if (!isPlaceholder(piece) || piece.root === "delivery") continue;
    const fenced = piece.filters.findIndex((filter) => filter.name === "untrusted");
    const name = [piece.root, ...piece.path].join(".");
    if (fenced < 0) fault(`{{${name}}} stands in prompt without untrusted`);
    else if (fenced < piece.filters.length - 1) fault(`untrusted comes last in {{${name}}}`);
  }
  if (!MODES.includes(mode)) fault(`mode is one of ${MODES.join(", ")}`);
  if (approvers?.some((subject) => !SUBJECT.test(subject)) === true) fault("approvers are subjects");
  if (agent !== undefined && !AGENT_NAME.test(agent)) fault("agent is the name of an agent");
  if (run !== undefined) for (const what of faultsOfRun(run)) fault(what);
  if (run !== undefined && mode === "join") fault("run needs mode queue or replace: a live run takes none");
  return {
    session,
    prompt,
    mode,
    ...(run === undefined ? {} : { run }),
    ...(approvers === undefined ? {} : { approvers }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** Fields that a rule sets itself, or that name a temporary run. */
const NOT_IN_RULES: readonly string[] = ["agent", "previous_run_id"];

function faultsOfRun(run: RunFieldsOfRule): readonly string[] {
  const { own, fields } = splitMessage(run, NOT_IN_RULES);
  const others = isRecord(own) ? Object.keys(own) : [];
  if (!isRecord(run)) return ["run is an object"];
  const parsed = parseRunRequest({ ...fields, objective: "-" });
  return [
    ...others.map((field) => `run has no field ${field}`),
    ...(parsed.ok ? [] : parsed.issues.map(({ path, message }) => `run.${path}: ${message}`)),
  ];
}

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isPlaceholder = (piece: string | Placeholder): piece is Placeholder => typeof piece !== "string";

function parsed(text: string, of: string, fault: (what: string) => void): Template {
  try {
    return parseTemplate(text);
  } catch (error) {
    fault(`${of}: ${error instanceof Error ? error.message : "unreadable"}`);
    return [];
  }
}

/** Applies the source's rules to what was sent. Pure. */
export function mapWebhook(source: Source, sent: Sent): Mapped {
  const rule = source.on.get(render(source.event, sent)) ?? source.otherwise;
  if (rule === null) return { kind: "ignored" };
  let missingPlaceholder: string | null = null;
  const name = render(rule.session, sent, (missing) => (missingPlaceholder ??= missing));
  // A placeholder without `slug` may contain anything.
  if (missingPlaceholder !== null || !/^[A-Za-z0-9_-]+$/.test(name))
    return { kind: "incomplete", placeholder: missingPlaceholder ?? "session" };
  return {
    kind: "run",
    session: fitted(name),
    parts: renderParts(rule.prompt, sent),
    mode: rule.mode,
    approvers: rule.approvers ?? null,
    agent: rule.agent ?? null,
    run: rule.run ?? {},
  };
}

/** Two long names that begin alike stay two. */
function fitted(name: string): string {
  if (name.length <= SESSION_CHARS_MAX) return name;
  const tail = `-${sha256Hex(name).slice(0, 12)}`;
  return name.slice(0, SESSION_CHARS_MAX - tail.length) + tail;
}
