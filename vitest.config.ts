import path from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { textModules } from "./src/cairn/testing/text-modules.ts";
import { muteExpected } from "./test/build/quiet.ts";

muteExpected();

const root = import.meta.dirname;

/** What is tried against real servers: each test file has one of its own, and waits for it as long as a busy machine needs. */
const realServers = {
  globalSetup: ["./test/e2e/clients/prepared.ts"],
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 20_000 } },
};
const prompts = textModules();

/** long searches in workerd: thousands of requests that no client should send, and random sequences of changes */
const SEARCHES = ["test/worker/doors/*.test.ts", "test/worker/**/*-random.test.ts"];
/** every parser of outside bytes, at the largest size that it accepts */
const HOSTILE = ["test/hostile/*.test.ts"];
/** files that start sessions */
const SESSIONS = ["sessions", "approvals", "runs"].map((room) => `test/worker/${room}/*.test.ts`);
const CRASHES = ["test/worker/crash/*.test.ts"];

/** A project whose tests run in workerd, with the bindings of wrangler.toml and no way out of this machine. */
function inWorkerd(files: {
  readonly name: string;
  readonly isolate: boolean;
  readonly include: string[];
  readonly exclude?: string[];
  /** the worker's module; default: every plugin, with agents and webhooks of the tests */
  readonly main?: string;
}) {
  const { main = "./test/worker/worker.ts", ...included } = files;
  return {
    // The source maps of some packages name files that are not shipped.
    logLevel: "error" as const,
    plugins: [
      cloudflareTest(async () => ({
        main,
        wrangler: { configPath: "./wrangler.toml" },
        remoteBindings: false,
        miniflare: {
          bindings: {
            ALLOW_ANONYMOUS: "true",
            TEST_MIGRATIONS: await readD1Migrations(path.join(root, "migrations")),
          },
          // Not under the name that the tools look for: only the tests of code run any.
          workerLoaders: { CODE_OF_TESTS: {} },
          // What is not answered here fails loudly.
          outboundService: (request: Request) =>
            new Response(`no network in tests: ${request.url}`, { status: 599 }),
        },
      })),
    ],
    test: {
      ...included,
      maxWorkers: 2,
      // Modules that are loaded on demand are built again after a change to their sources.
      globalSetup: ["./test/build/built-modules.ts"],
      setupFiles: ["./test/worker/setup.ts"],
      // Nothing here is asserted by the clock; a busy machine must not fail what is right.
      testTimeout: 30_000,
      hookTimeout: 30_000,
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      // Everything that is pure, and the simulation: plain Node, no workerd.
      {
        plugins: [prompts],
        test: {
          name: "core",
          globalSetup: ["./test/build/built-modules.ts"],
          include: ["test/**/*.test.ts"],
          exclude: ["test/worker/**", "test/e2e/**", "test/project/**", "**/node_modules/**", ...HOSTILE],
          // Loading the modules anew for each file took longer than the tests. So tests replace functions with `vi.spyOn` and
          // restore them; `vi.mock` would be too late.
          isolate: false,
          maxWorkers: 2,
          // Nothing here is asserted by the clock; a busy machine must not fail what is right.
          testTimeout: 30_000,
        },
      },
      // In workerd. Files that start no session share one isolate, because loading the worker into each takes seconds;
      // those that do have one each, because a session goes on by its alarms when its test is over.
      inWorkerd({
        name: "worker",
        isolate: false,
        include: ["test/worker/**/*.test.ts"],
        exclude: [...SESSIONS, ...SEARCHES, ...CRASHES],
      }),
      inWorkerd({ name: "sessions", isolate: false, include: SESSIONS, exclude: SEARCHES }),
      inWorkerd({ name: "searches", isolate: true, include: SEARCHES }),
      // Each measures the processor time and the memory of its own thread or process.
      {
        plugins: [prompts],
        test: {
          name: "hostile",
          globalSetup: ["./test/build/built-modules.ts"],
          include: HOSTILE,
          maxWorkers: 2,
          testTimeout: 60_000,
        },
      },
      // The same sessions with a model and tools that a test can hold, count and kill. Every test leaves them at rest, so
      // that the files can share one isolate.
      inWorkerd({ name: "crashes", isolate: false, include: CRASHES, main: "./test/worker/crash/worker.ts" }),
      // Real processes: `wrangler dev`, SIGKILL, real clients. They wait more than they work, so three at a time on two cores.
      {
        test: {
          ...realServers,
          name: "e2e",
          include: ["test/e2e/*.test.ts", "test/e2e/{channels,crashes,mcp,models,runs,start}/*.test.ts"],
          maxWorkers: 3,
        },
      },
      // A project of a user, made from the packed library. It installs from the registry.
      { test: { ...realServers, name: "project", include: ["test/project/*.test.ts"] } },
      // A search: kills at random moments. Minutes long, and not for every day.
      { test: { ...realServers, name: "kills", include: ["test/e2e/kills/*.test.ts"] } },
      // The page in a real browser, against servers of its own. They wait more than they work, so two at a time.
      {
        test: {
          ...realServers,
          name: "page",
          include: ["test/e2e/page/**/*.test.ts"],
          // Files share the browser of their process (test/e2e/page/browser.ts), and load its driver once.
          isolate: false,
          maxWorkers: 2,
        },
      },
    ],
  },
});
