import { afterAll, beforeAll, expect, test } from "vitest";
import { Chance } from "../../sim/platform/chance.ts";
import { useServer } from "../clients/server.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../clients/webhook-receiver.ts";
import { Book } from "./book.ts";
import { check } from "./check.ts";
import { People } from "./people.ts";

/**
 * A server is killed at random moments, in the middle of all that people do with it, and each next life is asked for what
 * the ones before it have promised: what was shown is in the log, what was told outside is too, and what was deleted
 * stays deleted. A search, with a seed: `KILLS_SEED=7 KILLS_LIVES=200 npm run test:kills`.
 */

const SEED = Number(process.env["KILLS_SEED"] ?? "1");
const LIVES = Number(process.env["KILLS_LIVES"] ?? "70");
const PEOPLE = 6;
/** of a life, after it listens */
const LIFE_MS_MAX = 2_500;
/** a start takes about so long: some of the kills come before it listens */
const START_MS_MAX = 1_800;

const SECRET = "whsec_Y2Fpcm4tZXhhbXBsZS1zZWNyZXQtMDAw";
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver(SECRET);
});
afterAll(() => receiver.close());
const server = useServer(() => [
  `WEBHOOK_TARGETS:${JSON.stringify([{ id: "ops", url: receiver.url, secret: SECRET, events: ["run.*", "approval.*"] }])}`,
  `LIMITS:${JSON.stringify({ requestsPerMinute: 1_000_000, messagesPerMinute: 1_000_000 })}`,
]);

const book = new Book();
const broken: string[] = [];
let compared = 0;

test(
  `what ${LIVES} lives have promised is kept by the next ones (seed ${SEED})`,
  async () => {
    const chance = new Chance(SEED);
    let deaf = 0;
    for (let life = 0; life < LIVES; life++) {
      const { ready } = life === 0 ? { ready: Promise.resolve() } : server.launch();
      ready.catch(() => {});
      if (chance.once(5)) {
        deaf += 1;
        await pause(chance.below(START_MS_MAX));
        await server.kill();
        continue;
      }
      await ready;
      await look(life, book.takeRecent());
      const people = new People({ url: server.url, number: life, book }, SEED * 1_000 + life, PEOPLE);
      await pause(chance.below(LIFE_MS_MAX));
      people.tire();
      await server.kill();
      await people.leave();
    }
    await server.start();
    await look(LIVES, [...book.sessions]);
    const shown = [...book.sessions.values()].reduce((sum, { shown: { size } }) => sum + size, 0);
    console.log(
      `${LIVES} lives, ${deaf} of them deaf: ${book.sessions.size} sessions, ${book.deleted().length} deleted, ${shown} entries shown, ${receiver.arrived.length} webhooks, ${compared} comparisons`,
    );
    expect(broken).toEqual([]);
    expect(compared).toBeGreaterThan(0);
  },
  LIVES * 30_000,
);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function look(life: number, sessions: ReturnType<Book["takeRecent"]>): Promise<void> {
  const found = await check(server.url, book, sessions, receiver.arrived);
  broken.push(...found.broken.map((sentence) => `life ${life}: ${sentence}`));
  compared += found.compared;
}
