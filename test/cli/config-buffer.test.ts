import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { doubling } from "../../src/cli/start/config-buffer.ts";

/** The file that wrangler loads. */
const wrangler = createRequire(createRequire(import.meta.url).resolve("wrangler"));
const source = readFileSync(wrangler.resolve("miniflare"), "utf8");

test("the buffer of the installed miniflare is found, and doubles", () => {
  const changed = doubling(source);
  const from = changed.indexOf("function allocate$1(minSize, segments, s) {\n");
  expect(changed.slice(from).split("\n").slice(0, 7)).toEqual([
    "function allocate$1(minSize, segments, s) {",
    "  const srcBuffer = segments.length > 0 ? segments[0].buffer : s.buffer;",
    "  minSize = Math.max(padToWord$1(minSize), srcBuffer.byteLength);",
    "  s.buffer = new ArrayBuffer(srcBuffer.byteLength + minSize);",
    "  new Float64Array(s.buffer).set(new Float64Array(srcBuffer));",
    "  return new ArenaAllocationResult(0, s.buffer);",
    "}",
  ]);
  expect(doubling(changed)).toBe(changed);
});

test("a miniflare in other words is loaded as it is", () => {
  expect(doubling("function allocate() {}")).toBe("function allocate() {}");
});
