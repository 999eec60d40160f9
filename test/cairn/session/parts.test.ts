import { expect, test } from "vitest";
import type { OpenLog } from "../../../src/cairn/session/engine/ports.ts";
import type { SessionHost, SessionPart } from "../../../src/cairn/session/part.ts";
import { SessionParts } from "../../../src/cairn/session/parts.ts";
import { EMPTY_STATE } from "../../../src/cairn/core/state/state.ts";

const HOST = {} as SessionHost;
const LOG = {} as OpenLog;

function partsOf(made: Readonly<Record<string, () => SessionPart>>) {
  const reported: string[] = [];
  const parts = new SessionParts(
    Object.entries(made).map(([name, session]) => ({ name, session })),
    HOST,
    (name, error) => void reported.push(`${name}: ${error instanceof Error ? error.message : ""}`),
  );
  return { parts, reported };
}

const fail = (what: string) => (): never => {
  throw new Error(what);
};

test("a part that throws in each of its methods is reported, and the others work", async () => {
  const did: string[] = [];
  const { parts, reported } = partsOf({
    unmade: fail("made"),
    broken: () => ({
      due: fail("due"),
      fallDue: fail("fallDue"),
      wrote: fail("wrote"),
      committed: fail("committed"),
      loadDue: () => Promise.reject(new Error("loadDue")),
    }),
    whole: () => ({
      due: () => 7,
      fallDue: () => void did.push("fallDue"),
      wrote: () => void did.push("wrote"),
      committed: () => void did.push("committed"),
      loadDue: async () => void did.push("loadDue"),
    }),
  });
  expect([...parts.byPlugin.keys()]).toEqual(["broken", "whole"]);
  const background = parts.background;
  const all = Object.values(background);
  expect(all.map((one) => one.due(EMPTY_STATE))).toEqual([null, 7]);
  for (const one of all) {
    one.fallDue?.(LOG, 0);
    one.wrote?.([], EMPTY_STATE);
  }
  parts.committed([], EMPTY_STATE);
  expect(reported).toEqual([
    "unmade: made",
    "broken: due",
    "broken: fallDue",
    "broken: wrote",
    "broken: committed",
  ]);
  // The caller of loadDue reports the error, and lets the part rest.
  await expect(background["part:broken"]?.loadDue(0)).rejects.toThrow("loadDue");
  await background["part:whole"]?.loadDue(0);
  expect(did).toEqual(["fallDue", "wrote", "committed", "loadDue"]);
});

test("without parts nothing is delivered, nobody's hours are quiet, and nobody is reached alone", async () => {
  const { parts } = partsOf({ plain: () => ({}) });
  expect([parts.deliveries(), parts.reachable]).toEqual([[], []]);
  expect(await parts.people.timesOf("ada")).toEqual({ zone: null, quiet: null });
  expect(await parts.people.channelOf("ada")).toBeNull();
});
