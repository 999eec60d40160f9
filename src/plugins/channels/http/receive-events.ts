import { startOf } from "../../../cairn/core/text/cut.ts";
import type { Hono } from "hono/tiny";
import { addressName, type Address } from "../../../cairn/core/address.ts";
import { whyNot } from "../../../cairn/core/loop/receive-decision.ts";
import { sha256Hex } from "../../../cairn/core/log/digest.ts";
import { joinParts } from "../album.ts";
import { ChannelFault, type Channel, type Received } from "../channel.ts";
import type { HeldMessage, Hold } from "../held.ts";
import { findButton, findCard, type Button } from "../people/buttons.ts";
import { isDone, markDone, moveMessage, sessionOfMessage } from "../people/deliveries.ts";
import {
  findLink,
  shouldSendInstructions,
  redeemCode,
  rightsHeld,
  voidCodes,
  type Link,
} from "../people/links.ts";
import { currentAddress, moveChat } from "../people/moves.ts";
import {
  blockChat,
  findChat,
  findChatSession,
  storeChat,
  noteMessage,
  storeSessionTime,
  openChatSession,
  type NamedSession,
} from "../people/chats.ts";
import { parseJson } from "../request.ts";
import { err } from "../../../cairn/core/log/result.ts";
import { ID_TAKEN } from "../../../cairn/session/api/errors.ts";
import { refusal, type Actor, type ApiResult } from "../../../cairn/session/api/session-api.ts";
import { ACCESS_ENDED, actorOfGrant } from "../../../cairn/config/rights.ts";
import type { ChannelDeps } from "./deps.ts";
import { NOT_FOUND } from "../../../cairn/http/kit/responses.ts";
import {
  notThisMethod,
  refuse,
  requestId,
  type HttpContext,
  type HttpEnv,
} from "../../../cairn/http/kit/route.ts";
import { storeAttachments, speechOf, type FileStores } from "./attachments.ts";
import { CHOICES, readChoice } from "./choices.ts";
import { sessionsWords } from "./sessions.ts";

/**
 * `POST /channels/:name`: events of a vendor. Linked people talk to their session; strangers get linking
 * instructions, once an hour, and nothing else. Every event is answered 200, whatever its result, because vendors
 * repeat forever.
 */
export function mountChannels(app: Hono<HttpEnv>, deps: ChannelDeps): void {
  app.post("/channels/:name", (c) => receiveRequest(c, deps));
  app.all("/channels/:name", (c) =>
    deps.channels.find(c.req.param("name")) === null ? refuse(c, NOT_FOUND) : notThisMethod(c, ["POST"]),
  );
}

const accepted = (): Response => Response.json({ ok: true });
const REPLY_MS = 8_000;
/** of a decision, as on the page */
const REASON_CHARS_MAX = 2_000;

export type ChannelEvent = Exclude<Received, { kind: "challenge" | "posted" | "moved" }>;
/** from a person, and not from the vendor itself */
type PersonEvent = Exclude<ChannelEvent, { kind: "shut" }>;
export interface ReceiveContext {
  readonly deps: ReceiveDeps;
  readonly db: D1Database;
  readonly channel: Channel;
  /** of the request or the mail with the event */
  readonly traceId: string;
  /** where files are stored */
  readonly stores: FileStores;
}
export type ReceiveDeps = Pick<
  ChannelDeps,
  "config" | "sessions" | "now" | "newId" | "report" | "pictures" | "admins" | "transcriber" | "agents"
>;

