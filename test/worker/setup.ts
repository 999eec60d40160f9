import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { forgetSeeded } from "../../src/tools/cms/seed/index.ts";

// The files share one isolate, because loading the worker into each takes seconds. Every file begins with empty storage.
await reset();
forgetSeeded();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
