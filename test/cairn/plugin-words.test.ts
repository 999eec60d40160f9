import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NO_WORDS } from "../../src/cairn/core/guards/no-words.ts";
import type { PlainWords } from "../../src/cairn/core/guards/words.ts";
import { createRedactor } from "../../src/cairn/core/text/redact.ts";
import { wordsOnDemand } from "../../src/cairn/plugin-words.ts";
import { startPlugins } from "../../src/cairn/start-plugins.ts";

/** Words of a plugin: loaded once, waited for with a bound, and contained. */

const WORDS: PlainWords = { ...NO_WORDS, promisesLater: () => true };
const TIMES = { loadMsMax: 5_000, retryMs: 60_000 };

let at = 0;
const reports: string[] = [];
const REPORTS = {
  failed: (what: string, error: unknown): void => void reports.push(`${what}: ${String(error)}`),
  loaded: (): void => {},
};
const wordsOf = (load: () => Promise<PlainWords>) =>
  wordsOnDemand(load, REPORTS, { ...TIMES, now: () => at });

beforeEach(() => {
  at = 0;
  reports.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

test("words are loaded once for all who ask", async () => {
  const load = vi.fn<() => Promise<PlainWords>>(() => Promise.resolve(WORDS));
  const words = wordsOf(load);
  expect(words.loaded).toBeNull();
  const [one, other] = await Promise.all([words.load(), words.load()]);
  expect([one.promisesLater("x"), other.promisesLater("x")]).toEqual([true, true]);
  expect((await words.load()).promisesLater("x")).toBe(true);
  expect(words.loaded?.promisesLater("x")).toBe(true);
  expect(load).toHaveBeenCalledOnce();
  expect(reports).toEqual([]);
});

test("a load that fails gives no words, and is tried again after a minute", async () => {
  const load = vi.fn<() => Promise<PlainWords>>(() => Promise.resolve(WORDS));
  load.mockRejectedValueOnce(new Error("no such module"));
  const words = wordsOf(load);
  expect(await words.load()).toBe(NO_WORDS);
  expect(reports).toEqual(["load: Error: no such module"]);
  at = TIMES.retryMs - 1;
  expect(words.loaded).toBe(NO_WORDS);
  expect(await words.load()).toBe(NO_WORDS);
  expect(load).toHaveBeenCalledOnce();
  at = TIMES.retryMs;
  expect(words.loaded).toBeNull();
  expect((await words.load()).promisesLater("x")).toBe(true);
});

test("a load without an end is waited for five seconds, and does not stop the next one", async () => {
  const load = vi.fn<() => Promise<PlainWords>>(() => Promise.resolve(WORDS));
  load.mockReturnValueOnce(new Promise(() => {}));
  const words = wordsOf(load);
  const [one, other] = [words.load(), words.load()];
  await vi.advanceTimersByTimeAsync(TIMES.loadMsMax);
  expect([await one, await other]).toEqual([NO_WORDS, NO_WORDS]);
  expect(reports).toContain("load: Error: no answer within 5000 ms");
  at = TIMES.retryMs;
  expect((await words.load()).promisesLater("x")).toBe(true);
});

test("a load that throws at once is a load that failed", async () => {
  const words = wordsOf(() => {
    throw new Error("at once");
  });
  expect(await words.load()).toBe(NO_WORDS);
  expect(reports).toEqual(["load: Error: at once"]);
});

const NAMES = Object.keys(NO_WORDS) as (keyof PlainWords)[];

test.each(NAMES)("%s that throws is answered without words", async (name) => {
  const broken = (): never => {
    throw new Error("broken");
  };
  const words = await wordsOf(() => Promise.resolve({ ...WORDS, [name]: broken })).load();
  expect(ask(words, name)).toEqual(ask(NO_WORDS, name));
  expect(reports).toEqual([`${name}: Error: broken`]);
});

test.each(NAMES)("%s that returns another form is answered without words", async (name) => {
  for (const wrong of [undefined, null, 7, "wrong", { courtesy: "yes" }]) {
    const words = await wordsOf(() => Promise.resolve({ ...WORDS, [name]: () => wrong })).load();
    expect(ask(words, name)).toEqual(ask(NO_WORDS, name));
  }
  expect(reports).toHaveLength(5);
});

/** Asks one function with arguments that each of them takes. */
function ask(words: PlainWords, name: keyof PlainWords): unknown {
  const subject = { candidate: "", request: "", calls: [], place: null } as never;
  const item = { text: "write" } as never;
  switch (name) {
    case "qualityOf":
      return words.qualityOf("", { request: "", results: [] } as never);
    case "isQuestion":
    case "promisesLater":
    case "cuesOf":
      return words[name]("");
    case "hiddenFailures":
    case "hidesNoChange":
      return words[name](subject, []);
    case "unbackedClaims":
      return words.unbackedClaims(subject);
    case "namesAsOpen":
      return words.namesAsOpen(item, "");
    case "givesAnswer":
      return words.givesAnswer("", false);
  }
}

test("/healthz names the plugin and the function, and quotes nothing that the plugin threw", async () => {
  const words = (): Promise<PlainWords> => Promise.reject(new Error("said: my secret wish"));
  const started = startPlugins([{ name: "own", words }], {}, createRedactor([]));
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  expect(await started.words.load()).toBe(NO_WORDS);
  expect(started.problems()).toEqual([
    { about: "plugin own", message: "Its words failed: load, see the log.", plugin: "own" },
  ]);
  expect(log.mock.calls.flat().join(" ")).toContain("my secret wish");
  log.mockRestore();
});

test("a load that works at last is no fault of /healthz any more", async () => {
  const load = vi.fn<() => Promise<PlainWords>>(() => Promise.resolve(WORDS));
  load.mockRejectedValueOnce(new Error("no such module"));
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const started = startPlugins([{ name: "own", words: load }], {}, createRedactor([]));
  await started.words.load();
  expect(started.problems()).toHaveLength(1);
  vi.advanceTimersByTime(TIMES.retryMs);
  expect((await started.words.load()).promisesLater("x")).toBe(true);
  expect(started.problems()).toEqual([]);
  log.mockRestore();
});