async function receiveRequest(c: HttpContext, deps: ChannelDeps): Promise<Response> {
  const channel = deps.channels.find(c.req.param("name") ?? "");
  if (channel === null) return refuse(c, NOT_FOUND);
  let received: Received | null;
  try {
    received = await channel.receive(c.req.raw);
  } catch (error) {
    if (!(error instanceof ChannelFault)) throw error;
    if (error.code === "bad_signature")
      return refuse(c, refusal(401, "invalid_signature", "This was not sent by the channel."));
    if (error.code === "too_large")
      return refuse(c, refusal(413, "body_too_large", "The body is too large."));
    deps.report(error, c.req.header("x-request-id") ?? "");
    return accepted();
  }
  if (received === null) return accepted();
  if (received.kind === "challenge") return Response.json(received.answer);
  const { DB: db } = c.env;
  if (received.kind === "posted") {
    await voidCodes(db, received.text);
    if (received.fault !== undefined) deps.report(received.fault, c.req.header("x-request-id") ?? "");
    return accepted();
  }
  if (received.kind === "moved") {
    const { channel: name, from, to } = received;
    if (!(await moveChat(db, received)))
      deps.report(new Error(`${name}:${from} did not move to ${name}:${to}, which is another place.`), "");
    return accepted();
  }
  const context = { deps, db, channel, traceId: requestId(c), stores: c.env };
  if (!(await holdForLater(context, received, deps.hold ?? null))) await receiveEvent(context, received);
  return accepted();
}

/** milliseconds without a further part after which an album is complete */
const ALBUM_QUIET_MS = 1_500;

/**
 * True for a message that is stored and received later: a part of an album waits for the others, and what is spoken takes longer
 * than the vendor waits. Nothing of people who are not linked is stored.
 */
async function holdForLater(
  { db, channel, deps }: ReceiveContext,
  event: ChannelEvent,
  hold: Hold | null,
): Promise<boolean> {
  if (hold === null || event.kind !== "message" || event.body === undefined) return false;
  const { address, user, deliveryId, at, isEdit, body, album } = event;
  const isSpoken =
    (deps.transcriber ?? null) !== null && event.files.some((file) => speechOf(file) !== undefined);
  const isForUs = !event.isGroup || event.isForUs;
  if (album === undefined && !(isSpoken && isForUs)) return false;
  if ((await findLink(db, channel.name, user.id)) === null) return false;
  // Everybody in the group can read the codes now.
  if (event.isGroup) await voidCodes(db, textOf(event));
  const whole = album === undefined ? deliveryId : `${address.place}:album:${album.name}`;
  const part = {
    channel: channel.name,
    whole,
    position: album?.position ?? 0,
    deliveryId,
    at,
    isEdit,
    files: album?.files ?? "",
    body,
    quietMs: album === undefined ? 0 : ALBUM_QUIET_MS,
  };
  await hold(JSON.stringify([channel.name, address.thread ?? "", user.id, whole]), part);
  return true;
}

/** Receives a message whose parts were held. False: it is for others in its group. Throws what may work later. */
export async function receiveHeldMessage(
  deps: ReceiveDeps & Pick<ChannelDeps, "channels">,
  stores: FileStores,
  { channel: name, deliveryId, follows, parts }: HeldMessage,
): Promise<boolean> {
  const channel = deps.channels.find(name);
  // The channel's variables were removed meanwhile.
  if (channel?.read === undefined) return true;
  const read: Extract<Received, { kind: "message" }>[] = [];
  for (const { body, isEdit, hasSentFiles } of parts) {
    const received = await channel.read(parseJson(body));
    if (received?.kind !== "message") continue;
    read.push({ ...received, isEdit, files: hasSentFiles ? [] : received.files });
  }
  if (read.length === 0) return true;
  const received = joinParts(read, deliveryId);
  if (received.isGroup && !received.isForUs) return false;
  // The parts came with several requests: their message has another ID.
  const context = { deps, db: stores.DB, channel, stores, traceId: deps.newId() };
  await receiveEvent(context, { ...received, ...(follows === null ? {} : { follows }) });
  return true;
}

