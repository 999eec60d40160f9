import type { Bindings } from "./bindings.ts";
import { complaintOf } from "./core/text/redact.ts";
import { createApp, type App } from "./http/app.ts";
import type { Deps } from "./http/deps.ts";
import { sessionClient } from "./http/kit/session-client.ts";
import { complain } from "./operator-log.ts";
import { createSession, type SessionClass } from "./session/session.ts";
import { speakPlainly } from "./protocol/fault-words.ts";
import { createApi, type ApiClass } from "./api.ts";
import { createDeps } from "./deps.ts";
import { createIsolates } from "./isolate.ts";
import { runJobs } from "./jobs.ts";
import type { Notice } from "./plugin.ts";
import { checkProject, type CairnOptions } from "./project.ts";

/** The exports of a project's worker. */
export interface Cairn {
  /** the Durable Object of a session: `export class Session extends cairn.Session {}` */
  readonly Session: SessionClass;
  /** the entrypoint for other Workers of the account: `export class Api extends cairn.Api {}` */
  readonly Api: ApiClass;
  readonly worker: Required<Pick<ExportedHandler<Bindings>, "fetch" | "email" | "scheduled">>;
}

/**
 * Wires a project: its agents, tools and plugins become the worker and its Durable Objects. Throws a sentence if the agent `default`
 * is missing, or if two plugins or two tools share a name.
 *
 *     const cairn = createCairn({ agents: { default: defineAgent({ description: "Keeps our shop." }) }, tools: [printLabel] });
 *     export class Session extends cairn.Session {}
 *     export class Api extends cairn.Api {}
 *     export default cairn.worker;
 */
export function createCairn(options: CairnOptions): Cairn {
  speakPlainly();
  const project = checkProject(options);
  const isolateOf = createIsolates(project);
  // Created at the first request of an isolate, because the environment is read once.
  let deps: Deps | null = null;
  const depsOf = (env: Bindings): Deps => (deps ??= createDeps(isolateOf(env), env));
  let app: App | null = null;
  const appOf = (env: Bindings): App => (app ??= createApp(depsOf(env)));
  for (const { connect } of project.plugins) connect?.(depsOf);

  return {
    Session: createSession(isolateOf),
    Api: createApi({
      call: (request, props, env, context) => appOf(env).call(request, props, env, context),
      bytesMax: (env) => isolateOf(env).config.limits.bodyBytes,
      report: (error, env) => complain("a call failed", complaintOf(error, isolateOf(env).redact)),
    }),
    worker: {
      fetch: (request, env, context) => appOf(env).fetch(request, env, context),
      /** Passes mail from Cloudflare's Email Routing to the plugin that receives it. */
      email: (mail, env) => appOf(env).email(mail, env),
      /** The jobs of the plugins (wrangler.toml has the interval). */
      scheduled: async ({ scheduledTime: at }, env) => {
        const { started, redact, config, providers } = isolateOf(env);
        const notify = (session: string, notice: Notice): Promise<boolean> =>
          sendNotice(env, session, notice);
        const jobContext = { env, at, config, providers, notify };
        await runJobs(started.plugins, jobContext, { redact, faults: started.faults });
      },
    },
  };
}

/** The author of notices: the deployment itself. */
const SCHEDULER = { subject: "system:schedule", scopes: [], via: "http" } as const;

async function sendNotice(env: Bindings, session: string, notice: Notice): Promise<boolean> {
  const answer = await sessionClient(env, session).notice(SCHEDULER, notice);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value.stored;
}
