import { DurableObject } from "cloudflare:workers";
import { version } from "../package.json";
import { agents } from "./agents/agents.ts";
import { deploymentAgent } from "./agents/known.ts";
import { mcpServers } from "./agents/mcp.ts";
import { complaintOf, createRedactor } from "./core/text/redact.ts";
import { StoredTools } from "./tools/stored/stored-tools.ts";
import { createToolStore } from "./http/tools/store.ts";
import { createAgentShelf } from "./http/agents/shelf.ts";
import { notifyDefaults } from "./channels.ts";
import { createChannels } from "./channels/create.ts";
import type { HeldPart, HeldWords, Hold } from "./channels/held.ts";
import type { App } from "./http/app.ts";
import { createApp } from "./http/app.ts";
import { Intake as IntakeParts } from "./http/channels/intake.ts";
import { sessionClient } from "./http/kit/session-client.ts";
import { codeProblems } from "./http/routes/deployment.ts";
import { listTools } from "./listed-tools.ts";
import { createMcpShelf } from "./http/mcp-servers/shelf.ts";
import { createWebhookDeliveries } from "./http/routes/webhook-deliveries.ts";
import { createEmbedder } from "./model/embed.ts";
import { createLook } from "./model/look.ts";
import { createProviders } from "./model/providers.ts";
import { createModel } from "./model/step.ts";
import { createTranscriber } from "./model/transcribe.ts";
import type { Transcriber } from "./core/log/model.ts";
import type { Transcription } from "./wire/config/transcription.ts";
import { createChangeSets } from "./site/doors/change-sets.ts";
import { createEnvironments } from "./site/doors/environments.ts";
import { createHistory } from "./site/doors/history.ts";
import { createExport } from "./site/doors/site-export.ts";
import { createImport } from "./site/doors/site-import.ts";
import { createOutline } from "./site/doors/outline.ts";
import { createPosts } from "./site/doors/posts.ts";
import { createPreviewLinks } from "./site/doors/preview-link.ts";
import { rendering } from "./site/rendering.ts";
import { createSite } from "./site/routes.ts";
import { ensureSeeded } from "./tools/cms/seed/index.ts";
import { publishDueSets } from "./tools/cms/changes/due-sets.ts";
import { maintainEmbeddings } from "./tools/cms/maintenance/embeddings.ts";
import { maintainImages, type Vision } from "./tools/cms/maintenance/images.ts";
import type { CmsBindings, Notice } from "./tools/cms/model/types.ts";
import { dropAbandoned } from "./tools/cms/portable/settle-import.ts";
import { publishDue } from "./tools/cms/schedule/due.ts";
import { deliverNotices } from "./tools/cms/schedule/notices.ts";
import { runPasses, type Passes } from "./tools/cms/schedule/passes.ts";
import { GovernedTools } from "./tools/governed.ts";
import { McpServers } from "./tools/mcp/servers.ts";
import { serverProblems } from "./tools/mcp/settings.ts";
import { skillProblems } from "./tools/skills/problems.ts";
import { deploymentSkills } from "./tools/skills/deployment.ts";
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
  const skills = deploymentSkills(env);
  const channels = createChannels({ ...env });
  const registry = () => listTools(env, parsed, channels, skills);
  const storedTools = new StoredTools(env.DB, (error) => report(error, "tools"));
  const all = () => storedTools.onto(registry(), { ...(env as object) });
  const tools = () => new GovernedTools(all(), deploymentAgent().spec);
  const servers = McpServers.of({ ...env, DB: env.DB }, mcpServers, version, (error) => report(error, "mcp"));
  const found = { problems: () => [...tools().problems(), ...serverProblems(mcpServers, servers.settings)] };
  const config = { ...parsed, problems: [...parsed.problems, ...codeProblems(found, webhooks)] };
  return createApp({
    config,
    skillProblems: () => skillProblems(skills, agents, Date.now()),
    mcpProblems: () => servers.problems(),
    sessions: (id) => sessionClient(env, id),
    tools,
    readingTools: tools,
    loadTools: () => storedTools.load(),
    storedTools: createToolStore({
      db: env.DB,
      code: registry,
      admins: deploymentAgent().admins,
      secrets: (env as { readonly HTTP_SECRETS?: unknown }).HTTP_SECRETS,
      changed: () => storedTools.load(),
    }),
    agents: createAgentShelf({
      db: env.DB,
      files: agents,
      tools: all,
      ready: () => storedTools.load(),
      ground: { models: config.models, admins: deploymentAgent().admins },
      modelName: config.modelName,
      report: (error) => report(error, "agents"),
    }),
    mcp: createMcpShelf({ db: env.DB, files: mcpServers, servers }),
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
    changeSets: createChangeSets(seed),
    uploads: { seed },
    posts: createPosts(seed),
    portable: { export: createExport(seed), ...createImport(seed) },
    admins: deploymentAgent().admins,
    channels,
    hold: holdIn(env),
    transcriber: transcriberIn(config.transcription, env),
    notifyDefaults,
    webhooks: { rules: webhooks, deliveries: createWebhookDeliveries(env.DB) },
    version,
    now: Date.now,
    newId: () => crypto.randomUUID(),
    report,
  });
}

