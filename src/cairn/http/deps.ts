import type { Bindings } from "../bindings.ts";
import type { ToolStore } from "./tools/store.ts";
import type { Hono } from "hono/tiny";
import type { ListedNames } from "../core/guards/named-tools.ts";
import type { Json } from "../core/log/json.ts";
import type { CallOrder, Checked, ToolCard, ToolOutcome } from "../core/log/tool.ts";
import type { Pictures } from "./kit/pictures.ts";
import type { Config } from "../config/config.ts";
import type { Webhooks } from "../webhooks/rules.ts";
import type { AgentStore } from "./agents/agent-store.ts";
import type { WebhookDeliveries } from "./routes/webhook-deliveries.ts";
import type { Authenticator } from "./kit/credentials.ts";
import type { RateLimit } from "./kit/rate-limit.ts";
import type { HttpEnv } from "./kit/route.ts";
import type { SessionClient } from "./kit/session-client.ts";

/** Dependencies of the routes: everything they touch except the request. */

/** Everything that the routes touch. */
export interface Deps {
  readonly config: Config;
  /** what is wrong with parts of plugins: they are read to find it, so it is asked for anew; nothing when left out */
  readonly pluginProblems?: () => Promise<readonly PluginProblem[]>;
  readonly sessions: (id: string) => SessionClient;
  readonly tools: () => ToolList;
  /** those that read, for who asks without a run */
  readonly readingTools: () => ReadingTools;
  readonly agents: AgentStore;
  readonly storedTools: ToolStore;
  /** reads which tools are stored, before they are listed or named */
  readonly loadTools?: () => Promise<void>;
  /** whose routes are added */
  readonly plugins: readonly RoutePlugin[];
  /** names of variables that plugins declare as secrets, those that did not start among them; none when left out */
  readonly secrets?: readonly string[];
  /** `part` of this plugin has thrown */
  readonly pluginFailed?: (plugin: string, part: string, error: unknown) => void;
  /** null: no picture is taken */
  readonly pictures: Pictures | null;
  /** who of those with the scope admin is one; null: all of them */
  readonly admins: readonly string[] | null;
  readonly webhooks: WebhookParts;
  /** ways to people that plugins add; none when left out */
  readonly channels?: readonly ChannelState[];
  /** bindings and variables of the deployment: a plugin takes what it knows; empty when left out */
  readonly env?: object;
  readonly version: string;
  /** build ID for ETags: a new deployment invalidates cached pages; default: the version */
  readonly build?: string;
  /** milliseconds since the epoch */
  readonly now: () => number;
  /** a new id of `[A-Za-z0-9_-]{8,64}` that cannot be guessed */
  readonly newId: () => string;
  /** a bug, for the operator's log; nothing of it is answered */
  readonly report: (error: unknown, requestId: string) => void;
}

/** A way to people, and the names of the variables that it misses. */
export interface ChannelState {
  readonly name: string;
  readonly missing: readonly string[];
}

/** A mail that Email Routing brings. */
export type DeliveredMail = Pick<ForwardableEmailMessage, "from" | "to" | "raw" | "rawSize" | "setReject">;

/** A problem of a part of a plugin. `remark`: nothing is off. */
interface PluginProblem {
  readonly about: string;
  readonly message: string;
  readonly remark?: true;
  readonly plugin?: string;
}

/** A capability that adds routes. */
export interface RoutePlugin {
  readonly name: string;
  /** Called once. A throw is reported, and the other routes work. */
  routes?(mounts: RouteMounts, deps: Deps, settings?: unknown): void;
  /** Names of panels of the page that show what it does. */
  readonly panels?: readonly string[];
  /** The library for the pictures that people send: of one plugin of a deployment. */
  readonly pictures?: Pictures;
  /** Receives incoming mail: of one plugin of a deployment. After a throw, the sending server retries. */
  readonly email?: (mail: DeliveredMail, deps: Deps, env: Bindings) => Promise<void>;
}

export interface RouteMounts {
  /** Below /api and /agents a route is reached with a credential alone (kit/route.ts); elsewhere it checks for itself who asks. */
  readonly api: Hono<HttpEnv>;
  /** for routes of `api` outside of /api and /agents that check for themselves who asks */
  readonly authenticator: Authenticator;
  /** requests of each subject and address: those of the whole API */
  readonly rateLimit: RateLimit;
  /** all other paths: reached by anybody, after every route of the deployment */
  readonly pages: Hono<{ Bindings: Bindings }>;
}

/** Calls of tools outside of a session. */
export interface ReadingTools {
  cards(): readonly ToolCard[];
  check(name: string, input: Json): Checked;
  run(order: CallOrder, signal: AbortSignal): Promise<ToolOutcome>;
}

export interface ToolList {
  cards(): readonly ToolCard[];
  notOffered(): readonly { readonly tool: string; readonly why: string }[];
  /** tools that can be had, for which a run that does not name them has no room */
  leftOut(): ReadonlySet<string>;
  listedNames(): readonly ListedNames[];
}

/**
 * `POST /hooks/:source`. The answers, in this order: 404, 413, 401, 429, 422, 200 ignored, 200 duplicate, 202.
 * Nothing of the body is parsed before its signature is right.
 */

export interface WebhookParts {
  readonly rules: Webhooks;
  readonly deliveries: WebhookDeliveries;
}
