import type { Hono } from "hono/tiny";
import { addressName, type Address } from "../../core/address.ts";
import { whyNot } from "../../core/loop/receive-decision.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import { ChannelFault, type Channel, type Received } from "../../channels/channel.ts";
import { findButton, findCard, type Button } from "../../channels/people/buttons.ts";
import { isFirst, sessionOfMessage } from "../../channels/people/heard.ts";
import { findLink, isToBeTold, redeemCode, type Link } from "../../channels/people/links.ts";
import { blockPlace, findPlace, keepPlace, noteMessage, openPlace } from "../../channels/people/places.ts";
import { refusal, type Actor, type ApiResult, type Scope } from "../../session/api/session-api.ts";
import type { Deps } from "../kit/deps.ts";
import { NOT_FOUND } from "../kit/responses.ts";
import { notThisMethod, refuse, type HttpContext, type HttpEnv } from "../kit/route.ts";
import { keepBrought } from "./brought.ts";
import { sessionsWords } from "./sessions.ts";

/**
 * `POST /channels/:name`: what people say on a channel. Whoever is linked speaks with their session; whoever is not is told how
 * to link, once an hour, and nothing else. What is heard is answered 200, whatever became of it: vendors repeat for ever.
 */
export function mountChannels(app: Hono<HttpEnv>, deps: Deps): void {
  app.post("/channels/:name", (c) => receiveWords(c, deps));
  app.all("/channels/:name", (c) =>
    deps.channels.find(c.req.param("name")) === null ? refuse(c, NOT_FOUND) : notThisMethod(c, ["POST"]),
  );
}

const HEARD = (): Response => Response.json({ ok: true });
const REPLY_MS = 8_000;
/** of a decision, as on the page */
const REASON_CHARS_MAX = 2_000;
/** Anybody can write a mail, also in masses: so many of them are answered in an hour. */
export const STRANGERS_MAX = 20;

export type Heard = Exclude<Received, { kind: "challenge" }>;
export interface Hearing {
  readonly deps: Pick<Deps, "sessions" | "now" | "newId" | "report">;
  readonly db: D1Database;
  readonly channel: Channel;
  /** where files are kept; absent where there is none */
  readonly bucket?: R2Bucket | null;
}

async function receiveWords(c: HttpContext, deps: Deps): Promise<Response> {
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
  if (received.kind === "challenge") return Response.json({ challenge: received.answer });
  const { DB: db, MEDIA: bucket }: { readonly DB: D1Database; readonly MEDIA?: R2Bucket } = c.env;
  const hearing = { deps, db, channel, bucket: bucket ?? null };
  await hear(hearing, received);
  return HEARD();
}

/** What somebody says on a channel, who is who the channel says they are. */
export async function hear(hearing: Hearing, heard: Heard): Promise<void> {
  const { db, channel, deps } = hearing;
  if (heard.kind === "shut") return await blockPlace(db, heard.address, deps.now());
  const isNews = (what: "command" | "left out"): Promise<boolean> =>
    isFirst(db, channel.name, what, heard.deliveryId, deps.now());
  if (heard.kind === "command" && OWN.has(heard.command) && !(await isNews("command"))) return;
  const code = codeIn(heard);
  if (code !== null) return await link(hearing, heard, code);
  const found = await findLink(db, channel.name, heard.user.id);
  if (found === null) return await meet(hearing, heard);
  const actor = actorOf(found);
  switch (heard.kind) {
    case "press":
      return await press(hearing, heard, found, actor);
    case "command":
      return await command(hearing, heard, found, actor);
    case "message": {
      if (heard.isGroup && !heard.isForUs) return;
      const words = (await explain(hearing, heard, actor)) ?? "";
      const left = await say(hearing, heard, found, actor, words, heard);
      // A repeat may fail to read what the first try has read: the first that comes to its end says what was left out.
      if (heard.files.length + left.length === 0 || !(await isNews("left out"))) return;
      if (left.length > 0) await reply(hearing, heard, left.join("\n"));
      return;
    }
  }
}

