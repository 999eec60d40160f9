import { withTimeLimit } from "../../../cairn/time-limit.ts";
import type { Address } from "../../../cairn/core/address.ts";
import type { NotifySettings } from "../../../cairn/core/quiet.ts";
import { questionOf } from "../../../cairn/core/entries/question.ts";
import { waitsForPerson } from "../../../cairn/core/state/run/phase.ts";
import { DELIVERY_TIMEOUT_MS } from "../../../cairn/core/limits.ts";
import { ChannelFault, type Channel, type Outgoing, type Receipt } from "../channel.ts";
import type { Channels } from "../channels.ts";
import { issueButtons, storeCardOfButtons, type Button } from "../people/buttons.ts";
import { holds, listLinks, listLinksAt, type Link } from "../people/links.ts";
import { findLinkToAsk } from "../people/notify.ts";
import { currentAddress } from "../people/moves.ts";
import { blockChat, findChat, type Chat } from "../people/chats.ts";
import { complaintOf, type Redact } from "../../../cairn/core/text/redact.ts";
import { logError } from "../../../cairn/operator-log.ts";
import type { ApprovalView } from "../../../cairn/protocol/approval.ts";
import type { People } from "../../../cairn/config/rights.ts";
import type { State } from "../../../cairn/core/state/state.ts";
import type { BudgetQuestionView } from "../../../cairn/protocol/stream/budget-question.ts";
import {
  budgetCard,
  cardMessage,
  channelText,
  endedBudgetCard,
  endedCard,
  endedQuestion,
  linkedBudgetCard,
  linkedCard,
} from "./cards.ts";
import type { AskedOptions, ChannelNote } from "./notices.ts";
import type { Answered } from "../../../cairn/session/background/delivery-retry.ts";
import type { QuestionState, Delivery, SessionOutbox } from "../../../cairn/session/background/outbox.ts";
import type { ShownCard, ShownCards } from "./shown-cards.ts";

export interface ChannelSenderDeps {
  readonly session: string;
  /** when the session was made; null where it does not exist any more */
  readonly createdAt: () => number | null;
  readonly channels: Channels;
  readonly db: D1Database;
  /** notification settings of people who have none */
  readonly notifyDefaults: NotifySettings;
  /** the current state of the session */
  readonly state: () => State;
  /** one transaction of the session */
  readonly transaction: <Result>(body: () => Result) => Result;
  readonly outbox: Pick<
    SessionOutbox,
    "begin" | "approval" | "budgetQuestion" | "question" | "linkTo" | "shownAt"
  >;
  readonly cards: ShownCards;
  readonly clock: () => number;
  readonly redact: Redact;
  /** people who may log in, which decides whose links are valid; absent or null: nobody's rights end */
  readonly people?: People | null;
}

/** How a message is sent, aside from its text and address. */
interface Sending {
  /** the same for every try of one message */
  readonly key: string;
  readonly signal?: AbortSignal;
  /** Called right before the channel is asked to send. False: the message must not be sent. */
  readonly begin?: () => boolean;
}

/** of the buttons of a card */
type Tokens = Partial<Record<Exclude<Button["decision"], "all">, string | undefined>> & {
  readonly issued: readonly string[];
};

/** Telegram shows it for five seconds, or until a message comes */
const TYPING_MS = 4_500;

/** longer than a run may work */
const BUDGET_BUTTON_MS = 7 * 24 * 3_600_000;

interface Card {
  readonly about: Pick<Button, "approval" | "sessionAt" | "shown" | "expiresAt">;
  readonly decisions: (to: CardTarget) => readonly Button["decision"][];
  /** the update of the card once it is decided */
  readonly end: ChannelNote;
  /** reads the current state */
  readonly isOpen: () => boolean;
  /** `tokens` of its buttons; null where nothing can be pressed */
  readonly message: (tokens: Tokens | null, to: CardTarget) => Outgoing;
}

/** Where a card is sent. */
interface CardTarget {
  readonly link: Link;
  readonly channel: Channel | null;
}

const SENT: Answered = { status: 200, retryAfterMs: null };
const NOBODY_THERE: Answered = { status: 403, retryAfterMs: null };
/** statuses of webhooks, by which a row of the outbox is judged */
const STATUS: Readonly<Partial<Record<ChannelFault["code"], number>>> = {
  blocked: 403,
  auth: 401,
  refused: 400,
  malformed: 400,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
};

/** Sends what the outbox holds for people on channels. */
export class ChannelSender {
  readonly #deps: ChannelSenderDeps;
  #typedAt = -TYPING_MS;

  constructor(deps: ChannelSenderDeps) {
    this.#deps = deps;
  }

