import type * as z from "zod";
import type { Bindings } from "./bindings.ts";
import type { ListedNames } from "./core/guards/named-tools.ts";
import type { PlainWords } from "./core/guards/words.ts";
import type { JsonObject } from "./core/log/json.ts";
import type { Targets } from "./core/log/targets.ts";
import type { Redact } from "./core/text/redact.ts";
import type { ChannelState, Deps, RouteMounts, RoutePlugin } from "./http/deps.ts";
import type { PromptTexts } from "./prompts.ts";
import type { RulesModels } from "./models/own-models.ts";
import type { TargetKind } from "./session/runs/targets.ts";
import type { SessionHost, SessionPart } from "./session/part.ts";
import type { Migration } from "./session/storage/migrations.ts";
import type { Providers } from "./models/providers.ts";
import type { SessionServices } from "./tools/builtin/pack.ts";
import type { Pack, PackRegistry } from "./tools/define.ts";
import type { ToolLister } from "./tools/lister.ts";
import type { MessagingServices } from "./tools/messaging/services.ts";
import type { Extractor } from "./documents/extract.ts";
import type { PictureReader } from "./uploads/picture-reader.ts";
import type { WebMemory } from "./outbound/web-memory.ts";
import type { ValueReader } from "./documents/value-reader.ts";
import type { Config } from "./config/config.ts";

export type { PlainWords, PromptTexts, SessionPart, TargetKind };

/**
 * Everything that a capability adds to a deployment. Every field except `name` is optional; `panels`, `pictures` and `email` are in
 * `RoutePlugin`. `Part`: the plugin's part of a session. `Settings`: its variables, parsed. `Options`: the values that an agent sets
 * for it.
 *
 * The order of the calls: `connect` when the worker is created; `settings`, `shared` and `routes` once for each environment;
 * `session` each time that a session is loaded; `tools` for each session and list. An error in any of them except `connect` is
 * caught: `/healthz` names the plugin, and other plugins go on.
 *
 * A plugin cannot decide what the loop does next, change the log, allow a call that the permission table denies, or use the
 * name of another plugin or of its tools.
 */
export interface Plugin<
  Part extends SessionPart = SessionPart,
  Settings = unknown,
  Options extends JsonObject = JsonObject,
> extends Omit<RoutePlugin, "routes"> {
  /** `[a-z][a-z0-9-]*`, once in a deployment */
  readonly name: string;
  /**
   * Names of variables that hold secrets: the whole value is one, or each string in a JSON object. The values are redacted in every
   * row, frame, prompt and log. `cairn deploy --check` lists those of a project's own plugins, and refuses one that is set in
   * wrangler.toml.
   */
  readonly secrets?: readonly string[];
  /**
   * Reads the plugin's variables, once for each environment, before any other function. `problem` reports
   * to `/healthz` and leaves the plugin on. After a throw the plugin is off.
   */
  settings?(env: object, problem: Problem): Settings;
  /**
   * Schema of the plugin's options in an agent, `options: { <its name>: … }`: a strict object, so that a misspelt field
   * is refused. A fault in a project's code throws at load; in an agent sent to the API, each is reported with its path.
   */
  readonly options?: z.ZodType<Options>;
  /**
   * The plugin's tools, in the order of the prompt. Called for each session and for each list of tools in the API.
   * `part`: the result of `session` for this session; null in a list, and if it threw.
   */
  tools?(context: OfferContext, part: Part | null, settings: Settings): readonly OfferedPack[];
  /**
   * Names of the tools that `SharedPart.lister` lists. Agents, runs and rules may name such a tool before it is listed, and
   * the names are reserved.
   */
  readonly lists?: ListedNames;
  /** Texts about the use of its tools, by the names that its packs list: `prompts/<plugin>/*.xml`, imported. */
  readonly prompts?: PromptTexts;
  /**
   * Word lists that classify requests and review answers. At most one plugin may have them. Without them, the layout of a text and
   * the log of the run decide. Loaded once, with the first run of an isolate. A throw is reported.
   */
  readonly words?: () => Promise<PlainWords>;
  /** The plugin's tables in the SQLite of each session, as numbered migrations: add a migration for a later column. */
  readonly tables?: readonly Migration[];
  /**
   * Creates the plugin's part of a session: called each time that the session is loaded. A throw is reported, and the
   * session has no such part.
   */
  session?(host: SessionHost, settings: Settings): Part;
  /** Called once, by `createCairn`. `open` returns the dependencies of routes, for the plugin's own Durable Object. */
  readonly connect?: (open: (env: Bindings) => Deps) => void;
  /**
   * Rule-based models, by name; each name ends in a colon, such as `rehearsal:`. `MODEL` and every other model setting accept them;
   * the first is the model if `MODEL` is unset. Loaded at each call.
   */
  readonly models?: RulesModels;
  /**
   * Creates the part that all sessions of an isolate share. Called once for each environment. `redact`: for its
   * reports. After a throw the plugin is off.
   */
  shared?(env: object, redact: Redact, settings: Settings): SharedPart<Options>;
  /** Adds the plugin's routes, once. Routes added before a throw stay. */
  routes?(mounts: RouteMounts, deps: Deps, settings: Settings): void;
  /**
   * The plugin's jobs for one firing of the cron trigger, by name. A job that throws is reported and stops no other.
   */
  scheduled?(context: JobContext, settings: Settings): Jobs;
}

