import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SAME_PLACE_MS } from "../../src/cairn/protocol/decision-gate.ts";

/** By which press a click is judged, and what stays in its place after one that decided. */

type Listener = (event: object) => void;
let listeners: Map<string, Set<Listener>>;

class FakeElement {
  readonly style: Record<string, string> = {};
  readonly #area: object | null;
  constructor(area: object | null = null) {
    this.#area = area;
  }
  closest(): FakeElement | null {
    return this.#area === null ? null : this;
  }
  getBoundingClientRect(): object {
    return this.#area ?? {};
  }
}

const AREA = { left: 10, right: 50, top: 10, bottom: 30, height: 20 };
const button = new FakeElement(AREA);
const bare = new FakeElement();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.resetModules();
  listeners = new Map();
  vi.stubGlobal("Element", FakeElement);
  vi.stubGlobal("addEventListener", (name: string, listener: Listener) => {
    const all = listeners.get(name) ?? new Set();
    listeners.set(name, all.add(listener));
  });
  vi.stubGlobal("removeEventListener", (name: string, listener: Listener) =>
    listeners.get(name)?.delete(listener),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const fire = (name: string, event: object): void => listeners.get(name)?.forEach((heard) => heard(event));
/** The module by a name that the compiler does not follow: it is the page's, and these tests know no window. */
const PRESS: string = "../../src/page/approvals/press.ts";
interface Press {
  readonly at: number;
  readonly pointer: { readonly x: number; readonly y: number; readonly button: object | null } | null;
  readonly endedAt: number | null;
}
interface PressModule {
  readonly pressNow: (now: number) => Press;
  readonly lastDecision: () => object | null;
  readonly rememberDecision: (card: string, press: Press, now: number) => void;
  readonly holdHeight: (card: FakeElement | null) => { readonly done: (decided: boolean) => void };
}
const load = async (): Promise<PressModule> => (await import(PRESS)) as PressModule;
const down = (timeStamp: number, target: object = button): void =>
  fire("pointerdown", { timeStamp, clientX: 20, clientY: 20, target });

describe("the press behind a click", () => {
  test("is the pointer's, from when it went down, with the button below it", async () => {
    const { pressNow } = await load();
    down(100);
    expect(pressNow(900)).toEqual({ at: 100, pointer: { x: 20, y: 20, button: AREA }, endedAt: null });
    fire("pointerup", { timeStamp: 950 });
    expect(pressNow(960)).toMatchObject({ at: 100, endedAt: 950 });
    down(1_000, bare);
    expect(pressNow(1_001)).toMatchObject({ at: 1_000, pointer: { button: null } });
  });

  test("is the key's, from when it went down and not from its repeats", async () => {
    const { pressNow } = await load();
    down(50);
    fire("keydown", { timeStamp: 100, repeat: false });
    fire("keydown", { timeStamp: 600, repeat: true });
    expect(pressNow(700)).toEqual({ at: 100, pointer: null, endedAt: null });
  });

  test.each(["pointerup", "pointercancel", "keyup"])(
    "is over a second after it ended (%s): a click that comes then began by itself",
    async (end) => {
      const { pressNow } = await load();
      down(100);
      fire(end, { timeStamp: 200 });
      // The first event to end the press wins.
      fire("pointerup", { timeStamp: 5_000 });
      expect(pressNow(1_200)).toMatchObject({ at: 100, endedAt: 200 });
      expect(pressNow(1_201)).toEqual({ at: 1_201, pointer: null, endedAt: 1_201 });
    },
  );

  test("is of now where nothing was pressed", async () => {
    const { pressNow } = await load();
    expect(pressNow(7)).toEqual({ at: 7, pointer: null, endedAt: 7 });
  });
});

describe("the place of a decision", () => {
  test("is remembered of a button that a pointer has pressed, and of nothing else", async () => {
    const { pressNow, rememberDecision, lastDecision } = await load();
    expect(lastDecision()).toBeNull();
    down(100);
    rememberDecision("a", pressNow(150), 150);
    expect(lastDecision()).toEqual({ card: "a", area: AREA, at: 150 });
    fire("keydown", { timeStamp: 200, repeat: false });
    rememberDecision("b", pressNow(250), 250);
    expect(lastDecision()).toBeNull();
    down(300, bare);
    rememberDecision("c", pressNow(350), 350);
    expect(lastDecision()).toBeNull();
  });

  async function held() {
    const { pressNow, rememberDecision, holdHeight } = await load();
    const card = new FakeElement(AREA);
    down(100);
    rememberDecision("a", pressNow(150), 150);
    const hold = holdHeight(card);
    return { card, hold, holdHeight };
  }
  const move = (clientX: number, pointerType = "mouse"): void =>
    fire("pointermove", { clientX, clientY: 20, pointerType });

  test("keeps its height until the mouse has left it", async () => {
    const { card, hold } = await held();
    expect(card.style["minHeight"]).toBe("20px");
    hold.done(true);
    move(50);
    move(60, "touch");
    expect(card.style["minHeight"]).toBe("20px");
    move(51);
    expect(card.style["minHeight"]).toBe("");
    expect(listeners.get("pointermove")?.size).toBe(0);
  });

  test("keeps its height for a moment", async () => {
    const { card, hold } = await held();
    hold.done(true);
    vi.advanceTimersByTime(SAME_PLACE_MS - 1);
    expect(card.style["minHeight"]).toBe("20px");
    vi.advanceTimersByTime(1);
    expect(card.style["minHeight"]).toBe("");
    expect(listeners.get("pointermove")?.size).toBe(0);
  });

  test("is given up where nothing was decided", async () => {
    const { card, hold } = await held();
    hold.done(false);
    expect([card.style["minHeight"], vi.getTimerCount()]).toEqual(["", 0]);
  });

  test("is kept by no key, and without a card", async () => {
    const { card, holdHeight } = await held();
    card.style["minHeight"] = "";
    fire("keydown", { timeStamp: 900, repeat: false });
    holdHeight(card).done(true);
    down(1_000);
    holdHeight(null).done(true);
    expect([card.style["minHeight"], vi.getTimerCount()]).toEqual(["", 0]);
  });
});
