import type { Bindings } from "./bindings.ts";
import { version } from "../../package.json";
import { optionsFor } from "./agent-options.ts";
import { complaintOf } from "./core/text/redact.ts";
import { createAgentStore } from "./http/agents/agent-store.ts";
import type { Deps } from "./http/deps.ts";
import { sessionClient } from "./http/kit/session-client.ts";
import { codeProblems } from "./http/routes/deployment.ts";
import { createWebhookDeliveries } from "./http/routes/webhook-deliveries.ts";
import { createToolStore } from "./http/tools/store.ts";
import { logError } from "./operator-log.ts";
import { GovernedTools } from "./tools/governed.ts";
import type { Isolate } from "./isolate.ts";

/** Everything that the routes of the worker touch. */
export function createDeps(isolate: Isolate, env: Bindings): Deps {
  const { project, config: parsed, redact, shared, started, storedTools } = isolate;
  const { agents, webhooks } = project;
  const { admins, spec } = agents.deployment;
  const { HTTP_SECRETS: httpSecrets }: Bindings & { readonly HTTP_SECRETS?: unknown } = env;
  const report = (error: unknown, requestId: string): void => {
    logError("a request failed", requestId, complaintOf(error, redact));
  };
  const registry = isolate.listTools;
  const all = () => storedTools.onto(registry(), { ...(env as object) });
  const tools = () => new GovernedTools(all(), spec);
  const ofCode = { problems: () => [...tools().problems(), ...project.problems] };
  const config = { ...parsed, problems: [...parsed.problems, ...codeProblems(ofCode, webhooks)] };
  return {
    config,
    pluginProblems: async () => {
      const parts = Array.from(shared, async ([plugin, part]) => {
        try {
          const found = (await part.problems?.(Date.now(), optionsFor(agents.all, plugin))) ?? [];
          return found.map((problem) => ({ ...problem, plugin }));
        } catch (error) {
          started.faults.note(plugin, "list of problems", error);
          return [];
        }
      });
      const found = await Promise.all(parts);
      return [...started.problems(), ...found.flat()];
    },
    sessions: (id) => sessionClient(env, id),
    tools,
    readingTools: tools,
    loadTools: () => storedTools.load(),
    storedTools: createToolStore({
      db: env.DB,
      code: registry,
      admins,
      secrets: httpSecrets,
      changed: () => storedTools.load(),
    }),
    agents: createAgentStore({
      db: env.DB,
      files: agents.all,
      tools: all,
      ready: () => storedTools.load(),
      context: { models: config.models, admins, options: project.options },
      modelName: config.modelName,
      report: (error) => report(error, "agents"),
    }),
    plugins: started.plugins,
    secrets: [...new Set(project.plugins.flatMap(({ secrets = [] }) => secrets))],
    pluginFailed: started.faults.note,
    pictures: started.plugins.flatMap(({ pictures }) => pictures ?? [])[0] ?? null,
    admins,
    env,
    channels: [...shared.values()].flatMap((part) => part.channels ?? []),
    webhooks: { rules: webhooks, deliveries: createWebhookDeliveries(env.DB) },
    version,
    build: env.CF_VERSION_METADATA?.id ?? version,
    now: Date.now,
    newId: () => crypto.randomUUID(),
    report,
  };
}
