import { expect, test } from "vitest";
import { fuzz } from "./fuzz-doors.ts";

test(
  "5,000 random requests across two tenants leak nothing and break nothing (1 of 2)",
  { timeout: 60_000 },
  async () => expect(await fuzz(1, 5_000)).toBe(5_000),
);