  /** Never throws: a failure is an answer. */
  async tell(delivery: Delivery): Promise<Answered> {
    const note = JSON.parse(delivery.body) as ChannelNote;
    const { transaction, outbox, clock, redact } = this.#deps;
    let isBegun = false;
    const sending: Sending = {
      key: delivery.id,
      begin: () => (isBegun = transaction(() => outbox.begin(delivery, clock()))),
    };
    try {
      switch (note.type) {
        case "message":
          return await this.#message(note, sending);
        case "card":
          return await this.#card(note, sending);
        case "card_end": {
          const view = this.#approval(note.approval);
          return await this.#end(note.approval, view === null ? null : endedCard(view));
        }
        case "budget":
          return await this.#budgetCard(note, sending);
        case "budget_end": {
          const view = this.#budgetQuestion(note.question);
          return await this.#end(note.question, view === null ? null : endedBudgetCard(view));
        }
        case "question_end": {
          const view = this.#question(note.question);
          return await this.#end(note.question, view === null ? null : endedQuestion(view));
        }
      }
    } catch (error) {
      if (!(error instanceof ChannelFault)) logError("a channel delivery failed", complaintOf(error, redact));
      return answerOf(error, note, isBegun);
    }
  }

  /**
   * Shows that an answer is being written, in the chat of the live run: at each wake, and at most as often as the
   * indicator lasts. Nothing waits for it, and failures are ignored.
   */
  typing(): void {
    const { state, channels, db, clock } = this.#deps;
    const { run } = state();
    const origin = run?.request.origin;
    const channel = origin === undefined ? null : channels.find(origin.channel);
    if (run === null || origin === undefined || channel?.typing === undefined) return;
    if (waitsForPerson(run.phase) || clock() < this.#typedAt + TYPING_MS) return;
    this.#typedAt = clock();
    const show = async (): Promise<void> => {
      const address = await currentAddress(db, origin, channel);
      if ((await findChat(db, address))?.blocked === true) return;
      await withTimeLimit(DELIVERY_TIMEOUT_MS, null, async (signal) => channel.typing?.(address, signal));
    };
    show().catch(() => {});
  }

  #approval(id: string): ApprovalView | null {
    const { state, outbox } = this.#deps;
    return outbox.approval(id, state());
  }

