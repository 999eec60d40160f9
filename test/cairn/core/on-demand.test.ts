import { expect, test } from "vitest";
import { loadedWith, onDemand, present } from "../../../src/cairn/core/on-demand.ts";

test("a module is loaded at the first call, once, also by calls at the same time", async () => {
  let loads = 0;
  const module = onDemand(async () => ({ n: ++loads }));
  expect(module.loaded).toBeNull();
  expect(await Promise.all([module.load(), module.load()])).toEqual([{ n: 1 }, { n: 1 }]);
  expect(await module.load()).toEqual({ n: 1 });
  expect(module.loaded).toEqual({ n: 1 });
});

test("a load that failed is tried again by the next call", async () => {
  let loads = 0;
  const module = onDemand(async () => {
    if (++loads === 1) throw new Error("not there");
    return { n: loads };
  });
  await expect(module.load()).rejects.toThrow("not there");
  expect(module.loaded).toBeNull();
  expect(await module.load()).toEqual({ n: 2 });
});

test("a module that is present needs no load", async () => {
  const module = present({ n: 0 });
  expect(module.loaded).toEqual({ n: 0 });
  expect(await module.load()).toBe(module.loaded);
});

test("a module that is loaded with another is there once both are", async () => {
  const other = onDemand(async () => ({ n: 2 }));
  const module = loadedWith(present({ n: 1 }), other);
  expect(module.loaded).toBeNull();
  expect(await module.load()).toEqual({ n: 1 });
  expect(other.loaded).toEqual({ n: 2 });
  expect(module.loaded).toEqual({ n: 1 });
});
