import type { Bindings } from "./bindings.ts";
import { complaintOf } from "./core/text/redact.ts";
import { createApp, type App } from "./http/app.ts";
import type { Deps } from "./http/deps.ts";
import { sessionClient } from "./http/kit/session-client.ts";
import { logError } from "./operator-log.ts";
import { createSession, type SessionClass } from "./session/session.ts";
import { installErrorMessages } from "./protocol/fault-words.ts";
import { createApi, type ApiClass } from "./api.ts";
import { createDeps } from "./deps.ts";
import { createIsolates } from "./isolate.ts";
import { runJobs } from "./jobs.ts";
import type { Notice } from "./plugin.ts";
import { checkProject, type CairnOptions } from "./project.ts";

/** All that a project's worker exports. */
export interface Cairn {
  /** the Durable Object of a session: `export class Session extends cairn.Session {}` */
  readonly Session: SessionClass;
  /** the WorkerEntrypoint for service bindings of other Workers; may be left out: `export class Api extends cairn.Api {}` */
  readonly Api: ApiClass;
  readonly worker: Required<Pick<ExportedHandler<Bindings>, "fetch" | "email" | "scheduled">>;
}

/**
 * Turns a project's agents, tools and plugins into its worker and its session class. Throws an error that explains any fault in the
 * options, such as a missing agent `default`. Cloudflare finds a Durable Object by the name of its exported class, so a project
 * exports a subclass, and names it in wrangler.toml (docs/make-it-yours.md). A plugin's own Durable Object is exported the same way.
 *
 *     import { createCairn, defineAgent } from "cairn";
 *
 *     const cairn = createCairn({ agents: { default: defineAgent({ description: "Keeps our shop." }) } });
 *     export class Session extends cairn.Session {}
 *     export class Api extends cairn.Api {}
 *     export default cairn.worker;
 */
export function createCairn(options: CairnOptions): Cairn {
  installErrorMessages();
  const project = checkProject(options);
  const isolateOf = createIsolates(project);
  // Created on the first request, when the environment is known; an isolate has one environment.
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
      report: (error, env) => logError("a call failed", complaintOf(error, isolateOf(env).redact)),
    }),
    worker: {
      fetch: (request, env, context) => appOf(env).fetch(request, env, context),
      /** Passes mail from Cloudflare's Email Routing to the plugin that receives it. */
      email: (mail, env) => appOf(env).email(mail, env),
      /** Runs the jobs of the plugins; wrangler.toml sets the interval. */
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

/** Notices are written in the name of the deployment. */
const NOTICE_AUTHOR = { subject: "system:schedule", scopes: [], via: "http" } as const;

async function sendNotice(env: Bindings, session: string, notice: Notice): Promise<boolean> {
  const answer = await sessionClient(env, session).notice(NOTICE_AUTHOR, notice);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value.stored;
}
