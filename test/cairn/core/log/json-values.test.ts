import { expect, test } from "vitest";
import {
  createValueCounter,
  hasTooManyValues,
  JSON_VALUES_MAX,
} from "../../../../src/cairn/core/log/json-values.ts";
import { readJson } from "../../../../src/cairn/core/log/json.ts";

test("values are counted outside of strings, and the first one too many is found", () => {
  const list = '["a,[{","\\",[",{"b":1}]';
  expect([hasTooManyValues(list, 4), hasTooManyValues(list, 3)]).toEqual([false, true]);
  const most = `[${"0,".repeat(JSON_VALUES_MAX - 1)}0]`;
  expect([readJson(most) === undefined, readJson(`[${most}]`), readJson(`[${most}]`, Infinity)]).toEqual([
    false,
    undefined,
    [JSON.parse(most)],
  ]);
});

test("a body is counted as it comes, wherever it is cut, and a line break ends a string", () => {
  const bytes = new TextEncoder().encode('data: ["a,\\",[",{"b":"\\\\"}]\n: a "comment\ndata: [1,2]');
  const counts = [1, 3, bytes.length].map((size) => {
    const count = createValueCounter();
    let values = 0;
    for (let at = 0; at < bytes.length; at += size) values = count(bytes.subarray(at, at + size));
    return values;
  });
  expect(counts).toEqual([5, 5, 5]);
});
