import type { Approvals } from "./approvals.ts";
import type { ChatTurn } from "./chat-turn.ts";
import type { SessionLifecycle } from "./lifecycle.ts";
import type { FamilyService } from "./family-service.ts";
import type { Messages } from "./messages.ts";
import type { Schedules } from "./schedules.ts";
import type { SessionService } from "./service.ts";
import type { Shares } from "../links/shares.ts";
import type { Actor, Scope } from "../api/session-api.ts";

/** Parts that execute commands: each command is a method of one of them. */
export interface CommandParts {
  readonly service: SessionService;
  readonly messages: Messages;
  readonly approvals: Approvals;
  readonly chatTurn: ChatTurn;
  readonly schedules: Schedules;
  readonly shares: Shares;
  readonly lifecycle: SessionLifecycle;
  readonly family: FamilyService;
}

interface Command {
  /** has the method of this name */
  readonly part: keyof CommandParts;
  /** scope required of the owner or an admin; `itself`: the method decides by its own rule */
  readonly admits: Scope | "itself";
  /** it is not asked again when the object was reset under the call, because its second answer would be another */
  readonly once?: true;
}

/**
 * Everything that a session can be asked, a line each; its RPC, the worker's client and their types are made of it.
 * Before each command an alarm that the platform has lost is armed again. A foreign session reads as missing.
 */
export const COMMANDS = {
  // The first sender of an unused session ID becomes its owner.
  send: { part: "messages", admits: "itself" },
  // The first caller of an unused session ID becomes its owner.
  enter: { part: "service", admits: "itself" },
  // Approvers may decide in the session of somebody else.
  submit: { part: "chatTurn", admits: "itself" },
  steer: { part: "messages", admits: "send" },
  regenerate: { part: "chatTurn", admits: "send" },
  answer: { part: "service", admits: "send" },
  answerCall: { part: "service", admits: "send" },
  retryNow: { part: "service", admits: "send" },
  cancel: { part: "service", admits: "send" },
  stopRun: { part: "service", admits: "send" },
  continueQueue: { part: "service", admits: "send" },
  // Do not retry: without an ID, a second one would clear later messages.
  clear: { part: "service", admits: "send", once: true },
  extend: { part: "service", admits: "approve" },
  answerBudget: { part: "service", admits: "approve" },

  // Approvers may be others than the owner.
  decide: { part: "approvals", admits: "itself" },
  explain: { part: "approvals", admits: "itself" },
  preview: { part: "approvals", admits: "itself" },
  approval: { part: "approvals", admits: "itself" },
  // Do not retry: a revoked decision leaves no record of who revoked it.
  revoke: { part: "approvals", admits: "itself", once: true },
  // For the holder of a link, which the worker has verified.
  linked: { part: "approvals", admits: "itself" },

  question: { part: "service", admits: "read" },

  view: { part: "service", admits: "read" },
  events: { part: "service", admits: "read" },
  messages: { part: "service", admits: "read" },
  sourcePage: { part: "service", admits: "read" },
  memory: { part: "service", admits: "read" },
  remember: { part: "service", admits: "send" },
  // Do not retry: a forgotten fact leaves no record of who removed it.
  forget: { part: "service", admits: "send", once: true },
  readRun: { part: "service", admits: "read" },
  awaitRun: { part: "service", admits: "read" },
  recap: { part: "service", admits: "read" },
  // Not `trace`: the runtime of Vitest uses that name.
  readTrace: { part: "service", admits: "read" },
  // Webhook deliveries are for admins alone.
  deliveries: { part: "service", admits: "read" },

  // From the cron trigger of the worker: no route of the deployment asks it.
  notice: { part: "service", admits: "itself" },

  schedule: { part: "schedules", admits: "itself" },
  schedules: { part: "schedules", admits: "read" },
  unschedule: { part: "schedules", admits: "send" },
  heartbeat: { part: "schedules", admits: "read" },
  setHeartbeat: { part: "schedules", admits: "send" },

  share: { part: "shares", admits: "send" },
  // Their addresses are keys.
  shares: { part: "shares", admits: "send" },
  unshare: { part: "shares", admits: "send", once: true },
  // For the holder of a link, which the worker has verified.
  shared: { part: "shares", admits: "itself" },

  create: { part: "lifecycle", admits: "itself" },
  recall: { part: "lifecycle", admits: "itself" },
  change: { part: "lifecycle", admits: "send" },
  remove: { part: "lifecycle", admits: "send", once: true },
  // The caller names the purpose of the copy.
  copyPoint: { part: "lifecycle", admits: "itself" },
  copyEntries: { part: "lifecycle", admits: "itself" },
  copyNames: { part: "lifecycle", admits: "itself" },
  copyText: { part: "lifecycle", admits: "itself" },
  adopt: { part: "lifecycle", admits: "itself" },
  settle: { part: "lifecycle", admits: "itself" },

  // Between sessions of one tree: no interface of the deployment offers these.
  startChild: { part: "family", admits: "itself" },
  askChild: { part: "family", admits: "itself" },
  stopChild: { part: "family", admits: "itself" },
  removeChild: { part: "family", admits: "itself" },
  takeReport: { part: "family", admits: "itself" },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof COMMANDS;

/** Commands that only sessions of one tree may send each other. */
export type FamilyCommand = {
  [Name in CommandName]: (typeof COMMANDS)[Name]["part"] extends "family" ? Name : never;
}[CommandName];

type PartOf<Name extends CommandName> = CommandParts[(typeof COMMANDS)[Name]["part"]];
type MethodOf<Name extends CommandName> = Name extends keyof PartOf<Name> ? PartOf<Name>[Name] : never;

/** A method as a function of an actor and its further arguments; never, if there is no such method. */
type CommandFunction<Method> = Method extends (actor: Actor, ...args: infer Args) => infer Answer
  ? (actor: Actor, ...args: Args) => Promise<Awaited<Answer>>
  : never;

/** The commands of a session as functions. */
export type SessionApi = { readonly [Name in CommandName]: CommandFunction<MethodOf<Name>> };

/** The commands open to interfaces of the deployment. */
export type ClientApi = Omit<SessionApi, FamilyCommand>;

/** One function for every command, each made of its name and its line of the table. */
export function mapCommands(
  make: (name: CommandName, command: Command) => (actor: Actor, ...args: unknown[]) => Promise<unknown>,
): SessionApi {
  const functions = Object.entries(COMMANDS).map(([name, command]) => [
    name,
    make(name as CommandName, command),
  ]);
  // The type above ensures that each name maps to a method of its part.
  return Object.fromEntries(functions) as SessionApi;
}
