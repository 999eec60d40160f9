import { expect, test } from "vitest";
import { runInWorker } from "../../../src/plugins/code/dynamic-worker.ts";
import type { CodeResult } from "../../../src/plugins/code/result.ts";

/**
 * Settings that the platform gets for a piece of code, and its errors when it stops one. It stops code only when
 * deployed.
 */

function platform(fetch: () => Promise<Response>): {
  loader: WorkerLoader;
  loaded: WorkerLoaderWorkerCode[];
} {
  const loaded: WorkerLoaderWorkerCode[] = [];
  const load = (code: WorkerLoaderWorkerCode) => {
    loaded.push(code);
    return { getEntrypoint: () => ({ fetch }) };
  };
  return { loaded, loader: { load } as unknown as WorkerLoader };
}
const go = (loader: WorkerLoader) =>
  runInWorker({ loader, cpuMs: 10_000 }, "return 1", [], new AbortController().signal);

test("code is given its processor time, no subrequests, no network and nothing but its files", async () => {
  const said: CodeResult = { output: "", value: "1", failed: null, left: 0 };
  const { loader, loaded } = platform(() => Promise.resolve(Response.json(said)));
  expect(await go(loader)).toEqual({ ok: true, value: said });
  expect(loaded).toEqual([
    expect.objectContaining({
      limits: { cpuMs: 10_000, subRequests: 0 },
      globalOutbound: null,
      env: { FILES: [] },
    }),
  ]);
});

test.each([
  ["Worker exceeded memory limit.", "It used more memory than there is and was stopped."],
  [
    "Worker's isolate exceeded its memory limit and was reset.",
    "It used more memory than there is and was stopped.",
  ],
  ["Worker exceeded CPU time limit.", "It ran for too long and was stopped."],
])("code of which the platform says `%s` has failed: %s", async (said, message) => {
  const { loader } = platform(() => Promise.reject(new Error(said)));
  expect(await go(loader)).toEqual({
    ok: true,
    value: { output: "", value: null, left: 0, failed: { message, line: null } },
  });
});

test("a platform that cannot run code at all is told as that, not as a fault of the code", async () => {
  const { loader } = platform(() => Promise.reject(new Error("Network connection lost.")));
  expect(await go(loader)).toMatchObject({ ok: false, error: { code: "code_not_run", class: "server" } });
});