/** Commands that are no words for a session. */
const OWN: ReadonlySet<string> = new Set(["link", "start", "help", "new", "sessions", "stop"]);

/** What a linked person may do: what their credential might when they asked for the code. */
const actorOf = ({ subject, scopes }: Link): Actor => ({
  subject,
  scopes: scopes as Scope[],
  via: "channel",
});

/** `/link CODE`, or a deep link that brings it along. */
const codeIn = (heard: Heard): string | null =>
  heard.kind === "command" &&
  (heard.command === "link" || heard.command === "start") &&
  heard.args.trim() !== ""
    ? heard.args.trim()
    : null;

async function link(hearing: Hearing, heard: Heard, code: string): Promise<void> {
  const { db, channel, deps } = hearing;
  const { user, address } = heard;
  // What waits for a yes is shown where somebody was linked: never before others.
  if (heard.isGroup)
    return await reply(hearing, heard, "Write that to me alone, where no one else reads it.");
  const made = await redeemCode(db, code, { channel: channel.name, user, place: address.place }, deps.now());
  if (made.ok)
    return await reply(hearing, heard, `You are linked as ${made.subject}. Say what is to be done.`);
  const words =
    made.why === "wrong"
      ? "That code is not one, or its time is over. The page gives a new one under Preferences, Channels."
      : "That were too many wrong codes. Try again in an hour.";
  await reply(hearing, heard, words);
}

/** Somebody unknown is told how to link, and nothing of what there is. */
async function meet(hearing: Hearing, heard: Heard): Promise<void> {
  const { db, channel, deps } = hearing;
  if (heard.kind === "press") return await heard.ack("You are not linked.", AbortSignal.timeout(REPLY_MS));
  if (heard.isGroup && !(heard.kind === "message" && heard.isForUs)) return;
  const max = channel.name === "email" ? STRANGERS_MAX : null;
  if (!(await isToBeTold(db, channel.name, heard.user.id, deps.now(), max))) return;
  const how =
    "I work for people who are linked. Ask for a code on the page (Preferences, Channels), then say: /link CODE";
  await reply(hearing, heard, how);
}

async function command(
  hearing: Hearing,
  heard: Extract<Heard, { kind: "command" }>,
  found: Link,
  actor: Actor,
): Promise<void> {
  const { deps } = hearing;
  const { command: name, args } = heard;
  switch (name) {
    case "start":
    case "help":
      return await reply(hearing, heard, HELP);
    case "new": {
      await openSession(hearing, heard, found);
      return await reply(hearing, heard, "A new conversation. What is to be done?");
    }
    case "sessions":
      return await reply(hearing, heard, await sessionsWords(hearing.db, actor, heard, args));
    case "stop": {
      const place = await findPlace(hearing.db, heard.address);
      const stopped =
        place === null
          ? null
          : await deps
              .sessions(place.session)
              .cancel(actor, { id: messageId(heard), runId: null, all: true, reason: null });
      const isStopped = stopped?.ok === true && stopped.value.cancelled.length > 0;
      const words = isStopped ? "Stopped." : "Nothing is at work.";
      return await reply(hearing, heard, words);
    }
    default:
      return void (await say(hearing, heard, found, actor, `/${name} ${args}`.trim()));
  }
}

const HELP = [
  "Say what is to be done, and I answer here.",
  "- `/new` begins a new conversation",
  "- `/sessions` lists your conversations, and `/sessions 2` goes on with the second one here",
  "- `/stop` stops what is at work",
  "- `/lean` before a message has it done quickly, with little around it",
].join("\n");

/** What comes with words that are not the speaker's own. */
type Bringing = Pick<Extract<Heard, { kind: "message" }>, "files" | "foreign" | "quotesThread">;
const NOTHING: Bringing = { files: [], foreign: null };