/** A plugin whose settings were read for one environment, and are bound to its functions. */
export type StartedPlugin = Plugin<SessionPart, void>;

/** Reports a variable that is wrong or missing, with a sentence for the operator that does not hold its value. */
export type Problem = (variable: string, message: string) => void;

/** The part of a plugin that all sessions of an isolate share. */
export interface SharedPart<Options extends JsonObject = JsonObject> {
  /** Loads its data if it was never loaded. Called before each request to a session. */
  readonly ready?: (at: number) => Promise<void>;
  /** Reloads outdated data. Called before a session works. */
  readonly loadDue?: (at: number) => Promise<void>;
  /**
   * Returns text that follows the run's prompts, or "". `prompts`: their names. `options`: the run's options for this plugin, as read
   * when the run was accepted; undefined if its agent has none.
   */
  prompt?(prompts: readonly string[], options?: Options): string;
  /** The library of pictures in messages. At most one plugin of a deployment may have it. */
  readonly pictures?: PictureReader;
  /**
   * The kinds of target that runs may name, by their names in `targets`, such as `site`. The kernel stores the value in
   * the run, passes it to child runs, checks who may use it before each call of a tool, and gives it to `tools`.
   */
  readonly targets?: Readonly<Record<string, TargetKind>>;
  /** Message channels that it adds, for the operator. */
  readonly channels?: readonly ChannelState[];
  /** Lists tools before each run, such as those of servers. */
  readonly lister?: ToolLister;
  /**
   * Problems of the plugin and of agents, for the operator. `agents`: options for this plugin, by the agents of the
   * code that have any.
   */
  problems?(at: number, agents: Readonly<Record<string, Options>>): Promise<readonly PartProblem[]>;
}

/** `about`: a variable, a file or a part of the plugin. */
export interface PartProblem {
  readonly about: string;
  readonly message: string;
  /** true: information only; nothing is off */
  readonly remark?: true;
  /** name of the plugin */
  readonly plugin?: string;
}

/** Parts of one cron run by their names, which the operator's log shows. */
export type Jobs = Readonly<Record<string, () => Promise<unknown>>>;

/** Context of cron jobs. */
export interface JobContext {
  readonly env: Bindings;
  /** the scheduled time, milliseconds since the epoch */
  readonly at: number;
  readonly config: Config;
  /** the model of each name; null where no model can be called */
  readonly providers: Providers | null;
  /** Shows a message of the deployment in a session. False: the session is gone. Throws if it does not answer. */
  readonly notify: (session: string, notice: Notice) => Promise<boolean>;
}

/** A message of the deployment for the people of a session. */
export interface Notice {
  /** equal for every try, so that it is shown once */
  readonly id: string;
  /** milliseconds since the epoch: a session of this name that was created later does not get it */
  readonly createdBefore: number;
  readonly text: string;
}

/** Where a plugin offers its tools: in a session, or in a list that the API shows, which runs none of them. */
export interface OfferContext {
  /** bindings and variables: each plugin reads its own */
  readonly env: object;
  /** empty in a list */
  readonly session: string;
  readonly clock: () => number;
  /** what the run works on, by the names in `SharedPart.targets`; an absent one means the deployment's own */
  readonly targets: Targets;
  readonly redact?: Redact;
  readonly services: ToolServices;
  /** parts that plugins have in the session, by the names of the plugins; none in a list */
  readonly parts?: ReadonlyMap<string, SessionPart>;
}

/** Parts of the session that tools use. */
export type ToolServices = SessionServices &
  Partial<MessagingServices> & {
    readonly web?: WebMemory;
    readonly extractor?: Extractor | null;
    readonly reader?: ValueReader | null;
  };

/** A pack that is ready to be added to a registry. Made by `offered`. */
export interface OfferedPack {
  readonly name: string;
  readonly addTo: (registry: PackRegistry) => void;
}

/**
 * Offers the tools of a pack.
 *
 *     tools: ({ env }) => [offered(writingPack, env)]
 */
export const offered = <Env, Services>(pack: Pack<Env, Services>, env: Env): OfferedPack => ({
  name: pack.name,
  addTo: (registry) => {
    registry.add(pack, env);
  },
});
