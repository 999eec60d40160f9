import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { exploreTree } from "./explore.ts";
import { DECISIONS, DEPTHS, MATRIX, PEERS, WIDTHS } from "./matrix.ts";

/** Approvals inside of children. `npm run sim` crashes at each place of each row; here at one of several. */

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const EVERY = 47;

describe("an approval of a child is neither dropped, misrouted nor decided twice", () => {
  test("the matrix has a row for each decision, depth and width", () => {
    expect(new Set(MATRIX.map(({ name }) => name)).size).toBe(
      DECISIONS.length * DEPTHS.length * WIDTHS.length,
    );
  });

  test.each([...MATRIX, ...PEERS])("$name", async (row) => {
    const { faults, crashes } = await exploreTree(row, { every: EVERY });
    expect(faults).toEqual([]);
    expect(crashes).toBeGreaterThan(0);
  });
});