/** Handles an event whose sender the channel has verified. */
export async function receiveEvent(context: ReceiveContext, received: ChannelEvent): Promise<void> {
  const { db, channel, deps } = context;
  const address = await currentAddress(db, received.address, channel);
  // A group that is upgraded leaves its old id.
  const isMoved = address.place !== received.address.place;
  if (received.kind === "shut") return isMoved ? undefined : await blockChat(db, address, deps.now());
  const event = { ...received, address };
  // Everybody in a group has read it.
  if (event.isGroup) await voidCodes(db, textOf(event));
  if (event.kind !== "command" || !OWN.has(event.command)) return await handlePersonEvent(context, event);
  const { deliveryId } = event;
  if (await isDone(db, channel.name, deliveryId)) return;
  await handlePersonEvent(context, event);
  await markDone(db, channel.name, "command", deliveryId, deps.now());
}

const textOf = (event: PersonEvent): string =>
  event.kind === "message"
    ? `${event.text} ${event.foreign ?? ""}`
    : event.kind === "command"
      ? `${event.command} ${event.args}`
      : event.kind === "unreadable"
        ? event.words
        : "";

/** Linked people act with the rights that they have now. */
async function handlePersonEvent(context: ReceiveContext, event: PersonEvent): Promise<void> {
  const { db, channel, deps } = context;
  const code = codeIn(event);
  if (code !== null) return await link(context, event, code);
  const found = await findLink(db, channel.name, event.user.id);
  if (found === null) return await replyToStranger(context, event);
  const actor = actorOf(context, found);
  if (actor === null) return await replyAccessEnded(context, event);
  switch (event.kind) {
    case "press":
      return await press(context, event, found, actor);
    case "command":
      return await command(context, event, actor);
    case "unreadable":
      if (await markDone(db, channel.name, "left out", event.deliveryId, deps.now()))
        await reply(context, event, unreadableText(event.content, deps));
      return;
    case "message": {
      if (event.isGroup && !event.isForUs) return;
      const words = (await takeReason(context, event, actor)) ?? "";
      const left = await sendToSession(context, event, actor, words, event);
      if (event.files.length + left.length === 0) return;
      // A repeat may fail to read a file that the first attempt has read: the first completed attempt reports the
      // rejected ones.
      if (!(await markDone(db, channel.name, "left out", event.deliveryId, deps.now()))) return;
      if (left.length > 0) await reply(context, event, left.join("\n"));
      return;
    }
  }
}

const unreadableText = (content: string | null, { transcriber = null }: ReceiveDeps): string =>
  [
    content === null ? "Your message is empty here." : `I cannot read ${content}.`,
    `Send text, a picture or a file${transcriber === null ? "" : ", or a voice message"}.`,
  ].join(" ");

/** Commands that are no words for a session. */
const OWN: ReadonlySet<string> = new Set([
  "link",
  "start",
  "help",
  "new",
  "sessions",
  "stop",
  "add",
  ...CHOICES,
]);

/** A linked person with the rights that their grant gives now; null when it has ended. */
function actorOf({ deps }: ReceiveContext, found: Link): Actor | null {
  const now = actorOfGrant(deps.config, rightsHeld(found), deps.now());
  return now === null ? null : { ...now, via: "channel" };
}

/** Nothing is done for them any more, and they learn why. */
async function replyAccessEnded(context: ReceiveContext, event: PersonEvent): Promise<void> {
  const { db, channel, deps } = context;
  if (event.kind === "press") return await event.ack(ACCESS_ENDED, AbortSignal.timeout(REPLY_MS));
  if (event.kind === "message" && event.isGroup && !event.isForUs) return;
  // Two programs that answer each other would go on for ever.
  const { strangersMax: max } = channel;
  if (max !== undefined && !(await shouldSendInstructions(db, channel.name, event.user.id, deps.now(), max)))
    return;
  await reply(context, event, `${ACCESS_ENDED} ${LINK_AGAIN}`);
}

const LINK_AGAIN =
  "Whoever runs this Cairn can give you a new token. With it, ask for a code on the page (Preferences, Channels), then say: /link CODE";

/** The code of `/link CODE`, or of a deep link. */
const codeIn = (event: ChannelEvent): string | null =>
  event.kind === "command" &&
  (event.command === "link" || event.command === "start") &&
  event.args.trim() !== ""
    ? event.args.trim()
    : null;

