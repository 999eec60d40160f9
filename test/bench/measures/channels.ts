import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  startTelegram,
  type ShownMessage,
  type TelegramStandIn,
} from "../../../scripts/channels-demo/telegram.ts";
import { applyMigrations, freePort, startDevServer } from "../../../src/cli/start/dev-server.ts";
import { fetchLog, ofKind } from "../../e2e/clients/log.ts";
import { TELEGRAM_SECRET, telegramVariables } from "../../e2e/channels/telegram-variables.ts";
import type { Measure, Row } from "../measure.ts";

/** How long people on a channel wait: until a card is there, until a press is told, until they are answered. */

const PEOPLE = 10;
const ROUNDS_EACH = 12;
/** of each person, not counted: isolates start, and the site is written */
const WARM_UP = 2;
const WAIT_MS_MAX = 30_000;
const NEEDS_APPROVAL = '/call page_delete {"pages":["about"]}\n/then\n/say It stays.';

/** Milliseconds of each round. */
export interface Waited {
  /** from the entry that asks for a decision to its card at the vendor */
  readonly card: readonly number[];
  /** from the press to the card that says what was decided */
  readonly end: readonly number[];
  /** from a message to its answer at the vendor */
  readonly answer: readonly number[];
}

export const channels: Measure = {
  id: "channels",
  title: "Cards and answers on a channel",
  alone: true,
  how:
    "People ask a Telegram bot for a deletion, press Deny on its card, and get an answer, with a local Telegram stand-in and a warm `wrangler dev`. " +
    `${PEOPLE} people, one after the other, with ${ROUNDS_EACH} rounds each.`,
  async run(say) {
    const directory = await mkdtemp(path.join(tmpdir(), "cairn-bench-channels-"));
    const clock = openClock();
    const telegram = await startTelegram({ changed: () => clock.look() });
    try {
      await applyMigrations(directory);
      const server = await startDevServer({
        port: await freePort(),
        persistTo: directory,
        vars: ["ALLOW_ANONYMOUS:true", ...telegramVariables(telegram)],
      });
      try {
        const waited = await waits({ url: server.url, telegram, clock }, PEOPLE, ROUNDS_EACH, say);
        return rowsOf(waited);
      } finally {
        await server.stop();
      }
    } finally {
      await telegram.close();
      await rm(directory, { recursive: true, force: true });
    }
  },
};

function rowsOf({ card, end, answer }: Waited): Row[] {
  const row = (what: string, cairn: readonly number[]): Row => ({
    what: `${what} (${cairn.length})`,
    unit: "ms",
    cells: { cairn },
  });
  return [
    row("an approval is asked, until its card is taken", card),
    row("a press, until the card says what was decided", end),
    row("a message, until its answer is taken", answer),
  ];
}

/** Notices when a look at the vendor shows what somebody waits for. */
interface Clock {
  look(): void;
  /** Resolves with the moment at which it was there. */
  when<Found>(
    look: () => Found | undefined,
    what: string,
  ): Promise<{ readonly found: Found; readonly at: number }>;
}

export function openClock(): Clock {
  let waiting: (() => void)[] = [];
  return {
    look: () => {
      for (const one of waiting) one();
    },
    when: (look, what) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`${what} did not come`)), WAIT_MS_MAX);
        const check = (): void => {
          const found = look();
          if (found === undefined) return;
          clearTimeout(late);
          waiting = waiting.filter((one) => one !== check);
          resolve({ found, at: Date.now() });
        };
        waiting.push(check);
        check();
      }),
  };
}

interface Place {
  readonly url: string;
  readonly telegram: TelegramStandIn;
  readonly clock: Clock;
}

let people = 900_000;

/** Lets so many people ask, decide and be answered so often, one after the other. */
export async function waits(
  place: Place,
  count: number,
  rounds: number,
  say: (line: string) => void,
): Promise<Waited> {
  const all: Waited[] = [];
  place.telegram.setWebhook(`${place.url}/channels/telegram`, TELEGRAM_SECRET);
  for (let at = 0; at < count; at++) {
    all.push(await waitsOf(place, rounds));
    say(`person ${at + 1} of ${count}`);
  }
  return {
    card: all.flatMap(({ card }) => card),
    end: all.flatMap(({ end }) => end),
    answer: all.flatMap(({ answer }) => answer),
  };
}

async function waitsOf({ url, telegram, clock }: Place, rounds: number): Promise<Waited> {
  const person = telegram.person((people += 1), "Ada");
  const own = (): readonly ShownMessage[] =>
    telegram.messages.filter((one) => one.chat.id === person.chat.id && one.from.is_bot);
  const made = await fetch(`${url}/api/links`, { method: "POST" });
  const { code } = (await made.json()) as { code: string };
  await person.say(`/link ${code}`);
  await clock.when(() => own().find(({ text }) => text.includes("You are linked")), "the link");
  const taken: number[] = [];
  const end: number[] = [];
  const answer: number[] = [];
  for (let round = 0; round < WARM_UP + rounds; round++) {
    const seen = own().length;
    await person.say(NEEDS_APPROVAL);
    const asked = await clock.when(
      () =>
        own()
          .slice(seen)
          .find(({ buttons }) => buttons.length === 2),
      "a card",
    );
    const pressed = Date.now();
    const isOver = (): true | undefined => {
      const card = own().find(({ message_id: id }) => id === asked.found.message_id);
      return card?.buttons.length === 0 ? true : undefined;
    };
    const [over] = await Promise.all([
      clock.when(isOver, "the end of a card"),
      person.press(asked.found, "Deny"),
    ]);
    await clock.when(
      () =>
        own()
          .slice(seen)
          .find(({ text }) => text.includes("It stays.")),
      "an answer",
    );
    const before = own().length;
    const said = Date.now();
    const [told] = await Promise.all([
      clock.when(
        () =>
          own()
            .slice(before)
            .find(({ text }) => text.includes("Hello.")),
        "an answer",
      ),
      person.say("/say Hello."),
    ]);
    taken.push(asked.at);
    end.push(over.at - pressed);
    answer.push(told.at - said);
  }
  const cards = await askedAt(url, String(person.chat.id));
  if (cards.length !== taken.length)
    throw new Error(`${taken.length} cards of ${cards.length} approvals came`);
  return {
    card: taken.map((at, index) => at - (cards[index] ?? 0)).slice(WARM_UP),
    end: end.slice(WARM_UP),
    answer: answer.slice(WARM_UP),
  };
}

/** When the session of this chat has asked for decisions. */
async function askedAt(url: string, chat: string): Promise<readonly number[]> {
  const response = await fetch(`${url}/api/sessions?limit=50`);
  const { items } = (await response.json()) as { items: { id: string }[] };
  for (const { id } of items) {
    const log = await fetchLog(url, id);
    const isOurs = ofKind(log, "run_queued").some(
      ({ body }) => (body["origin"] as { place?: string } | undefined)?.place === chat,
    );
    if (isOurs) return ofKind(log, "approval_requested").map(({ at }) => Date.parse(at));
  }
  throw new Error(`no session of the chat ${chat}`);
}
