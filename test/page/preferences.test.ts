import { describe, expect, test } from "vitest";
import { ApiError, sentenceOf } from "../../src/page/api-error.ts";
import { usageRows } from "../../src/page/preferences/usage-rows.ts";

describe("usage", () => {
  const sums = { runs: 1, steps: 2, costUsd: 0.1 };
  const items = [
    { key: "2026-11-20", ...sums, inputTokens: 10, outputTokens: 0 },
    { key: "2026-11-21", ...sums, inputTokens: 30, outputTokens: 10 },
    { key: "2026-11-22", ...sums, inputTokens: 20, outputTokens: 0 },
  ];

  test("by day has the newest first, anything else the largest, each with its share of the largest", () => {
    expect(usageRows(items, true).map(({ key, tokens, share }) => [key, tokens, share])).toEqual([
      ["2026-11-22", 20, 0.5],
      ["2026-11-21", 40, 1],
      ["2026-11-20", 10, 0.25],
    ]);
    expect(usageRows(items, false).map(({ tokens }) => tokens)).toEqual([40, 20, 10]);
    expect(usageRows([], true)).toEqual([]);
    expect(usageRows([{ key: "x", ...sums, inputTokens: 0, outputTokens: 0 }], true)[0]?.share).toBe(0);
  });
});

describe("what a person is told of a refusal", () => {
  const of = (code: string, message: string, hint: string | null, ...issues: string[]): string =>
    sentenceOf(
      new ApiError(422, {
        code,
        message,
        hint,
        issues: issues.map((each) => ({ path: "a.b", message: each })),
      }),
    );

  test("has no path, no words of the schema's library, no address and no variable in it", () => {
    const zod = "Invalid input: expected string, received undefined";
    expect(of("invalid_request", `The field title is not valid: ${zod}.`, null, zod)).toBe(
      "Invalid input. Check your entries.",
    );
    expect(of("not_found", "No such link.", "GET /api/sessions/:id/shares lists them.")).toBe(
      "No such link.",
    );
    expect(of("model_not_allowed", "This model may not be named here.", "MODELS_ALLOWED lists them.")).toBe(
      "This model may not be named here.",
    );
  });

  test("says once what is wrong and what to do", () => {
    expect(of("invalid_answer", "It does not fit.", "Choose one.", "Choose one.")).toBe(
      "It does not fit. Choose one.",
    );
  });
});
