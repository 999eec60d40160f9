import { afterAll, beforeAll, expect, test } from "vitest";
import { startTelegram, type TelegramStandIn } from "../../../scripts/channels-demo/telegram.ts";
import { CARD_MS_P95 } from "../../bench/gates.ts";
import { openClock, waits } from "../../bench/measures/channels.ts";
import { median, percentile } from "../../bench/numbers.ts";
import { useServer } from "../clients/server.ts";
import { telegramVariables } from "./telegram-variables.ts";

/** How long people on a channel wait, in a server that is warm. `npm run bench -- --only channels` measures it with more of them. */

const PEOPLE = 3;
const ROUNDS_EACH = 8;

const clock = openClock();
let telegram: TelegramStandIn;
beforeAll(async () => {
  telegram = await startTelegram({ changed: () => clock.look() });
});
afterAll(() => telegram.close());
const server = useServer(() => telegramVariables(telegram));

test("a card is taken by its channel soon after it was asked for", async () => {
  const waited = await waits({ url: server.url, telegram, clock }, PEOPLE, ROUNDS_EACH, () => {});
  const shown = Object.entries(waited).map(
    ([what, ms]: [string, readonly number[]]) =>
      `${what}: p50 ${median(ms)} ms, p95 ${percentile(ms, 0.95)} ms`,
  );
  console.log(`${PEOPLE * ROUNDS_EACH} rounds; ${shown.join("; ")}`);
  expect(waited.card).toHaveLength(PEOPLE * ROUNDS_EACH);
  // No measure: whoever is slower on a busy machine is broken.
  expect(percentile(waited.card, 0.95)).toBeLessThanOrEqual(CARD_MS_P95);
});
