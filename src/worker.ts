import { version } from "../package.json";
import type { App } from "./http/app.ts";
import { createApp } from "./http/app.ts";
import { sessionDoor } from "./http/door.ts";
import { createTools } from "./tools/packs.ts";
import { parseConfig } from "./wire/config.ts";

export { Session } from "./session/agent.ts";

/** Made at the first request of an isolate, because the environment is read once. */
let app: App | null = null;

function openApp(env: Env): App {
  return createApp({
    config: parseConfig({ ...env }),
    sessions: (id) => sessionDoor(env, id),
    // listed, never run here, so it belongs to no session
    tools: () => createTools(env, "", Date.now),
    site: null,
    previewLink: null,
    version,
    now: Date.now,
    newId: () => crypto.randomUUID(),
    report: (error, requestId) => {
      console.error("cairn: a request failed", requestId, error);
    },
  });
}

export default {
  fetch(request, env, context) {
    app ??= openApp(env);
    return app.fetch(request, env, context);
  },
} satisfies ExportedHandler<Env>;