/** What a deployment may have and need not. */
type Bindings = CmsBindings & { readonly IMAGES?: ImagesBinding; readonly AI?: Ai };

/** A fork may have a wrangler.toml without the binding. */
function holdIn({ INTAKE: namespace }: Partial<Pick<Env, "INTAKE">>): Hold | null {
  if (namespace === undefined) return null;
  return async (name, part) => {
    await namespace.get(namespace.idFromName(name)).take(part);
  };
}

/** The parts of one message of a channel, until it is complete (src/http/channels/intake.ts). */
export class Intake extends DurableObject<Env> {
  readonly #parts = new IntakeParts(this.ctx.storage, {
    now: Date.now,
    receive: (words) => this.receive(words),
    report: (error) =>
      complain("a message was not received", complaintOf(error, createRedactor(secretsOf({ ...this.env })))),
  });

  protected receive(words: HeldWords): Promise<boolean> {
    app ??= openApp(this.env);
    return app.held(words, this.env);
  }

  take(part: HeldPart): void {
    this.#parts.take(part);
  }

  override async alarm(): Promise<void> {
    await this.#parts.alarm();
  }
}

function transcriberIn(settings: Transcription | null, env: Bindings): Transcriber | null {
  return settings === null ? null : createTranscriber({ ...settings, ai: env.AI ?? null });
}

/** The first of VISION_MODELS; null without one. */
function visionOf(env: Bindings): Vision | null {
  const { models, visionModels } = parseConfig({ ...env });
  const [name] = visionModels;
  if (models === null || name === undefined) return null;
  const model = createModel({ providers: createProviders({ ...models, ai: env.AI ?? null }) });
  return { model: name, look: createLook(model, name) };
}

/** The site is searched by words alone without an embedding model. */
async function embedDocuments(env: Env, bound: Bindings, now: number): Promise<void> {
  const { embedding } = parseConfig({ ...bound });
  if (embedding === null) return;
  const embedder = createEmbedder({ ...embedding, ai: bound.AI ?? null });
  await maintainEmbeddings({ db: env.DB, embedder, index: bound.VECTORIZE ?? null }, now);
}

export default {
  fetch(request, env, context) {
    app ??= openApp(env);
    return app.fetch(request, env, context);
  },
  /** Mails to the agent (docs/channels.md): Cloudflare's Email Routing brings them. */
  async email(mail, env) {
    app ??= openApp(env);
    await app.email(mail, env);
  },
  /** Scheduled publishing, image and text maintenance, abandoned imports, and messages about what failed (wrangler.toml has the interval). */
  async scheduled({ scheduledTime }, env) {
    await runPasses(passesOf(env, scheduledTime));
  },
} satisfies ExportedHandler<Env>;

/** The parts of a cron run. Each begins, and fails, by itself. */
function passesOf(env: Env, now: number): Passes {
  const bound: Bindings = env;
  const { IMAGES: images = null, MEDIA: media = null } = bound;
  return {
    "publish pages and entries": () => publishDue(env.DB, now),
    "publish change sets": () => publishDueSets(env.DB, now),
    "drop abandoned imports": () => dropAbandoned(env.DB, media, now),
    "describe images": () =>
      maintainImages({ db: env.DB, media, images, see: visionOf(bound) }, now, Date.now),
    "embed texts": () => embedDocuments(env, bound, now),
    "deliver notices": () => deliverNotices(env.DB, (notice) => sendNotice(env, notice), now),
  };
}

/** The author of notices: the deployment itself. */
const SCHEDULER = { subject: "system:schedule", scopes: [], via: "http" } as const;

async function sendNotice(env: Env, { session, ...notice }: Notice): Promise<boolean> {
  const answer = await sessionClient(env, session).notice(SCHEDULER, notice);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value.kept;
}
