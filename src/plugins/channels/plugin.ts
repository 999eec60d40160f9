import messagesPrompt from "../../../prompts/channels/messages.xml";
import type { Bindings } from "../../cairn/bindings.ts";
import { offered, type Plugin } from "../../cairn/plugin.ts";
import { addressName, type Address } from "../../cairn/core/address.ts";
import { ownValue } from "../../cairn/core/log/json.ts";
import type { NotifySettings } from "../../cairn/core/quiet.ts";
import type { Deps } from "../../cairn/http/deps.ts";
import { createChannels } from "./create.ts";
import type { Channels } from "./channels.ts";
import type { HeldMessage, Hold, IntakeStub } from "./held.ts";
import type { ChannelDeps } from "./http/deps.ts";
import { receiveHeldMessage } from "./http/receive-events.ts";
import { mountRoutes } from "./http/routes.ts";
import { canSend, type AddressBook } from "./session/messenger.ts";
import { createPart, type ChannelsPart } from "./session/part.ts";
import { CHANNEL_TABLES } from "./session/tables.ts";
import type { Messenger } from "./tools/messenger.ts";
import { messagesPack } from "./tools/pack.ts";
import { createTranscriber, type Transcriber } from "./transcriber.ts";
import { parseTranscription, TRANSCRIPTION_SECRETS, transcriptionProblems } from "./transcription.ts";
import type { Vendor } from "./vendor.ts";

export type { Address, NotifySettings };

export interface ChannelsOptions {
  /** ways to people, in the order in which they are listed: `telegram()`, `slack()`, `email()`, `webpush()` */
  readonly vendors: readonly Vendor[];
  /** notification settings of people who have none; default: no quiet hours, and questions go to the chat linked last */
  readonly notify?: NotifySettings;
  /** places that `send_message` may write to, by name */
  readonly addresses?: Readonly<Record<string, Address>>;
  /** names of addresses that unattended runs may write to without approval */
  readonly alone?: readonly string[];
}

export interface ChannelsPlugin extends Plugin<ChannelsPart> {
  /** The channels of a deployment: made once for its environment. */
  readonly of: (env: object) => Channels;
  /** Receives a message whose parts were held, as `hearHeld`: for `Intake`. */
  readonly receive: (words: HeldMessage, env: Bindings) => Promise<boolean>;
  /** a bug, for the operator's log */
  readonly report: (error: unknown, env: Bindings) => void;
}

const NO_QUIET: NotifySettings = { zone: null, quiet: null, ask: "auto" };

/**
 * Messages of people in chats and by mail, and answers to them there.
 *
 *     channels({ vendors: [telegram(), email()] })
 */
export function channels({
  vendors,
  notify = NO_QUIET,
  addresses = {},
  alone = [],
}: ChannelsOptions): ChannelsPlugin {
  refuseVendors(vendors);
  const email = vendors.flatMap((vendor) => vendor.email ?? [])[0];
  const book: AddressBook = new Map(Object.entries(addresses));
  const reachable = alone.map((name) => {
    const address = ownValue(addresses, name);
    if (address === undefined) throw new Error(`channels: alone names ${name}, which is no address`);
    return addressName(address);
  });
  const made = new WeakMap<object, Channels>();
  const channelsOf = (env: object): Channels => {
    const known = made.get(env) ?? createChannels(vendors, { ...env });
    made.set(env, known);
    return known;
  };
  const transcribers = new WeakMap<object, Transcriber | null>();
  const transcriberOf = (env: object): Transcriber | null => {
    const known = transcribers.get(env);
    if (known !== undefined) return known;
    const { AI: ai }: { readonly AI?: Ai } = env;
    const settings = parseTranscription({ ...env }, () => undefined);
    const transcriber = settings === null ? null : createTranscriber({ ...settings, ai: ai ?? null });
    transcribers.set(env, transcriber);
    return transcriber;
  };
  const depsFor = (deps: Deps, env: object): ChannelDeps => ({
    ...deps,
    channels: channelsOf(env),
    hold: holdIn(env),
    transcriber: transcriberOf(env),
    notifyDefaults: notify,
  });
  let open: ((env: Bindings) => Deps) | null = null;
  const depsOf = (env: Bindings): ChannelDeps => {
    if (open === null) throw new Error("channels: the plugin is in no createCairn");
    return depsFor(open(env), env);
  };
  return {
    name: "channels",
    prompts: { messages: messagesPrompt },
    secrets: [...TRANSCRIPTION_SECRETS, ...vendors.flatMap(({ secrets }) => secrets)],
    of: channelsOf,
    connect: (opens) => {
      open = opens;
    },
    receive: (words, env) => receiveHeldMessage(depsOf(env), env, words),
    report: (error, env) => depsOf(env).report(error, "a message of a chat"),
    tools: ({ env }, part) => [
      offered(messagesPack, { messenger: part === null ? listed(channelsOf(env), book) : part.messenger }),
    ],
    tables: CHANNEL_TABLES,
    session: (host) => createPart(host, { channels: channelsOf(host.env), notify, book, alone: reachable }),
    routes: (places, deps) => mountRoutes(places, depsFor(deps, deps.env ?? {}), vendors),
    ...(email === undefined ? {} : { email: (mail, deps, env) => email(mail, depsFor(deps, env), env) }),
    shared: (env) => ({
      channels: channelsOf(env).states,
      problems: () =>
        Promise.resolve([
          ...vendors.flatMap(({ problems }) => problems?.({ ...env }) ?? []),
          ...transcriptionProblems({ ...env }),
        ]),
    }),
  };
}

function refuseVendors(vendors: readonly Vendor[]): void {
  const names = vendors.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`channels: ${twice} stands twice in vendors. Name it once.`);
}

/** A project may have a wrangler.toml without the binding. */
function holdIn(env: object): Hold | null {
  const { INTAKE: namespace }: { readonly INTAKE?: DurableObjectNamespace } = env;
  if (namespace === undefined) return null;
  return async (name, part) => {
    await (namespace.get(namespace.idFromName(name)) as unknown as IntakeStub).take(part);
  };
}

/** The messenger of a list: the tool is the same as in a session, and nothing is sent. */
function listed(channels: Channels, book: AddressBook): Messenger | null {
  if (!canSend(channels, book)) return null;
  return {
    names: [...book.keys()],
    find: () => null,
    origin: () => null,
    has: () => false,
    send: () => Promise.reject(new Error("nothing is sent from a list")),
  };
}