async function link(context: ReceiveContext, event: PersonEvent, code: string): Promise<void> {
  const { db, channel, deps } = context;
  const { user, address } = event;
  // Approvals are shown where a person was linked, so linking happens in private only.
  if (event.isGroup) return await reply(context, event, NOT_IN_A_GROUP);
  const made = await redeemCode(db, code, { channel: channel.name, user, place: address.place }, deps.now());
  if (made.ok && actorOf(context, made.link) === null) return await replyAccessEnded(context, event);
  if (made.ok)
    return await reply(context, event, `You are linked as ${made.link.subject}. Say what is to be done.`);
  const words =
    made.why === "wrong"
      ? "That code is not one, or its time is over. The page gives a new one under Preferences, Channels."
      : "That were too many wrong codes. Try again in an hour.";
  await reply(context, event, words);
}

const NOT_IN_A_GROUP =
  "Write that to me alone, where no one else reads it. A code that others have read is void: the page gives a new one under Preferences, Channels.";

/** Tells a stranger how to link, and nothing about this deployment. */
async function replyToStranger(context: ReceiveContext, event: ChannelEvent): Promise<void> {
  const { db, channel, deps } = context;
  if (event.kind === "press") return await event.ack("You are not linked.", AbortSignal.timeout(REPLY_MS));
  const isForUs = event.kind === "unreadable" || (event.kind === "message" && event.isForUs);
  if (event.isGroup && !isForUs) return;
  const { strangersMax } = channel;
  if (!(await shouldSendInstructions(db, channel.name, event.user.id, deps.now(), strangersMax))) return;
  const how =
    "I work for people who are linked. Ask for a code on the page (Preferences, Channels), then say: /link CODE";
  await reply(context, event, how);
}

/** Each may be carried out again until it is marked as done, and comes to the same then. */
async function command(
  context: ReceiveContext,
  event: Extract<ChannelEvent, { kind: "command" }>,
  actor: Actor,
): Promise<void> {
  const { db, deps } = context;
  const { command: name, args, address } = event;
  switch (name) {
    case "start":
    case "help":
      return await reply(context, event, HELP);
    case "new": {
      await openSession(context, event, actor, await sessionOnce(context, event, uncreated(deps.newId())));
      return await reply(context, event, "A new conversation. What is to be done?");
    }
    case "sessions": {
      const { words, goesOn = null } = await sessionsWords(db, actor, event, args);
      if (goesOn !== null)
        await openSession(context, event, actor, await sessionOnce(context, event, goesOn));
      return await reply(context, event, words);
    }
    case "stop": {
      const known = await findChatSession(db, address, actor.subject);
      const stop = { id: messageId(event), runId: null, all: true, reason: null };
      const stopped =
        known === null
          ? null
          : await deps.sessions(known.session).cancel(actor, { ...stop, sessionAt: known.sessionAt });
      const isStopped = stopped?.ok === true && stopped.value.cancelled.length > 0;
      const words = isStopped ? "Stopped." : "Nothing is at work.";
      return await reply(context, event, words);
    }
    case "add":
      return await reply(context, event, await addToRun(context, event, actor));
    case "agent":
    case "model":
      return await reply(context, event, await changeSession(context, event, actor));
    default:
      return void (await sendToSession(context, event, actor, `/${name} ${args}`.trim()));
  }
}

type Command = Extract<ChannelEvent, { kind: "command" }>;

/** Gives the live run something more to read. */
async function addToRun(
  { db, deps, traceId }: ReceiveContext,
  event: Command,
  actor: Actor,
): Promise<string> {
  const text = event.args.trim();
  if (text === "") return "Say what is to be added: `/add TEXT`.";
  const known = await findChatSession(db, event.address, actor.subject);
  if (known === null) return NOTHING_TO_ADD_TO;
  const { session, sessionAt } = known;
  const { sessions } = deps;
  // Another session may have the name by now.
  const entered = sessionAt === null ? null : await sessions(session).enter(actor, { sessionAt });
  if (entered?.ok === false) return NOTHING_TO_ADD_TO;
  const parts = [{ type: "text", text } as const];
  const added = await sessions(session).steer(actor, { id: messageId(event), parts, traceId });
  if (added.ok) return "Added: it is read at the next step.";
  return added.error.code === "not_running" ? NOTHING_TO_ADD_TO : refusalText(added);
}