/** Says it to the session of the place. What of it was not taken, a line each. */
async function say(
  hearing: Hearing,
  heard: Heard,
  found: Link,
  actor: Actor,
  text: string,
  { files, foreign, quotesThread }: Bringing = NOTHING,
): Promise<readonly string[]> {
  const { deps, db, channel, bucket = null } = hearing;
  const known = await findPlace(db, heard.address);
  // What a mail quotes of its own thread is known.
  const isOurs = known !== null && quotesThread === true;
  const quoted = foreign === null || isOurs ? [] : [{ type: "text", text: foreign, foreign: true } as const];
  if (text.trim() === "" && quoted.length + files.length === 0) return [];
  const place = { session: known?.session ?? deps.newId(), subject: found.subject, isGroup: heard.isGroup };
  const open = known?.blocked === false ? known.session : await openPlace(db, heard.address, place);
  if (heard.id !== undefined) await noteMessage(db, heard.address, heard.id);
  const first = { session: open, at: deps.now() };
  const session = await sessionOfMessage(db, channel.name, heard.deliveryId, first);
  const brought = await keepBrought(files, session, actor, deps, { db, bucket });
  const own = text.trim() === "" ? [] : [{ type: "text", text } as const];
  const parts = [...own, ...quoted, ...brought.parts];
  if (parts.length === 0) return brought.left;
  const said = await deps.sessions(session).send(actor, {
    id: messageId(heard),
    parts,
    mode: null,
    source: "api",
    request: null,
    ask: {},
    origin: heard.address,
  });
  // The vendor repeats what takes long, and one of the tries may get no file: what the other has said holds.
  if (!said.ok && said.error.code !== "message_exists") await reply(hearing, heard, refusedWords(said));
  return brought.left;
}

const messageId = ({ address, deliveryId }: Heard): string =>
  `ch_${sha256Hex(`${address.channel} ${deliveryId}`).slice(0, 32)}`;

const refusedWords = (said: Extract<ApiResult<unknown>, { ok: false }>): string =>
  [said.error.message, said.error.hint ?? ""].join(" ").trim();

async function openSession({ deps, db }: Hearing, heard: Heard, { subject }: Link): Promise<string> {
  const session = deps.newId();
  await keepPlace(db, heard.address, { session, subject, isGroup: heard.isGroup });
  return session;
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
  if (button.decision === "all") return await heard.ack("Decide each of them by its own card.", signal);
  await heard.ack(await decideBy({ ...button, decision: button.decision }, deps, actor), signal);
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
  const reason = text.trim().slice(0, REASON_CHARS_MAX);
  if (card === null || reason === "") return text;
  const found = await findCard(db, { channel, place, userId: heard.user.id, card });
  if (found === null) return text;
  const command = { id: messageId(heard), approval: found.approval, reason };
  const said = await deps.sessions(found.session).explain(actor, command);
  if (!said.ok) return text;
  const { became, state, title } = said.value;
  if (became === "over") return whyNot(title, reason);
  if (became === "none" && state !== "pending") return text;
  const words =
    became === "explained"
      ? "Noted as the reason for your no."
      : "Words decide nothing. Press Deny, then answer the card with the reason.";
  await reply(hearing, heard, words);
  return null;
}

/** What a button does, in words for the one who pressed. */
async function decideBy(
  {
    approval,
    decision,
    shown: digest,
    session,
  }: Button & { readonly decision: Exclude<Button["decision"], "all"> },
  { sessions, newId }: Hearing["deps"],
  actor: Actor,
): Promise<string> {
  switch (decision) {
    case "approve":
    case "deny": {
      const command = { approval, decision, args: null, reason: null, digest };
      const decided = await sessions(session).decide(actor, command);
      if (!decided.ok) return refusedWords(decided);
      return decision === "approve" ? "Approved." : "Denied. Answer the card to say why.";
    }
    case "extend":
    case "finish": {
      const answered = await sessions(session).answerBudget(actor, {
        id: newId(),
        question: approval,
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
