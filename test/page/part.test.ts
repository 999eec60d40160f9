import { expect, test } from "vitest";
import { fetchUntilThere, type Standing } from "../../src/page/parts/fetch-part.ts";

/** A part that is given at the try of that number (from 0, null: never), while the server stands as said at each failure. */
function begin(givenAt: number | null, standings: readonly Standing[]) {
  const waits: number[] = [];
  let tries = 0;
  let asked = 0;
  const result = fetchUntilThere(
    () => (tries++ === givenAt ? Promise.resolve("the part") : Promise.reject(new Error("not fetched"))),
    () => Promise.resolve(standings[Math.min(asked++, standings.length - 1)] ?? "silent"),
    (ms) => Promise.resolve(waits.push(ms)),
  );
  return { result, waits, tries: () => tries };
}

test("a part that comes at once is asked for once", async () => {
  const { result, waits, tries } = begin(0, []);
  expect(await result).toBe("the part");
  expect({ tries: tries(), waits }).toEqual({ tries: 1, waits: [] });
});

test("as long as nobody answers it is tried again, less and less often", async () => {
  const { result, waits, tries } = begin(20, ["silent"]);
  expect(await result).toBe("the part");
  expect(tries()).toBe(21);
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect(waits.at(-1)).toBeLessThanOrEqual(10_000);
});

test("a later version has it no more: that is said at once", async () => {
  const { result, tries } = begin(null, ["silent", "later"]);
  await expect(result).rejects.toThrow("not fetched");
  expect(tries()).toBe(2);
});

test("a server that answers and does not give it is asked three times", async () => {
  const { result, tries } = begin(null, ["same"]);
  await expect(result).rejects.toThrow("not fetched");
  expect(tries()).toBe(3);
});