const NOTHING_TO_ADD_TO = "Nothing is at work, so nothing can be added. Say it as a message.";

/** Changes the session of the chat, which is made where there is none yet. */
async function changeSession(context: ReceiveContext, event: Command, actor: Actor): Promise<string> {
  const { db, deps } = context;
  const choice = await readChoice(deps, actor, event.command, event.args);
  if ("words" in choice) return choice.words;
  const known = await findChatSession(db, event.address, actor.subject);
  let here = known ?? (await sessionOnce(context, event, uncreated(deps.newId())));
  let entered = await deps.sessions(here.session).enter(actor, { sessionAt: here.sessionAt });
  if (!entered.ok && entered.error.code === ID_TAKEN.code) {
    here = await sessionOnce(context, event, uncreated(deps.newId()));
    entered = await deps.sessions(here.session).enter(actor);
  }
  if (!entered.ok) return refusalText(entered);
  const changed = await deps.sessions(here.session).change(actor, { ...choice.change, ifVersion: null });
  if (!changed.ok) return refusalText(changed);
  await openSession(context, event, actor, { session: here.session, sessionAt: entered.value.createdAt });
  return choice.done;
}

/** The session that a command has chosen: a repeat of its delivery chooses no other. */
const sessionOnce = (
  { db, channel, deps }: ReceiveContext,
  { command: name, deliveryId }: Extract<ChannelEvent, { kind: "command" }>,
  session: NamedSession,
): Promise<NamedSession> =>
  sessionOfMessage(db, channel.name, `${name} ${deliveryId}`, { ...session, at: deps.now() });

const uncreated = (session: string): NamedSession => ({ session, sessionAt: null });

const HELP = [
  "Say what is to be done, and I answer here.",
  "- `/new` begins a new conversation",
  "- `/sessions` lists your conversations, and `/sessions 2` goes on with the second one here",
  "- `/stop` stops what is at work",
  "- `/add TEXT` gives what is at work something more to read",
  "- `/agent` and `/model` list what can answer here, and with a name choose it for this conversation",
  "- `/lean` before a message has it done quickly, with little around it",
].join("\n");

/** Parts of a message besides the sender's own text. */
type MessageParts = Pick<
  Extract<ChannelEvent, { kind: "message" }>,
  "files" | "foreign" | "quotesThread" | "isEdit" | "follows"
>;
const NO_PARTS: MessageParts = { files: [], foreign: null, isEdit: false };

/** Marks an edit, which the agent would otherwise take for a second request. */
const EDITED = { type: "text", text: "(This is a new version of an earlier message.)" } as const;

/** Marks a part of an album that came after the others. */
const FOLLOWS = { type: "text", text: "(This belongs to the album that was sent before.)" } as const;

