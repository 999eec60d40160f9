import type { Hono } from "hono/tiny";
import type { Bindings } from "../../cairn/bindings.ts";
import type { ChannelName } from "../../cairn/core/address.ts";
import type { DeliveredMail } from "../../cairn/http/deps.ts";
import type { HttpEnv } from "../../cairn/http/kit/route.ts";
import type { Channel } from "./channel.ts";
import type { ChannelDeps } from "./http/deps.ts";

/** One way to people: how its channel is made of the variables of a deployment, and everything else that it adds. */
export interface Vendor {
  readonly name: ChannelName;
  /** names of variables whose whole value is a secret */
  readonly secrets: readonly string[];
  /** Reads the variables and bindings of a deployment. Never throws. */
  readonly open: (env: Variables) => OpenedVendor;
  /** Variables that are set and cannot be read; none when left out. */
  readonly problems?: (env: Variables) => readonly VariableProblem[];
  /** its own routes */
  readonly mount?: (app: Hono<HttpEnv>, deps: ChannelDeps) => void;
  /** Takes the mails that arrive: of one vendor. */
  readonly email?: (mail: DeliveredMail, deps: ChannelDeps, env: Bindings) => Promise<void>;
}

export type Variables = Readonly<Record<string, unknown>>;

export interface VariableProblem {
  /** name of the variable */
  readonly about: string;
  readonly message: string;
}

export interface OpenedVendor {
  /** null where it is not set up */
  readonly channel: Channel | null;
  /** names of the variables and bindings that are missing; of some it works without */
  readonly missing: readonly string[];
}

/** A variable as text; empty where it is not set. */
export function variableIn(env: Variables, name: string): string {
  const value = env[name];
  return typeof value === "string" ? value.trim() : "";
}

/** Those of the variables that are not set. */
export const missingOf = (env: Variables, names: readonly string[]): readonly string[] =>
  names.filter((name) => variableIn(env, name) === "");

/** The platform's own, which must be called as a function. */
export const fetcher = (url: string, init: RequestInit): Promise<Response> => fetch(url, init);
