import { describe, expect, test } from "vitest";
import {
  isEcho,
  mayDecide,
  NOTHING_SHOWN,
  SAME_PLACE_MS,
  SEEN_MS,
  showAt,
  type Gate,
} from "../../../src/cairn/protocol/decision-gate.ts";

/** When input decides something, and when it was meant for something else. */

describe("the gate", () => {
  test("opens 400 ms after the card came on the screen", () => {
    const gate = showAt(NOTHING_SHOWN, "card", 1_000);
    expect([0, 999, 1_000, 1_060, 1_399].map((at) => mayDecide(gate, at))).toEqual(Array(5).fill(false));
    expect([1_400, 90_000].map((at) => mayDecide(gate, at))).toEqual([true, true]);
  });

  test("is closed while nothing is shown", () => {
    expect(mayDecide(NOTHING_SHOWN, 90_000)).toBe(false);
    expect(mayDecide(showAt(showAt(NOTHING_SHOWN, "card", 0), null, 500), 90_000)).toBe(false);
  });

  test("begins anew when the card changes, and when it comes back", () => {
    const first = showAt(NOTHING_SHOWN, "card", 0);
    expect(mayDecide(showAt(first, "card", 5_000), 5_001)).toBe(true);
    expect(mayDecide(showAt(first, "changed", 5_000), 5_399)).toBe(false);
    const back = showAt(showAt(first, null, 5_000), "card", 6_000);
    expect([mayDecide(back, 6_399), mayDecide(back, 6_400)]).toEqual([false, true]);
  });

  test("lets no input through that began less than 400 ms after the last change, in any order of changes", () => {
    const contents = [null, "a", "b"];
    const waits = [0, 1, 399, 400, 401];
    const changes = contents.flatMap((content) => waits.map((wait) => ({ content, wait })));
    for (const first of changes)
      for (const second of changes)
        for (const third of changes) {
          let gate: Gate = NOTHING_SHOWN;
          let now = 0;
          let last: { readonly content: string | null; readonly at: number } = { content: null, at: 0 };
          for (const { content, wait } of [first, second, third]) {
            now += wait;
            gate = showAt(gate, content, now);
            if (content !== last.content) last = { content, at: now };
          }
          for (const later of waits)
            expect(mayDecide(gate, now + later)).toBe(
              last.content !== null && now + later - last.at >= SEEN_MS,
            );
        }
  });
});

describe("a press at the place of the last one", () => {
  const area = { left: 10, right: 110, top: 20, bottom: 60 };
  const last = { card: "one", area, at: 1_000 };
  const press = { card: "two", x: 50, y: 40, at: 1_600 };

  test("decides no other card", () => {
    expect(isEcho(last, press)).toBe(true);
    expect(isEcho(last, { ...press, x: 10, y: 60 })).toBe(true);
  });

  test("may decide the same card, another place, or after a while", () => {
    expect(isEcho(null, press)).toBe(false);
    expect(isEcho(last, { ...press, card: "one" })).toBe(false);
    expect(isEcho(last, { ...press, x: 111 })).toBe(false);
    expect(isEcho(last, { ...press, y: 61 })).toBe(false);
    expect(isEcho(last, { ...press, at: 1_000 + SAME_PLACE_MS })).toBe(false);
  });
});
