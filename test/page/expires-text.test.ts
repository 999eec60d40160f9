import { expect, test } from "vitest";
import { expiresText } from "../../src/page/approvals/expires-text.ts";

const at = (day: number, hour: number): number => new Date(2026, 0, day, hour, 31).getTime();

test("the end of an approval is named by its day and its time", () => {
  expect(expiresText(at(10, 18), at(10, 9))).toBe("Expires today, 18:31");
  expect(expiresText(at(11, 18), at(10, 23))).toBe("Expires tomorrow, 18:31");
  expect(expiresText(at(31, 8), at(10, 9))).toBe("Expires 31 Jan, 08:31");
  expect(expiresText(new Date(2026, 1, 1, 7, 5).getTime(), at(31, 9))).toBe("Expires tomorrow, 07:05");
});
