import type { Chat } from "../channels/chat.ts";
import type { DiskImage } from "../../../src/cairn/testing/disk.ts";
import type { Told } from "./receiver.ts";
import type { Effects } from "./tools.ts";
import type { FakePlatform } from "./platform.ts";
import type { Begun } from "./observer.ts";

/** Fields of the fake platform that outlive the isolate. */
const FIELDS = [
  "now",
  "plainWords",
  "wakes",
  "ids",
  "transcript",
  "windows",
  "tells",
  "plans",
  "dialect",
  "words",
  "policy",
  "logins",
  "admins",
  "prepared",
  "unattended",
  "reachable",
  "versions",
  "bare",
  "anew",
  "secrets",
  "approvals",
  "links",
  "prices",
  "day",
  "broken",
  "inherited",
  "alarmsLost",
  "times",
  "ask",
] as const;
const LISTS = ["published", "drafts", "requests", "scheduled", "dropped", "unread"] as const;
const PLAIN_EFFECTS = ["reads", "searches", "bulk"] as const;

/**
 * Fields of a fake platform that are not copied plainly: those its maker gives, those copied in their own way, and
 * those rebuilt with the isolate.
 */
const OTHERS = {
  made: ["session", "world", "script", "hooks", "own", "onModel", "onPiece", "cross"],
  apart: ["chat", "disk", "effects", "observer", "receiver"],
  anew: [
    "store",
    "engine",
    "commands",
    "api",
    "service",
    "hub",
    "outbox",
    "outboxSender",
    "sender",
    "cards",
    "scheduleStore",
    "digest",
    "loadDue",
    "people",
    "family",
    "sockets",
    "observed",
  ],
} as const;

/** Every field of the fake platform has its place here: one that is added has to be given one. */
export const PLACED: ReadonlySet<string> = new Set([...FIELDS, ...LISTS, ...Object.values(OTHERS).flat()]);

/** State that survives the isolate's death. Entries and requests are immutable, so snapshots share them. */
export interface Outside {
  readonly fields: Pick<FakePlatform, (typeof FIELDS)[number]>;
  readonly lists: Pick<FakePlatform, (typeof LISTS)[number]>;
  readonly begun: readonly Begun[];
  readonly told: readonly Told[];
  readonly chat: ReturnType<Chat["keep"]> | null;
  readonly effects: Pick<Effects, (typeof PLAIN_EFFECTS)[number] | "keyed" | "once" | "failures" | "broken">;
  readonly disk: DiskImage;
}

export function keepOutside(platform: FakePlatform): Outside {
  const { effects } = platform;
  return {
    fields: pick(platform, FIELDS),
    lists: {
      published: [...platform.published],
      drafts: [...platform.drafts],
      requests: [...platform.requests],
      scheduled: [...platform.scheduled],
      dropped: [...platform.dropped],
      unread: [...platform.unread],
    },
    begun: [...platform.begun],
    told: [...platform.receiver.told],
    chat: platform.chat?.keep() ?? null,
    effects: {
      ...pick(effects, PLAIN_EFFECTS),
      keyed: new Map(effects.keyed),
      once: [...effects.once],
      failures: new Map([...effects.failures].map(([tool, left]) => [tool, [...left]])),
      broken: new Map(effects.broken),
    },
    disk: platform.disk.keep(),
  };
}

/** Makes a new platform of the same script what the other was outside its isolate. The isolate stands up afterwards. */
export function becomeAs(
  platform: FakePlatform,
  { fields, lists, begun, told, chat, effects, disk }: Outside,
): void {
  Object.assign(platform, fields);
  for (const list of LISTS) refill<unknown>(platform[list], lists[list]);
  refill(platform.observer.begun, begun);
  refill(platform.receiver.told, told);
  if (chat !== null) platform.chat?.become(chat);
  Object.assign(platform.effects, pick(effects, PLAIN_EFFECTS));
  refill(platform.effects.once, effects.once);
  refillMap(platform.effects.keyed, effects.keyed);
  refillMap(platform.effects.broken, effects.broken);
  refillMap(
    platform.effects.failures,
    new Map([...effects.failures].map(([tool, left]) => [tool, [...left]])),
  );
  platform.disk.become(disk);
}

function pick<Whole, Name extends keyof Whole>(whole: Whole, names: readonly Name[]): Pick<Whole, Name> {
  return Object.fromEntries(names.map((name) => [name, whole[name]])) as Pick<Whole, Name>;
}

function refill<Item>(list: Item[], items: readonly Item[]): void {
  list.length = 0;
  for (const item of items) list.push(item);
}

function refillMap<Value>(map: Map<string, Value>, items: ReadonlyMap<string, Value>): void {
  map.clear();
  for (const [name, value] of items) map.set(name, value);
}