/** Sends the event to the person's session in this chat. Returns a line for each rejected part. */
async function sendToSession(
  context: ReceiveContext,
  event: ChannelEvent,
  actor: Actor,
  text: string,
  { files, foreign, quotesThread, isEdit, follows }: MessageParts = NO_PARTS,
): Promise<readonly string[]> {
  const { deps, db, channel, traceId, stores } = context;
  const { subject } = actor;
  const place = await findChat(db, event.address);
  const known = await findChatSession(db, event.address, subject);
  // A mail's quotes of its own thread are in the session already.
  const isOurs = known !== null && quotesThread === true;
  const quoted = foreign === null || isOurs ? [] : [{ type: "text", text: foreign, foreign: true } as const];
  if (text.trim() === "" && quoted.length + files.length === 0) return [];
  const opened = {
    ...(known ?? uncreated(deps.newId())),
    subject,
    isGroup: event.isGroup,
    at: deps.now(),
  };
  const isOpen = known !== null && place?.blocked === false;
  const open = isOpen ? known : await openChatSession(db, event.address, opened);
  if (event.id !== undefined) await noteMessage(db, event.address, event.id);
  // A part of another message goes where that message went.
  const former =
    follows === undefined
      ? open
      : await sessionOfMessage(db, channel.name, follows, { ...open, at: deps.now() });
  const first = await sessionOfMessage(db, channel.name, event.deliveryId, { ...former, at: deps.now() });
  const sendTo = async ({ session, sessionAt }: NamedSession) => {
    // A file is stored only in the session that takes the words.
    const stored = await storeAttachments(
      files,
      { session, sessionAt },
      { id: messageId(event), actor, deps, stores },
    );
    if (stored.refused !== undefined) return { answer: err(stored.refused), left: [] };
    const own = text.trim() === "" ? [] : [{ type: "text", text } as const];
    const parts = [...own, ...quoted, ...stored.parts];
    if (parts.length === 0) return { answer: null, left: stored.rejected };
    if (isEdit) parts.push(EDITED);
    if (follows !== undefined) parts.push(FOLLOWS);
    const answer = await deps.sessions(session).send(actor, {
      id: messageId(event),
      parts,
      mode: null,
      source: "api",
      request: null,
      ask: { traceId },
      origin: event.address,
      sessionAt: stored.sessionAt,
      ...(follows === undefined ? {} : { follows: messageId({ ...event, deliveryId: follows }) }),
    });
    return { answer, left: stored.rejected };
  };
  let into = first;
  let { answer, left } = await sendTo(into);
  // The session was deleted, and another may have its name: this person continues in a new session.
  const others = [...(open.session === first.session ? [] : [open]), uncreated(deps.newId())];
  for (const other of others) {
    if (answer?.ok !== false || answer.error.code !== ID_TAKEN.code) break;
    into = other;
    await openSession(context, event, actor, into);
    await moveMessage(db, channel.name, event.deliveryId, into);
    ({ answer, left } = await sendTo(into));
  }
  const isIn = answer?.ok === true || (answer?.ok === false && answer.error.code === "message_exists");
  if (isIn && into.sessionAt === null) await storeCreatedSession(context, event, actor, into.session);
  // The vendor repeats slow requests, and one of the attempts may get no file: the other's result counts.
  if (answer?.ok === false && answer.error.code !== "message_exists")
    await reply(context, event, refusalText(answer));
  return left;
}

/** The message has made the session, or found it made: from now on its name means this session alone. */
async function storeCreatedSession(
  { deps, db, channel }: ReceiveContext,
  event: ChannelEvent,
  actor: Actor,
  session: string,
): Promise<void> {
  const entered = await deps.sessions(session).enter(actor);
  if (!entered.ok) return;
  const made = { session, sessionAt: entered.value.createdAt };
  await storeSessionTime(db, event.address, actor.subject, made);
  await moveMessage(db, channel.name, event.deliveryId, made);
}

const messageId = ({ address, deliveryId }: Pick<ChannelEvent, "address" | "deliveryId">): string =>
  `ch_${sha256Hex(`${address.channel} ${deliveryId}`).slice(0, 32)}`;

const refusalText = (answer: Extract<ApiResult<unknown>, { ok: false }>): string =>
  [answer.error.message, answer.error.hint ?? ""].join(" ").trim();

async function openSession(
  { db, deps }: ReceiveContext,
  event: ChannelEvent,
  { subject }: Actor,
  session: NamedSession,
): Promise<void> {
  await storeChat(db, event.address, {
    ...session,
    subject,
    isGroup: event.isGroup,
    at: deps.now(),
  });
}