  #budgetQuestion(id: string): BudgetQuestionView | null {
    const { state, outbox } = this.#deps;
    return outbox.budgetQuestion(id, state());
  }

  #question(id: string): QuestionState | null {
    const { state, outbox } = this.#deps;
    return outbox.question(id, state());
  }

  /** False for a chat of two whose person is linked no more, or has lost access: what was written for them is not sent there. */
  async isReachable(named: Address): Promise<boolean> {
    const { db, clock, redact, people = null } = this.#deps;
    if (people === null) return true;
    const { address, place } = await this.#placeOf(named);
    if (place?.isGroup !== false) return true;
    try {
      return (await listLinksAt(db, address)).some((link) => holds(people, link, clock()));
    } catch (error) {
      logError("links were not read", complaintOf(error, redact));
      throw new ChannelFault("unavailable", "The place could not be looked up, so nothing was sent.");
    }
  }

  async #message(
    { kind, text, skip, asks, address: named }: Extract<ChannelNote, { type: "message" }>,
    sending: Sending,
  ): Promise<Answered> {
    if (!(await this.isReachable(named))) return NOBODY_THERE;
    const address = asks === undefined ? named : (await this.#placeOf(named)).address;
    const buttons = asks === undefined ? [] : await this.#optionButtons(asks, address);
    const message = {
      kind,
      text,
      ...(skip === undefined ? {} : { skip }),
      ...(buttons.length === 0 ? {} : { buttons }),
    };
    const receipt = await this.send(message, address, sending);
    if (asks === undefined || buttons.length === 0) return SENT;
    const { question } = asks;
    const isOpen = (): boolean => this.#question(question)?.isOpen === true;
    const end = { type: "question_end", question } as const;
    this.storeCard({ address, receipt }, { name: question, end, isOpen }, sending.key);
    return SENT;
  }

  /**
   * Throws ChannelFault, and nothing else: a failure before the channel is asked is `unavailable`, because nothing was sent.
   * A place that has shut us out is not tried again.
   */
  async send(
    message: Outgoing,
    named: Address,
    { key, signal, begin = () => true }: Sending,
  ): Promise<Receipt> {
    const channel = this.#deps.channels.find(named.channel);
    if (channel === null) throw new ChannelFault("blocked", `${named.channel} is not set up.`);
    const { address, place } = await this.#placeOf(named);
    if (place?.blocked === true) throw new ChannelFault("blocked", "The place does not take messages.");
    const answers = message.answers ?? place?.answers;
    const answering = answers === undefined || answers === null ? message : { ...message, answers };
    if (!begin()) throw new ChannelFault("unavailable", "Another attempt sends this message.");
    try {
      return await withTimeLimit(DELIVERY_TIMEOUT_MS, signal ?? null, (either) =>
        channel.send(answering, address, key, either),
      );
    } catch (error) {
      const fault = asFault(error, this.#deps.redact);
      if (fault.code === "blocked") await this.#block(address);
      throw fault;
    }
  }

  /** The place as it is known now, and its address. */
  async #placeOf(named: Address): Promise<{ readonly address: Address; readonly place: Chat | null }> {
    const { db, channels } = this.#deps;
    try {
      const address = await currentAddress(db, named, channels.find(named.channel));
      return { address, place: await findChat(db, address) };
    } catch (error) {
      logError("a place was not read", complaintOf(error, this.#deps.redact));
      throw new ChannelFault("unavailable", "The place could not be looked up, so nothing was sent.");
    }
  }

  /** Without the note of it, the next message to this place is refused by the vendor again. */
  async #block(address: Address): Promise<void> {
    const { db, channels, clock, redact } = this.#deps;
    try {
      // The channel may have moved the place while it refused the message.
      await blockChat(db, await currentAddress(db, address, channels.find(address.channel)), clock());
    } catch (error) {
      logError("a place that shut us out was not noted", complaintOf(error, redact));
    }
  }

  /** Shows an approval where its decider wants to be asked; nowhere when it is decided, or that is on the page alone. */
  async #card(
    { approval, subject }: { approval: string; subject: string },
    sending: Sending,
  ): Promise<Answered> {
    const view = this.#approval(approval);
    if (view?.state !== "pending") return SENT;
    const { outbox } = this.#deps;
    const sessionAt = this.#deps.createdAt();
    const about = { approval, sessionAt, shown: view.digest, expiresAt: Date.parse(view.expiresAt) };
    return this.#ask(subject, sending, {
      about,
      // A button approves only what its own message shows, all of it.
      decisions: ({ channel }) => (channelText(view, channel).complete ? ["approve", "deny"] : ["deny"]),
      end: { type: "card_end", approval },
      isOpen: () => this.#approval(approval)?.state === "pending",
      message: (tokens, { channel, link }) => {
        if (tokens === null) return linkedCard(view, outbox.linkTo(view, subject));
        const { approve = null, deny = "" } = tokens;
        // A signed link decides for everybody who has it, so in a chat with other readers the link to the page is
        // sent instead.
        const isPrivate = channel?.isPrivate?.(link.place, link.user) === true;
        const url = (isPrivate ? outbox.linkTo(view, subject) : null) ?? outbox.shownAt();
        return cardMessage(channelText(view, channel), { approve, deny }, url);
      },
    });
  }

  /** Asks the owner whether a run may have more. */
  async #budgetCard(
    { question, subject }: { question: string; subject: string },
    sending: Sending,
  ): Promise<Answered> {
    const view = this.#budgetQuestion(question);
    if (view?.state !== "open") return SENT;
    const about = {
      approval: question,
      sessionAt: this.#deps.createdAt(),
      shown: "",
      expiresAt: this.#deps.clock() + BUDGET_BUTTON_MS,
    };
    return this.#ask(subject, sending, {
      about,
      decisions: () => ["extend", "finish"],
      end: { type: "budget_end", question },
      isOpen: () => this.#budgetQuestion(question)?.state === "open",
      message: (tokens) => {
        if (tokens === null) return linkedBudgetCard(view, this.#deps.outbox.shownAt());
        const { extend = "", finish = "" } = tokens;
        return budgetCard(view, { extend, finish });
      },
    });
  }

  /** Sends a card to the person's chat, and stores where it is shown. */
  async #ask(
    subject: string,
    sending: Sending,
    { about, decisions, end, isOpen, message }: Card,
  ): Promise<Answered> {
    const { db, channels, notifyDefaults, clock, people = null } = this.#deps;
    const isReachable = (one: Link): boolean =>
      channels.find(one.channel) !== null && holds(people, one, clock());
    const link = await findLinkToAsk(db, subject, notifyDefaults, isReachable);
    if (link === null) return SENT;
    const address = addressOf(link);
    const channel = channels.find(link.channel);
    const isLink = channel?.decidesByLink === true;
    const place = { link, channel };
    const tokens = isLink ? null : await this.#issue(about, decisions(place), link);
    const receipt = await this.send(message(tokens, place), address, sending);
    // A card that is a link shows what became of it by itself.
    if (!isLink || channel.update !== undefined)
      this.storeCard({ address, receipt }, { name: about.approval, end, isOpen }, sending.key);
    if (tokens !== null) await this.storeButtons(tokens.issued, receipt);
    return SENT;
  }

  /** The options of a question as buttons of those who may answer it; none where nothing can be pressed, or it is answered. */
  async #optionButtons(
    { question, options, subject, expiresAt }: AskedOptions,
    address: Address,
  ): Promise<NonNullable<Outgoing["buttons"]>> {
    const { session, createdAt, db, state, channels, clock, people = null } = this.#deps;
    const open = questionOf(state().run, clock());
    const channel = channels.find(address.channel);
    if (open?.question !== question || channel?.fits === undefined) return [];
    let links: readonly Link[];
    try {
      links = await listLinks(db, subject);
    } catch {
      throw new ChannelFault("unavailable", "Links could not be read, so nothing was sent.");
    }
    const theirs = links.filter((one) => one.channel === address.channel && holds(people, one, clock()));
    const link = theirs.find(({ place }) => place === address.place) ?? theirs[0];
    if (link === undefined) return [];
    const about = { session, sessionAt: createdAt(), approval: question, decision: "answer" } as const;
    const place = { address: { channel: address.channel, place: address.place }, userId: link.user.id };
    const tokens = await issueButtons(
      db,
      options.map((option) => ({ ...about, ...place, shown: option, expiresAt })),
      clock(),
    );
    return options.map((label, at) => ({ label, token: tokens[at] ?? "" }));
  }

  /** Stores where a card is shown. `key`: of its delivery. */
  storeCard(
    card: ShownCard,
    { name, end, isOpen }: Pick<Card, "end" | "isOpen"> & { readonly name: string },
    key: string,
  ): void {
    const { transaction, cards, clock } = this.#deps;
    transaction(() => {
      cards.keep(name, card);
      // The approval was decided while its card was being sent: the end did not know this card yet.
      if (!isOpen()) cards.end(name, end, key, clock());
    });
  }

  /** The card has arrived: a failure here loses only that a reply to it is read as a decision. */
  async storeButtons(issued: readonly string[], { id }: Receipt): Promise<void> {
    const { db, redact } = this.#deps;
    try {
      await storeCardOfButtons(db, issued, id);
    } catch (error) {
      logError("the message of a card was not noted", complaintOf(error, redact));
    }
  }

  /** Tokens of the buttons of a card. */
  async #issue(about: Card["about"], decisions: readonly Button["decision"][], link: Link): Promise<Tokens> {
    const { session, db, clock } = this.#deps;
    const at = clock();
    const button = { session, ...about, address: addressOf(link), userId: link.user.id };
    const buttons: Button[] = decisions.map((decision) => ({ ...button, decision }));
    const issued = await issueButtons(db, buttons, at);
    const named = Object.fromEntries(decisions.map((decision, index) => [decision, issued[index]]));
    return { ...named, issued };
  }

  /**
   * Marks a card as decided, and by whom. Each copy of the card is tried, and only failures that may pass are
   * retried.
   */
  async #end(name: string, ended: Outgoing | null): Promise<Answered> {
    const { channels, transaction, cards, redact } = this.#deps;
    let left: ChannelFault | null = null;
    for (const card of cards.of(name)) {
      const channel = channels.find(card.address.channel);
      try {
        if (ended !== null)
          await withTimeLimit(DELIVERY_TIMEOUT_MS, null, async (signal) =>
            channel?.update?.(card.receipt, ended, card.address, signal),
          );
      } catch (error) {
        const fault = asFault(error, redact);
        if (mayPass(fault)) {
          left = fault;
          continue;
        }
        logError("a card does not show its end", fault.message);
      }
      transaction(() => cards.drop(name, card));
    }
    if (left !== null) throw left;
    return SENT;
  }
}

