import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { stepOf } from "../../src/cli/start/wrangler-log.ts";
import { awaitStart } from "../../src/cli/start/await-start.ts";
import { cpuTimeOf, parsePs } from "../../src/cli/start/cpu-time.ts";
import { lookAgain, NO_PROGRESS_YET, type Signs } from "../../src/cli/start/progress.ts";

/** How long `npm start` waits for a server on a busy machine. */

/** The verdicts of so many looks. */
function looks(count: number, signsAt: (look: number) => Signs): string[] {
  let progress = NO_PROGRESS_YET;
  return Array.from({ length: count }, (_, at) => {
    const look = lookAgain(progress, signsAt(at));
    progress = look.progress;
    return look.verdict;
  });
}

describe("a server that is still starting", () => {
  test("is waited for an hour and longer while it uses CPU time, and every fifth look says so", () => {
    const verdicts = looks(2_000, (at) => ({ lines: 0, cpuMs: at * 100 }));
    expect(verdicts).not.toContain("stalled");
    expect(verdicts.slice(0, 10)).toEqual([
      "wait",
      "wait",
      "wait",
      "wait",
      "say",
      "wait",
      "wait",
      "wait",
      "wait",
      "say",
    ]);
  });

  test("is waited for while it prints, even where CPU time cannot be read", () => {
    expect(looks(2_000, (at) => ({ lines: Math.floor(at / 200), cpuMs: null }))).not.toContain("stalled");
  });

  test("gets so little of a busy machine that progress is seen only over many looks", () => {
    expect(looks(500, (at) => ({ lines: 1, cpuMs: at * 4 }))).not.toContain("stalled");
  });

  test("has stalled after 30 looks without a line and without CPU time", () => {
    expect(looks(40, () => ({ lines: 3, cpuMs: 500 })).indexOf("stalled")).toBe(30);
    expect(looks(310, () => ({ lines: 3, cpuMs: null })).indexOf("stalled")).toBe(300);
  });

  test("has stalled although its event loop ticks", () => {
    expect(looks(200, (at) => ({ lines: 0, cpuMs: at }))).toContain("stalled");
  });

  test("begins again with any progress", () => {
    const verdicts = looks(58, (at) => ({ lines: at < 29 ? 0 : 1, cpuMs: 0 }));
    expect(verdicts).not.toContain("stalled");
  });
});

test("the lines of wrangler say which step it is at", () => {
  expect(stepOf("[custom build] Running: node …")).toBe("building the page");
  expect(stepOf("Your Worker has access to the following bindings:")).toBe("bundling the worker");
  expect(stepOf("⎔ Starting local server...")).toContain("starting the runtime");
  expect(stepOf("✘ [ERROR] Build failed with 2 errors:")).toContain("waiting for a change");
  expect(stepOf("[wrangler:info] GET / 200 OK")).toBeNull();
});

test("the CPU time of a group grows with its work, and another group's does not count", async () => {
  const child = spawn(
    process.execPath,
    [
      "-e",
      "const end = Date.now() + 400; while (Date.now() < end); console.log('worked'); setInterval(() => {}, 1e6)",
    ],
    { detached: true, stdio: ["ignore", "pipe", "ignore"] },
  );
  const group = child.pid ?? 0;
  await new Promise((resolve) => child.stdout.once("data", resolve));
  expect(cpuTimeOf(group)).toBeGreaterThan(0);
  process.kill(-group, "SIGKILL");
  await new Promise((resolve) => child.once("close", resolve));
  expect(cpuTimeOf(group)).toBe(0);
});

test("the times of ps are read with days, hours and fractions", () => {
  const rows = "  12 0:01.50\n 12 00:01:02\n  13 9:00\n 12 1-00:00:01\n";
  expect(parsePs(rows, 12)).toBe(1_500 + 62_000 + 86_401_000);
});

test("waiting ends with the event, and with its value", async () => {
  const starting = { group: process.pid, lines: () => 0, step: () => "working" };
  expect(await awaitStart(Promise.resolve("up"), starting)).toBe("up");
});

test("waiting that nobody looks at ends at its limit, and names the step", async () => {
  const starting = { group: process.pid, lines: () => 0, step: () => "loading the worker" };
  const outcome = await awaitStart(new Promise<never>(() => {}), starting, () => {}, 0);
  expect(outcome.reason).toMatch(/^Not up after \d+ s: loading the worker\.$/);
});
