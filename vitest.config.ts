import path from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

const root = import.meta.dirname;
const prompts = {
  name: "prompts-as-text",
  transform: (code: string, id: string) =>
    id.endsWith(".xml") ? { code: `export default ${JSON.stringify(code)};`, map: null } : null,
};

export default defineConfig({
  test: {
    projects: [
      // Everything that is pure, and the simulation: plain Node, no workerd.
      {
        plugins: [prompts],
        test: { name: "core", include: ["test/core/**/*.test.ts", "test/sim/**/*.test.ts"] },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: "./wrangler.toml" },
            remoteBindings: false,
            miniflare: {
              bindings: {
                ALLOW_ANONYMOUS: "true",
                TEST_MIGRATIONS: await readD1Migrations(path.join(root, "migrations")),
              },
              // No test may reach outside this machine: what is not answered here fails loudly.
              outboundService: (request: Request) =>
                new Response(`no network in tests: ${request.url}`, { status: 599 }),
            },
          })),
        ],
        test: {
          name: "worker",
          isolate: false,
          // Nothing here is asserted by the clock; a busy machine must not fail what is right.
          testTimeout: 30_000,
          hookTimeout: 30_000,
          include: ["test/worker/**/*.test.ts"],
          setupFiles: ["./test/worker/setup.ts"],
        },
      },
      // Real processes: `wrangler dev`, SIGKILL, real clients. One file at a time, two cores are few.
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
