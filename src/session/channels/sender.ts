import type { Address } from "../../core/address.ts";
import type { NotifySettings } from "../../core/quiet.ts";
import { DELIVERY_TIMEOUT_MS } from "../../core/limits.ts";
import { ChannelFault, type Outgoing, type Receipt } from "../../channels/channel.ts";
import type { Channels } from "../../channels/create.ts";
import { issueButtons } from "../../channels/people/buttons.ts";
import type { Link } from "../../channels/people/links.ts";
import { findLinkToAsk } from "../../channels/people/notify.ts";
import { blockPlace, findPlace } from "../../channels/people/places.ts";
import type { ApprovalView } from "../../wire/approval.ts";
import type { Engine } from "../engine/engine.ts";
import { cardMessage, endedCard, linkedCard } from "./cards.ts";
import type { ChannelNote } from "../background/channel-notices.ts";
import type { Answered } from "../background/delivery-retry.ts";
import type { Delivery, SessionOutbox } from "../background/outbox.ts";

export interface ChannelSenderDeps {
  readonly session: string;
  readonly channels: Channels;
  readonly db: D1Database;
  /** how people are told who have not said it */
  readonly notifyDefaults: NotifySettings;
  readonly engine: Pick<Engine, "rearm">;
  readonly outbox: Pick<SessionOutbox, "keepCard" | "endCard" | "cardsOf" | "dropCard" | "linkTo">;
  /** as it stands now */
  readonly approval: (id: string) => ApprovalView | null;
  readonly clock: () => number;
}

const SENT: Answered = { status: 200, retryAfterMs: null };
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

  constructor(deps: ChannelSenderDeps) {
    this.#deps = deps;
  }

  /** Never throws: a failure is an answer. */
  async tell({ id, body }: Delivery): Promise<Answered> {
    const note = JSON.parse(body) as ChannelNote;
    try {
      switch (note.type) {
        case "message": {
          const { kind, text, skip } = note;
          await this.send({ kind, text, ...(skip === undefined ? {} : { skip }) }, note.address, id);
          return SENT;
        }
        case "card":
          return await this.#card(note, id);
        case "card_end":
          return await this.#end(note.approval);
      }
    } catch (error) {
      if (error instanceof ChannelFault)
        return {
          status: STATUS[error.code] ?? null,
          retryAfterMs: error.retryAfterMs,
          ...(error.code === "unknown" ? { lost: true } : {}),
          ...(error.sent > 0 && note.type === "message"
            ? { rest: JSON.stringify({ ...note, skip: error.sent }) }
            : {}),
        };
      throw error;
    }
  }

  /** Throws ChannelFault. A place that has shut us out is not tried again. */
  async send(message: Outgoing, address: Address, key: string, signal?: AbortSignal): Promise<Receipt> {
    const { channels, db, clock } = this.#deps;
    const channel = channels.find(address.channel);
    if (channel === null) throw new ChannelFault("blocked", `${address.channel} is not set up.`);
    const place = await findPlace(db, address);
    if (place?.blocked === true) throw new ChannelFault("blocked", "The place does not take messages.");
    try {
      const answers = message.answers ?? place?.answers;
      const answering = answers === undefined || answers === null ? message : { ...message, answers };
      return await inTime(signal, (either) => channel.send(answering, address, key, either));
    } catch (error) {
      if (error instanceof ChannelFault && error.code === "blocked") await blockPlace(db, address, clock());
      throw error;
    }
  }

  /** Shows an approval where its decider wants to be asked; nowhere when it is decided, or that is on the page alone. */
  async #card({ approval, subject }: { approval: string; subject: string }, id: string): Promise<Answered> {
    const { channels, db, engine, outbox, clock } = this.#deps;
    const view = this.#deps.approval(approval);
    if (view?.state !== "pending") return SENT;
    const has = (name: string): boolean => channels.find(name) !== null;
    const link = await findLinkToAsk(db, subject, this.#deps.notifyDefaults, has);
    if (link === null) return SENT;
    const address = addressOf(link);
    const channel = channels.find(link.channel);
    const message =
      channel?.decidesByLink === true
        ? linkedCard(view, outbox.linkTo(view, subject))
        : cardMessage(view, await this.#buttons(view, link));
    const receipt = await this.send(message, address, id);
    // A card that is a link shows what became of it by itself.
    if (channel?.decidesByLink !== true || channel.update !== undefined)
      engine.rearm(() => {
        outbox.keepCard(approval, { address, receipt });
        // Decided while it was on its way: when its end was told, nobody knew where it is shown.
        if (this.#deps.approval(approval)?.state !== "pending") outbox.endCard(approval, id, clock());
      });
    return SENT;
  }

  async #buttons(view: ApprovalView, link: Link): Promise<{ approve: string; deny: string }> {
    const { session, db, clock } = this.#deps;
    const button = {
      ...{ session, approval: view.id, shown: view.digest },
      ...{ address: addressOf(link), userId: link.user.id },
      expiresAt: Date.parse(view.expiresAt),
    };
    const [approve = "", deny = ""] = await issueButtons(
      db,
      [
        { ...button, decision: "approve" },
        { ...button, decision: "deny" },
      ],
      clock(),
    );
    return { approve, deny };
  }

  /** Whoever looks at a card later sees that it is decided, and by whom. */
  async #end(approval: string): Promise<Answered> {
    const { channels, engine, outbox } = this.#deps;
    const view = this.#deps.approval(approval);
    for (const card of outbox.cardsOf(approval)) {
      const channel = channels.find(card.address.channel);
      if (view !== null)
        await inTime(undefined, async (signal) =>
          channel?.update?.(card.receipt, endedCard(view), card.address, signal),
        );
      engine.rearm(() => outbox.dropCard(approval, card));
    }
    return SENT;
  }
}

/** Not AbortSignal.timeout: its timer cannot be cleared, and a pending timer keeps an idle object awake. */
async function inTime<Answer>(
  signal: AbortSignal | undefined,
  act: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), DELIVERY_TIMEOUT_MS);
  try {
    return await act(signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}

const addressOf = ({ channel, place }: Link): Address => ({ channel, place });