/** A button is pressed by the one to whom it was shown, where it was shown, for exactly what was shown. */
async function press(
  context: ReceiveContext,
  event: Extract<ChannelEvent, { kind: "press" }>,
  found: Link,
  actor: Actor,
): Promise<void> {
  const { deps, db, channel } = context;
  const signal = AbortSignal.timeout(REPLY_MS);
  const button = await findButton(db, event.token, deps.now());
  const isTheirs =
    button !== null &&
    button.userId === found.user.id &&
    button.address.channel === channel.name &&
    button.address.place === event.address.place;
  if (!isTheirs) return await event.ack("This button is not for you, or its time is over.", signal);
  const { decision } = button;
  if (decision === "all") return await event.ack("Decide each of them by its own card.", signal);
  const words =
    decision === "answer"
      ? await pressAnswer(button, deps, actor)
      : await pressDecision({ ...button, decision }, deps, actor, messageId(event));
  await event.ack(words, signal);
}

/** The rest of the text to send. An answer to a card is the reason of a denial; it never decides anything. */
async function takeReason(
  context: ReceiveContext,
  event: Extract<ChannelEvent, { kind: "message" }>,
  actor: Actor,
): Promise<string | null> {
  const { db, deps } = context;
  const { channel, place } = event.address;
  const { answers: card, text } = event;
  const reason = startOf(text.trim(), REASON_CHARS_MAX);
  if (card === null || reason === "") return text;
  const found = await findCard(db, { channel, place, userId: event.user.id, card });
  if (found === null) return text;
  const { approval, sessionAt } = found;
  const command = { id: messageId(event), approval, sessionAt, reason };
  const explained = await deps.sessions(found.session).explain(actor, command);
  if (!explained.ok) return text;
  const { became, state, denied } = explained.value;
  if (became === "over") return whyNot(denied, reason);
  if (became === "none" && state !== "pending") return text;
  const words =
    became === "explained"
      ? "Noted as the reason for your no."
      : "Words decide nothing. Press Deny, then answer the card with the reason.";
  await reply(context, event, words);
  return null;
}

/** Answers the question of the button, and no other: one that is answered or over stays as it is. */
async function pressAnswer(
  { session, sessionAt, approval: question, shown: value }: Button,
  { sessions }: ReceiveContext["deps"],
  actor: Actor,
): Promise<string> {
  const entered = sessionAt === null ? null : await sessions(session).enter(actor, { sessionAt });
  if (entered?.ok === false) return "This question is over.";
  const answered = await sessions(session).answer(actor, { runId: null, question, value });
  return answered.ok ? `Answered: ${value}` : refusalText(answered);
}

/** Performs the button's action. Returns the text for the person who pressed it. */
async function pressDecision(
  {
    approval,
    decision,
    shown: digest,
    session,
    sessionAt,
  }: Button & { readonly decision: Exclude<Button["decision"], "all" | "answer"> },
  { sessions }: ReceiveContext["deps"],
  actor: Actor,
  id: string,
): Promise<string> {
  switch (decision) {
    case "approve":
    case "deny": {
      const command = { approval, sessionAt, decision, args: null, reason: null, digest };
      const decided = await sessions(session).decide(actor, command);
      if (!decided.ok) return refusalText(decided);
      return decision === "approve" ? "Approved." : "Denied. Answer the card to say why.";
    }
    case "extend":
    case "finish": {
      const answered = await sessions(session).answerBudget(actor, {
        id,
        question: approval,
        sessionAt,
        decision,
      });
      if (!answered.ok) return refusalText(answered);
      return decision === "extend" ? "It has more." : "It finishes with what there is.";
    }
  }
}

/** Replies to an event. A reply is no answer of a run: a failure loses nothing. */
export async function reply(
  { channel, deps }: ReceiveContext,
  event: ChannelEvent,
  text: string,
): Promise<void> {
  const address: Address = event.address;
  const signal = AbortSignal.timeout(REPLY_MS);
  try {
    if (event.kind === "command" && event.ack !== undefined) return await event.ack(text, signal);
    await channel.send(
      { kind: "progress", text, ...(event.id === undefined ? {} : { answers: event.id }) },
      address,
      `reply ${addressName(address)} ${event.deliveryId}`,
      signal,
    );
  } catch (error) {
    deps.report(error, "");
  }
}
