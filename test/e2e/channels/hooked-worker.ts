import { Hono } from "hono/tiny";
import type { Deps } from "../../../src/http/kit/deps.ts";
import type { HttpEnv } from "../../../src/http/kit/route.ts";
import { sessionClient } from "../../../src/http/kit/session-client.ts";
import { mountWebhooks } from "../../../src/http/routes/webhooks.ts";
import { createWebhookDeliveries } from "../../../src/http/routes/webhook-deliveries.ts";
import { parseConfig } from "../../../src/wire/config/config.ts";
import { defineWebhooks } from "../../../src/wire/webhooks/rules.ts";
import app, { Intake, Session } from "../../../src/worker.ts";

/** The project's worker, with one webhook of the test: its run asks to delete a page, and two people may decide. */

export { Intake, Session };

const rules = defineWebhooks({
  bearer: {
    scheme: "bearer",
    owner: "hook:bearer",
    otherwise: {
      session: "hooked-{{delivery}}",
      prompt: '/call page_delete {"pages":["about"]}\n/then\n/say The page is gone.',
      approvers: ["ada", "bob"],
    },
  },
});

function hooks(env: Env): Hono<HttpEnv> {
  const own = new Hono<HttpEnv>();
  mountWebhooks(
    own as never,
    {
      config: parseConfig({ ...env }),
      sessions: (id: string) => sessionClient(env, id),
      webhooks: { rules, deliveries: createWebhookDeliveries(env.DB) },
      now: Date.now,
    } as unknown as Deps,
  );
  return own;
}

export default {
  fetch: (request, env, context) =>
    new URL(request.url).pathname.startsWith("/hooks/")
      ? hooks(env).fetch(request, env, context)
      : app.fetch(request, env, context),
} satisfies ExportedHandler<Env>;