/** A fault of the channel's own code leaves open what it has sent. */
function asFault(error: unknown, redact: Redact): ChannelFault {
  if (error instanceof ChannelFault) return error;
  logError("a channel threw", complaintOf(error, redact));
  return new ChannelFault("unknown", "The channel failed inside: it may have been sent.");
}

const mayPass = ({ code }: ChannelFault): boolean =>
  code === "unavailable" || code === "unknown" || code === "rate_limited";

/** Answer of a try that failed. `isBegun`: the channel was asked to send. */
function answerOf(error: unknown, note: ChannelNote, isBegun: boolean): Answered {
  const fault = error instanceof ChannelFault ? error : null;
  const isMessage = note.type === "message";
  const sent = isMessage ? Math.max(fault?.sent ?? 0, note.skip ?? 0) : 0;
  const isLost = isMessage && isBegun && (fault === null || fault.code === "unknown");
  return {
    status: fault === null ? null : (STATUS[fault.code] ?? null),
    retryAfterMs: fault?.retryAfterMs ?? null,
    ...(isLost ? { lost: true } : {}),
    ...(sent > 0 ? { rest: JSON.stringify({ ...note, skip: sent }) } : {}),
  };
}

const addressOf = ({ channel, place }: Link): Address => ({ channel, place });
