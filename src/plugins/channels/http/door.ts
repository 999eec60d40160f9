import { startOf } from "../../../cairn/core/text/cut.ts";
import type { Hono } from "hono/tiny";
import { addressName, type Address } from "../../../cairn/core/address.ts";
import { whyNot } from "../../../cairn/core/loop/receive-decision.ts";
import { sha256Hex } from "../../../cairn/core/log/digest.ts";
import { joinParts } from "../album.ts";
import { ChannelFault, type Channel, type Received } from "../channel.ts";
import type { HeldWords, Hold } from "../held.ts";
import { findButton, findCard, type Button } from "../people/buttons.ts";
import { isDone, markDone, moveMessage, sessionOfMessage } from "../people/heard.ts";
import { findLink, isToBeTold, redeemCode, rightsHeld, voidCodes, type Link } from "../people/links.ts";
import { currentAddress, movePlace } from "../people/moves.ts";
import {
  blockPlace,
  findPlace,
  findPlaceSession,
  keepPlace,
  noteMessage,
  notePlaceSession,
  openPlace,
  type NamedSession,
} from "../people/places.ts";
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
import { keepBrought, speechOf, type FileStores } from "./brought.ts";
import { CHOICES, readChoice } from "./choices.ts";
import { sessionsWords } from "./sessions.ts";

/**
 * `POST /channels/:name`: what people say on a channel. Whoever is linked speaks with their session; whoever is not is told how
 * to link, once an hour, and nothing else. What is heard is answered 200, whatever became of it: vendors repeat for ever.
 */
export function mountChannels(app: Hono<HttpEnv>, deps: ChannelDeps): void {
  app.post("/channels/:name", (c) => receiveWords(c, deps));
  app.all("/channels/:name", (c) =>
    deps.channels.find(c.req.param("name")) === null ? refuse(c, NOT_FOUND) : notThisMethod(c, ["POST"]),
  );
}

const HEARD = (): Response => Response.json({ ok: true });
const REPLY_MS = 8_000;
/** of a decision, as on the page */
const REASON_CHARS_MAX = 2_000;

export type Heard = Exclude<Received, { kind: "challenge" | "posted" | "moved" }>;
/** from somebody, and not from the vendor itself */
type Spoken = Exclude<Heard, { kind: "shut" }>;
export interface Hearing {
  readonly deps: HearingDeps;
  readonly db: D1Database;
  readonly channel: Channel;
  /** of the request or the mail that brought the update */
  readonly traceId: string;
  /** where files are stored */
  readonly stores: FileStores;
}
export type HearingDeps = Pick<
  ChannelDeps,
  "config" | "sessions" | "now" | "newId" | "report" | "pictures" | "admins" | "transcriber" | "agents"
>;

async function receiveWords(c: HttpContext, deps: ChannelDeps): Promise<Response> {
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
    return HEARD();
  }
  if (received === null) return HEARD();
  if (received.kind === "challenge") return Response.json(received.answer);
  const { DB: db } = c.env;
  if (received.kind === "posted") {
    await voidCodes(db, received.text);
    if (received.fault !== undefined) deps.report(received.fault, c.req.header("x-request-id") ?? "");
    return HEARD();
  }
  if (received.kind === "moved") {
    const { channel: name, from, to } = received;
    if (!(await movePlace(db, received)))
      deps.report(new Error(`${name}:${from} did not move to ${name}:${to}, which is another place.`), "");
    return HEARD();
  }
  const hearing = { deps, db, channel, traceId: requestId(c), stores: c.env };
  if (!(await isHeld(hearing, received, deps.hold ?? null))) await hear(hearing, received);
  return HEARD();
}

/** milliseconds without a further part after which an album is complete */
const ALBUM_QUIET_MS = 1_500;

/**
 * True for a message that is stored and received later: a part of an album waits for the others, and what is spoken takes longer
 * than the vendor waits. Nothing of people who are not linked is stored.
 */
