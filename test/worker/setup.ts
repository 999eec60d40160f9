import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { forgetSeeded } from "../../src/tools/cms/seed/index.ts";

// Files of one isolate (vitest.config.ts) share its storage: every file begins with it empty.
await reset();
forgetSeeded();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
