import { version } from "../package.json";
import { agents } from "./agents/agents.ts";
import { deploymentAgent } from "./agents/known.ts";
import { complaintOf, createRedactor } from "./core/text/redact.ts";
import { createAgentShelf } from "./http/agents/shelf.ts";
import type { App } from "./http/app.ts";
import { createApp } from "./http/app.ts";
import { sessionClient } from "./http/kit/session-client.ts";
import { codeProblems } from "./http/routes/deployment.ts";
import { createWebhookDeliveries } from "./http/routes/webhook-deliveries.ts";
import { createEnvironments } from "./site/environments.ts";
import { createHistory } from "./site/history.ts";
import { createOutline } from "./site/outline.ts";
import { createPreviewLinks } from "./site/preview-link.ts";
import { rendering } from "./site/rendering.ts";
import { createSite } from "./site/routes.ts";
import { ensureSeeded } from "./tools/cms/seed/index.ts";
import { maintainImages } from "./tools/cms/maintenance/images.ts";
import { publishDue } from "./tools/cms/schedule/due.ts";
import { GovernedTools } from "./tools/governed.ts";
import { createTools } from "./tools/packs.ts";
import { webhooks } from "./webhooks.ts";
import { parseConfig } from "./wire/config/config.ts";
import { secretsOf } from "./wire/config/secrets.ts";
import { speakPlainly } from "./wire/fault-words.ts";
import { complain, setLogLevel } from "./operator-log.ts";

export { Session } from "./session/session.ts";

speakPlainly();

/** Made at the first request of an isolate, because the environment is read once. */
let app: App | null = null;

/** What was deployed: pages that a browser keeps are asked for again when the templates may have changed. */
function buildOf(env: Env & { readonly CF_VERSION_METADATA?: WorkerVersionMetadata }): string {
  return env.CF_VERSION_METADATA?.id ?? version;
}

function openApp(env: Env): App {
  const parsed = parseConfig({ ...env });
  const { previewSecret } = parsed;
  setLogLevel(parsed.logLevel);
  const seed = ensureSeeded;
  const redact = createRedactor(secretsOf({ ...env }));
  const report = (error: unknown, requestId: string): void => {
    complain("a request failed", requestId, complaintOf(error, redact));
  };
  // listed, never run here, so they belong to no session
  const registry = () => createTools(env, "", Date.now, { observations: { read: () => null } });
  const tools = () => new GovernedTools(registry(), deploymentAgent().spec);
  const config = { ...parsed, problems: [...parsed.problems, ...codeProblems(tools(), webhooks)] };
  return createApp({
    config,
    sessions: (id) => sessionClient(env, id),
    tools,
    agents: createAgentShelf({
      db: env.DB,
      files: agents,
      tools: registry,
      ground: { models: config.models, admins: deploymentAgent().admins },
      modelName: config.modelName,
      report: (error) => report(error, "agents"),
    }),
    site: createSite({
      render: rendering,
      previewSecret,
      version: buildOf(env),
      now: Date.now,
      seed,
      report,
    }),
    previewLink: createPreviewLinks(previewSecret, seed),
    outline: createOutline(seed),
    environments: createEnvironments(seed),
    history: createHistory(seed),
    uploads: { seed },
    admins: deploymentAgent().admins,
    webhooks: { rules: webhooks, deliveries: createWebhookDeliveries(env.DB) },
    version,
    now: Date.now,
    newId: () => crypto.randomUUID(),
    report,
  });
}

export default {
  fetch(request, env, context) {
    app ??= openApp(env);
    return app.fetch(request, env, context);
  },
  /** What is to be published at a time that has come, and what is to be found out about new images (wrangler.toml says how often it looks). */
  async scheduled({ scheduledTime }, env) {
    const { IMAGES: images = null, MEDIA: media } = env as Env & { readonly IMAGES?: ImagesBinding };
    const work = { db: env.DB, media, images, see: null };
    // One that fails must not stop the other.
    const passes = [publishDue(env.DB, scheduledTime), maintainImages(work, scheduledTime)];
    const failed = (await Promise.allSettled(passes)).find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  },
} satisfies ExportedHandler<Env>;
