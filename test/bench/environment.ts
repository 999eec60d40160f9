import { quietEnvironment } from "../../src/cli/start/dev-server.ts";

/** Imported first: wrangler reads its switches from the environment of the process that it runs in. No tracing, no telemetry, no network. */
Object.assign(process.env, quietEnvironment());
