import { expect, test } from "vitest";
import { approvalTooLarge } from "../../../../src/cairn/core/guards/approval-size.ts";
import { APPROVAL_BYTES_MAX } from "../../../../src/cairn/core/limits.ts";
import { outlookOf } from "../../../../src/cairn/core/log/approval.ts";

/** Approvals too large to show whole are refused, whichever part of the approval has the bytes. */

const outlook = { impact: ["one line"] };
const bytesOf = (...parts: readonly unknown[]): number =>
  new TextEncoder().encode(JSON.stringify(parts)).length;
/** A text that makes an approval exactly as large as may be, where the rest of it is this. */
const filling = (...rest: readonly unknown[]): string => "x".repeat(APPROVAL_BYTES_MAX - bytesOf(...rest));

test("an approval may have as many bytes as can be shown, and not one more", () => {
  const text = filling(outlookOf(outlook), { body: "" });
  expect(approvalTooLarge(outlook, { body: text })).toBeNull();
  expect(approvalTooLarge(outlook, { body: `${text}x` })).toMatchObject({
    class: "too_large",
    code: "too_large_to_approve",
    retryable: false,
    message: expect.stringContaining(String(APPROVAL_BYTES_MAX + 1)) as string,
  });
});

test("every part of it has its bytes: the impact, the changes, the warnings, the arguments", () => {
  const half = "x".repeat(APPROVAL_BYTES_MAX / 2 + 1);
  expect(approvalTooLarge({ impact: [half] }, { body: half })).not.toBeNull();
  expect(approvalTooLarge({ impact: [half], warnings: [half] }, {})).not.toBeNull();
  const changes = [{ what: "Body", before: half, after: half }];
  expect(approvalTooLarge({ impact: [], changes }, {})).not.toBeNull();
  expect(approvalTooLarge({ impact: [half] }, {})).toBeNull();
});

test("letters outside of ASCII have their bytes in UTF-8", () => {
  const text = "ü".repeat(APPROVAL_BYTES_MAX / 2);
  expect(text.length).toBeLessThan(APPROVAL_BYTES_MAX);
  expect(approvalTooLarge(outlook, { body: text })).not.toBeNull();
});
