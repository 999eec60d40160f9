import type { D1Migration } from "@cloudflare/vitest-pool-workers";

declare global {
  namespace Cloudflare {
    interface Env {
      TEST_MIGRATIONS: D1Migration[];
      // The tests have them, also where a deployment is configured without.
      MEDIA: R2Bucket;
      AI: Ai;
      CODE_OF_TESTS: WorkerLoader;
      ALLOW_ANONYMOUS?: string;
    }
  }
}