async function isHeld({ db, channel, deps }: Hearing, said: Heard, hold: Hold | null): Promise<boolean> {
  if (hold === null || said.kind !== "message" || said.body === undefined) return false;
  const { address, user, deliveryId, at, isEdit, body, album } = said;
  const isSpoken =
    (deps.transcriber ?? null) !== null && said.files.some((file) => speechOf(file) !== undefined);
  const isForUs = !said.isGroup || said.isForUs;
  if (album === undefined && !(isSpoken && isForUs)) return false;
  if ((await findLink(db, channel.name, user.id)) === null) return false;
  // Everybody in the group can read the codes now.
  if (said.isGroup) await voidCodes(db, wordsOf(said));
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
export async function hearHeld(
  deps: HearingDeps & Pick<ChannelDeps, "channels">,
  stores: FileStores,
  { channel: name, deliveryId, follows, parts }: HeldWords,
): Promise<boolean> {
  const channel = deps.channels.find(name);
  // Its variables were taken away meanwhile.
  if (channel?.read === undefined) return true;
  const read: Extract<Received, { kind: "message" }>[] = [];
  for (const { body, isEdit, hasSentFiles } of parts) {
    const received = await channel.read(parseJson(body));
    if (received?.kind !== "message") continue;
    read.push({ ...received, isEdit, files: hasSentFiles ? [] : received.files });
  }
  if (read.length === 0) return true;
  const said = joinParts(read, deliveryId);
  if (said.isGroup && !said.isForUs) return false;
  // The parts came with several requests: their message has an id of its own.
  const hearing = { deps, db: stores.DB, channel, stores, traceId: deps.newId() };
  await hear(hearing, { ...said, ...(follows === null ? {} : { follows }) });
  return true;
}

/** What somebody says on a channel, who is who the channel says they are. */
export async function hear(hearing: Hearing, said: Heard): Promise<void> {
  const { db, channel, deps } = hearing;
  const address = await currentAddress(db, said.address, channel);
  // A group that is upgraded leaves its old id.
  const isMoved = address.place !== said.address.place;
  if (said.kind === "shut") return isMoved ? undefined : await blockPlace(db, address, deps.now());
  const heard = { ...said, address };
  // Everybody in a group has read it.
  if (heard.isGroup) await voidCodes(db, wordsOf(heard));
  if (heard.kind !== "command" || !OWN.has(heard.command)) return await hearPerson(hearing, heard);
  const { deliveryId } = heard;
  if (await isDone(db, channel.name, deliveryId)) return;
  await hearPerson(hearing, heard);
  await markDone(db, channel.name, "command", deliveryId, deps.now());
}

const wordsOf = (heard: Spoken): string =>
  heard.kind === "message"
    ? `${heard.text} ${heard.foreign ?? ""}`
    : heard.kind === "command"
      ? `${heard.command} ${heard.args}`
      : heard.kind === "unreadable"
        ? heard.words
        : "";

/** Whoever is linked acts with the rights that they have now. */
async function hearPerson(hearing: Hearing, heard: Spoken): Promise<void> {
  const { db, channel, deps } = hearing;
  const code = codeIn(heard);
  if (code !== null) return await link(hearing, heard, code);
  const found = await findLink(db, channel.name, heard.user.id);
  if (found === null) return await meet(hearing, heard);
  const actor = actorOf(hearing, found);
  if (actor === null) return await sayEnded(hearing, heard);
  switch (heard.kind) {
    case "press":
      return await press(hearing, heard, found, actor);
    case "command":
      return await command(hearing, heard, actor);
    case "unreadable":
      if (await markDone(db, channel.name, "left out", heard.deliveryId, deps.now()))
        await reply(hearing, heard, unreadableWords(heard.content, deps));
      return;
    case "message": {
      if (heard.isGroup && !heard.isForUs) return;
      const words = (await explain(hearing, heard, actor)) ?? "";
      const left = await say(hearing, heard, actor, words, heard);
      if (heard.files.length + left.length === 0) return;
      // A repeat may fail to read what the first try has read: the first that comes to its end says what was left out.
      if (!(await markDone(db, channel.name, "left out", heard.deliveryId, deps.now()))) return;
      if (left.length > 0) await reply(hearing, heard, left.join("\n"));
      return;
    }
  }
}

const unreadableWords = (content: string | null, { transcriber = null }: HearingDeps): string =>
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
function actorOf({ deps }: Hearing, found: Link): Actor | null {
  const now = actorOfGrant(deps.config, rightsHeld(found), deps.now());
  return now === null ? null : { ...now, via: "channel" };
}

/** Nothing is done for them any more, and they learn why. */
async function sayEnded(hearing: Hearing, heard: Spoken): Promise<void> {
  const { db, channel, deps } = hearing;
  if (heard.kind === "press") return await heard.ack(ACCESS_ENDED, AbortSignal.timeout(REPLY_MS));
  if (heard.kind === "message" && heard.isGroup && !heard.isForUs) return;
  // Two programs that answer each other would go on for ever.
  const { strangersMax: max } = channel;
  if (max !== undefined && !(await isToBeTold(db, channel.name, heard.user.id, deps.now(), max))) return;
  await reply(hearing, heard, `${ACCESS_ENDED} ${LINK_AGAIN}`);
}

const LINK_AGAIN =
  "Whoever runs this Cairn can give you a new token. With it, ask for a code on the page (Preferences, Channels), then say: /link CODE";

/** `/link CODE`, or a deep link that brings it along. */
const codeIn = (heard: Heard): string | null =>
  heard.kind === "command" &&
  (heard.command === "link" || heard.command === "start") &&
  heard.args.trim() !== ""
    ? heard.args.trim()
    : null;

async function link(hearing: Hearing, heard: Spoken, code: string): Promise<void> {
  const { db, channel, deps } = hearing;
  const { user, address } = heard;
  // What waits for a yes is shown where somebody was linked: never before others.
  if (heard.isGroup) return await reply(hearing, heard, NOT_IN_A_GROUP);
  const made = await redeemCode(db, code, { channel: channel.name, user, place: address.place }, deps.now());
  if (made.ok && actorOf(hearing, made.link) === null) return await sayEnded(hearing, heard);
  if (made.ok)
    return await reply(hearing, heard, `You are linked as ${made.link.subject}. Say what is to be done.`);
  const words =
    made.why === "wrong"
      ? "That code is not one, or its time is over. The page gives a new one under Preferences, Channels."
      : "That were too many wrong codes. Try again in an hour.";
  await reply(hearing, heard, words);
}

const NOT_IN_A_GROUP =
  "Write that to me alone, where no one else reads it. A code that others have read is void: the page gives a new one under Preferences, Channels.";

/** Somebody unknown is told how to link, and nothing of what there is. */
async function meet(hearing: Hearing, heard: Heard): Promise<void> {
  const { db, channel, deps } = hearing;
  if (heard.kind === "press") return await heard.ack("You are not linked.", AbortSignal.timeout(REPLY_MS));
  const isForUs = heard.kind === "unreadable" || (heard.kind === "message" && heard.isForUs);
  if (heard.isGroup && !isForUs) return;
  const { strangersMax } = channel;
  if (!(await isToBeTold(db, channel.name, heard.user.id, deps.now(), strangersMax))) return;
  const how =
    "I work for people who are linked. Ask for a code on the page (Preferences, Channels), then say: /link CODE";
  await reply(hearing, heard, how);
}

/** Each may be carried out again until it is marked as done, and comes to the same then. */
async function command(
  hearing: Hearing,
  heard: Extract<Heard, { kind: "command" }>,
  actor: Actor,
): Promise<void> {
  const { db, deps } = hearing;
  const { command: name, args, address } = heard;
  switch (name) {
    case "start":
    case "help":
      return await reply(hearing, heard, HELP);
    case "new": {
      await openSession(hearing, heard, actor, await sessionOnce(hearing, heard, unmade(deps.newId())));
      return await reply(hearing, heard, "A new conversation. What is to be done?");
    }
    case "sessions": {
      const { words, goesOn = null } = await sessionsWords(db, actor, heard, args);
      if (goesOn !== null)
        await openSession(hearing, heard, actor, await sessionOnce(hearing, heard, goesOn));
      return await reply(hearing, heard, words);
    }
    case "stop": {
      const known = await findPlaceSession(db, address, actor.subject);
      const stop = { id: messageId(heard), runId: null, all: true, reason: null };
      const stopped =
        known === null
          ? null
          : await deps.sessions(known.session).cancel(actor, { ...stop, sessionAt: known.sessionAt });
      const isStopped = stopped?.ok === true && stopped.value.cancelled.length > 0;
      const words = isStopped ? "Stopped." : "Nothing is at work.";
      return await reply(hearing, heard, words);
    }
    case "add":
      return await reply(hearing, heard, await addToRun(hearing, heard, actor));
    case "agent":
    case "model":
      return await reply(hearing, heard, await choose(hearing, heard, actor));
    default:
      return void (await say(hearing, heard, actor, `/${name} ${args}`.trim()));
  }
}

type Command = Extract<Heard, { kind: "command" }>;

/** Gives the live run something more to read. */
async function addToRun({ db, deps, traceId }: Hearing, heard: Command, actor: Actor): Promise<string> {
  const text = heard.args.trim();
  if (text === "") return "Say what is to be added: `/add TEXT`.";
  const known = await findPlaceSession(db, heard.address, actor.subject);
  if (known === null) return NOTHING_TO_ADD_TO;
  const { session, sessionAt } = known;
  const { sessions } = deps;
  // Another session may have the name by now.
  const entered = sessionAt === null ? null : await sessions(session).enter(actor, { sessionAt });
  if (entered?.ok === false) return NOTHING_TO_ADD_TO;
  const parts = [{ type: "text", text } as const];
  const added = await sessions(session).steer(actor, { id: messageId(heard), parts, traceId });
  if (added.ok) return "Added: it is read at the next step.";
  return added.error.code === "not_running" ? NOTHING_TO_ADD_TO : refusedWords(added);
}

const NOTHING_TO_ADD_TO = "Nothing is at work, so nothing can be added. Say it as a message.";

/** Changes the session of the chat, which is made where there is none yet. */
async function choose(hearing: Hearing, heard: Command, actor: Actor): Promise<string> {
  const { db, deps } = hearing;
  const choice = await readChoice(deps, actor, heard.command, heard.args);
  if ("words" in choice) return choice.words;
  const known = await findPlaceSession(db, heard.address, actor.subject);
  let here = known ?? (await sessionOnce(hearing, heard, unmade(deps.newId())));
  let entered = await deps.sessions(here.session).enter(actor, { sessionAt: here.sessionAt });
  if (!entered.ok && entered.error.code === ID_TAKEN.code) {
    here = await sessionOnce(hearing, heard, unmade(deps.newId()));
    entered = await deps.sessions(here.session).enter(actor);
  }
  if (!entered.ok) return refusedWords(entered);
  const changed = await deps.sessions(here.session).change(actor, { ...choice.change, ifVersion: null });
  if (!changed.ok) return refusedWords(changed);
  await openSession(hearing, heard, actor, { session: here.session, sessionAt: entered.value.createdAt });
  return choice.done;
}

/** The session that a command has chosen: a repeat of its delivery chooses no other. */
const sessionOnce = (
  { db, channel, deps }: Hearing,
  { command: name, deliveryId }: Extract<Heard, { kind: "command" }>,
  session: NamedSession,
): Promise<NamedSession> =>
  sessionOfMessage(db, channel.name, `${name} ${deliveryId}`, { ...session, at: deps.now() });

const unmade = (session: string): NamedSession => ({ session, sessionAt: null });

const HELP = [
  "Say what is to be done, and I answer here.",
  "- `/new` begins a new conversation",
  "- `/sessions` lists your conversations, and `/sessions 2` goes on with the second one here",
  "- `/stop` stops what is at work",
  "- `/add TEXT` gives what is at work something more to read",
  "- `/agent` and `/model` list what can answer here, and with a name choose it for this conversation",
  "- `/lean` before a message has it done quickly, with little around it",
].join("\n");

/** What comes with words that are not the speaker's own. */
type Bringing = Pick<
  Extract<Heard, { kind: "message" }>,
  "files" | "foreign" | "quotesThread" | "isEdit" | "follows"
>;
const NOTHING: Bringing = { files: [], foreign: null, isEdit: false };

/** Marks an edit, which the agent would otherwise take for a second request. */
const EDITED = { type: "text", text: "(This is a new version of an earlier message.)" } as const;

/** Marks a part of an album that came after the others. */
const FOLLOWS = { type: "text", text: "(This belongs to the album that was sent before.)" } as const;

/** Says it to the speaker's session at the place. What of it was not taken, a line each. */
async function say(
  hearing: Hearing,
  heard: Heard,
  actor: Actor,
  text: string,
  { files, foreign, quotesThread, isEdit, follows }: Bringing = NOTHING,
): Promise<readonly string[]> {
  const { deps, db, channel, traceId, stores } = hearing;
  const { subject } = actor;
  const place = await findPlace(db, heard.address);
  const known = await findPlaceSession(db, heard.address, subject);
  // What a mail quotes of its own thread is known.
  const isOurs = known !== null && quotesThread === true;
  const quoted = foreign === null || isOurs ? [] : [{ type: "text", text: foreign, foreign: true } as const];
  if (text.trim() === "" && quoted.length + files.length === 0) return [];
  const opened = {
    ...(known ?? unmade(deps.newId())),
    subject,
    isGroup: heard.isGroup,
    at: deps.now(),
  };
  const isOpen = known !== null && place?.blocked === false;
  const open = isOpen ? known : await openPlace(db, heard.address, opened);
  if (heard.id !== undefined) await noteMessage(db, heard.address, heard.id);
  // A part of another message goes where that message went.
  const former =
    follows === undefined
      ? open
      : await sessionOfMessage(db, channel.name, follows, { ...open, at: deps.now() });
  const first = await sessionOfMessage(db, channel.name, heard.deliveryId, { ...former, at: deps.now() });
  const sayTo = async ({ session, sessionAt }: NamedSession) => {
    // A file is stored only in the session that takes the words.
    const brought = await keepBrought(
      files,
      { session, sessionAt },
      { id: messageId(heard), actor, deps, stores },
    );
    if (brought.refused !== undefined) return { said: err(brought.refused), left: [] };
    const own = text.trim() === "" ? [] : [{ type: "text", text } as const];
    const parts = [...own, ...quoted, ...brought.parts];
    if (parts.length === 0) return { said: null, left: brought.left };
    if (isEdit) parts.push(EDITED);
    if (follows !== undefined) parts.push(FOLLOWS);
    const said = await deps.sessions(session).send(actor, {
      id: messageId(heard),
      parts,
      mode: null,
      source: "api",
      request: null,
      ask: { traceId },
      origin: heard.address,
      sessionAt: brought.sessionAt,
      ...(follows === undefined ? {} : { follows: messageId({ ...heard, deliveryId: follows }) }),
    });
    return { said, left: brought.left };
  };
  let into = first;
  let { said, left } = await sayTo(into);
  // Its session was deleted, and another may have the name: this person goes on with one of their own.
  const others = [...(open.session === first.session ? [] : [open]), unmade(deps.newId())];
  for (const other of others) {
    if (said?.ok !== false || said.error.code !== ID_TAKEN.code) break;
    into = other;
    await openSession(hearing, heard, actor, into);
    await moveMessage(db, channel.name, heard.deliveryId, into);
    ({ said, left } = await sayTo(into));
  }
  const isIn = said?.ok === true || (said?.ok === false && said.error.code === "message_exists");
  if (isIn && into.sessionAt === null) await noteMade(hearing, heard, actor, into.session);
  // The vendor repeats what takes long, and one of the tries may get no file: what the other has said holds.
  if (said?.ok === false && said.error.code !== "message_exists")
    await reply(hearing, heard, refusedWords(said));
  return left;
}

/** The message has made the session, or found it made: from now on its name means this session alone. */
async function noteMade(
  { deps, db, channel }: Hearing,
  heard: Heard,
  actor: Actor,
  session: string,
): Promise<void> {
  const entered = await deps.sessions(session).enter(actor);
  if (!entered.ok) return;
  const made = { session, sessionAt: entered.value.createdAt };
  await notePlaceSession(db, heard.address, actor.subject, made);
  await moveMessage(db, channel.name, heard.deliveryId, made);
}

const messageId = ({ address, deliveryId }: Pick<Heard, "address" | "deliveryId">): string =>
  `ch_${sha256Hex(`${address.channel} ${deliveryId}`).slice(0, 32)}`;

const refusedWords = (said: Extract<ApiResult<unknown>, { ok: false }>): string =>
  [said.error.message, said.error.hint ?? ""].join(" ").trim();

async function openSession(
  { db, deps }: Hearing,
  heard: Heard,
  { subject }: Actor,
  session: NamedSession,
): Promise<void> {
  await keepPlace(db, heard.address, {
    ...session,
    subject,
    isGroup: heard.isGroup,
    at: deps.now(),
  });
}

/** A button is pressed by the one to whom it was shown, where it was shown, for exactly what was shown. */
async function press(
  hearing: Hearing,
  heard: Extract<Heard, { kind: "press" }>,
  found: Link,
  actor: Actor,
): Promise<void> {
  const { deps, db, channel } = hearing;
  const signal = AbortSignal.timeout(REPLY_MS);
  const button = await findButton(db, heard.token, deps.now());
  const isTheirs =
    button !== null &&
    button.userId === found.user.id &&
    button.address.channel === channel.name &&
    button.address.place === heard.address.place;
  if (!isTheirs) return await heard.ack("This button is not for you, or its time is over.", signal);
  const { decision } = button;
  if (decision === "all") return await heard.ack("Decide each of them by its own card.", signal);
  const words =
    decision === "answer"
      ? await answerBy(button, deps, actor)
      : await decideBy({ ...button, decision }, deps, actor, messageId(heard));
  await heard.ack(words, signal);
}

/** The words that are left to say. The answer to a card is why somebody has said no there; it never decides anything. */
async function explain(
  hearing: Hearing,
  heard: Extract<Heard, { kind: "message" }>,
  actor: Actor,
): Promise<string | null> {
  const { db, deps } = hearing;
  const { channel, place } = heard.address;
  const { answers: card, text } = heard;
  const reason = startOf(text.trim(), REASON_CHARS_MAX);
  if (card === null || reason === "") return text;
  const found = await findCard(db, { channel, place, userId: heard.user.id, card });
  if (found === null) return text;
  const { approval, sessionAt } = found;
  const command = { id: messageId(heard), approval, sessionAt, reason };
  const said = await deps.sessions(found.session).explain(actor, command);
  if (!said.ok) return text;
  const { became, state, denied } = said.value;
  if (became === "over") return whyNot(denied, reason);
  if (became === "none" && state !== "pending") return text;
  const words =
    became === "explained"
      ? "Noted as the reason for your no."
      : "Words decide nothing. Press Deny, then answer the card with the reason.";
  await reply(hearing, heard, words);
  return null;
}

/** Answers the question of the button, and no other: one that is answered or over stays as it is. */
async function answerBy(
  { session, sessionAt, approval: question, shown: value }: Button,
  { sessions }: Hearing["deps"],
  actor: Actor,
): Promise<string> {
  const entered = sessionAt === null ? null : await sessions(session).enter(actor, { sessionAt });
  if (entered?.ok === false) return "This question is over.";
  const answered = await sessions(session).answer(actor, { runId: null, question, value });
  return answered.ok ? `Answered: ${value}` : refusedWords(answered);
}

/** What a button does, in words for the one who pressed. */
async function decideBy(
  {
    approval,
    decision,
    shown: digest,
    session,
    sessionAt,
  }: Button & { readonly decision: Exclude<Button["decision"], "all" | "answer"> },
  { sessions }: Hearing["deps"],
  actor: Actor,
  id: string,
): Promise<string> {
  switch (decision) {
    case "approve":
    case "deny": {
      const command = { approval, sessionAt, decision, args: null, reason: null, digest };
      const decided = await sessions(session).decide(actor, command);
      if (!decided.ok) return refusedWords(decided);
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
      if (!answered.ok) return refusedWords(answered);
      return decision === "extend" ? "It has more." : "It finishes with what there is.";
    }
  }
}

/** A few words to where somebody wrote. They are no answer of a run: when they fail, nothing is lost. */
export async function reply({ channel, deps }: Hearing, heard: Heard, text: string): Promise<void> {
  const address: Address = heard.address;
  const signal = AbortSignal.timeout(REPLY_MS);
  try {
    if (heard.kind === "command" && heard.ack !== undefined) return await heard.ack(text, signal);
    await channel.send(
      { kind: "progress", text, ...(heard.id === undefined ? {} : { answers: heard.id }) },
      address,
      `reply ${addressName(address)} ${heard.deliveryId}`,
      signal,
    );
  } catch (error) {
    deps.report(error, "");
  }
}
