import { fetchLog, say, watch, type Logged, type Watcher } from "../clients/log.ts";
import type { TestServer } from "../clients/server.ts";
import { signal } from "../clients/signal.ts";
import { ANSWER_STEP, RUN } from "./plan.ts";
import {
  approvalOf,
  awaitsPerson,
  holdFor,
  isEnd,
  KILLS,
  POINTS,
  SESSIONS,
  type Kill,
  type Point,
} from "./points.ts";
import type { Harness } from "./harness.ts";

/** One session, killed at one of its points. */
export interface Hit {
  readonly session: string;
  readonly point: Point;
  /** number of the life that ended so, from 0 */
  readonly life: number;
  /** effects that were certainly being performed: their requests were held */
  readonly held: readonly string[];
}

/** One life of the server. Times in milliseconds since the epoch. */
export interface Life {
  readonly launchedAt: number;
  /** when it said that it listens; null when it was killed before */
  readyAt: number | null;
  /** null for the last one */
  killedAt: number | null;
}

export interface Evidence {
  readonly hits: readonly Hit[];
  readonly lives: readonly Life[];
  /** entries that clients were shown before a kill, by session */
  readonly shown: ReadonlyMap<string, readonly Logged[]>;
}

/** of waiting for sessions to come to their points */
const PARK_MS_MAX = 120_000;

/**
 * Drives all sessions through their runs and kills the server each time that all of them are at their next point.
 * Between a kill and the moment when a session is heard by the servers of the test, nobody touches it, unless it waits
 * for a person: it must go on by itself. `hangUp` drops what the dead server had sent to those of the test, so that none
 * of it is taken for a sign of the next life.
 */
export async function runStress(
  server: TestServer,
  harness: Harness,
  hangUp: () => Promise<unknown>,
): Promise<Evidence> {
  const hits: Hit[] = [];
  const lives: Life[] = [{ launchedAt: Date.now(), readyAt: Date.now(), killedAt: null }];
  const shown = new Map<string, Logged[]>(SESSIONS.map((session) => [session, []]));
  const watchers: [string, Watcher][] = [];
  /** steps whose approvals nobody has decided, by session */
  const asking = new Map<string, number>();
  const over = new Set<string>();
  let points = new Map<string, Point>();
  let people: Promise<void>[] = [];
  let ready: Promise<void> = Promise.resolve();

  async function observe(session: string): Promise<Watcher> {
    const watcher = await watch(server.url, session);
    watchers.push([session, watcher]);
    return watcher;
  }

  async function logged(session: string, kind: string, step: number): Promise<void> {
    const watcher = await observe(session);
    const log = await fetchLog(server.url, session);
    shown.get(session)?.push(...log);
    const isIt = isEntry(kind, step);
    if (!log.some(isIt)) await watcher.saw(kind, isIt);
  }

  async function sayYes(session: string, step: number): Promise<void> {
    const response = await fetch(`${server.url}/api/sessions/${session}/approvals/${approvalOf(step)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "approve" }),
    });
    if (!response.ok) throw new Error(`${session}: ${response.status} ${await response.text()}`);
  }

  // A person who says yes as soon as there is something to decide, but where the point is about just that.
  harness.onPass = (session, spot) => {
    if (spot.at !== "tool" || spot.phase !== "preview" || isAbout(points.get(session), spot.step)) return;
    people.push(logged(session, "approval_requested", spot.step).then(() => sayYes(session, spot.step)));
  };

  /** Resolves when the session stands where it can be killed, or where its last move begins. */
  async function park(session: string, point: Point): Promise<void> {
    const undecided = asking.get(session);
    if (undecided !== undefined) {
      await ready;
      asking.delete(session);
      await sayYes(session, undecided);
    }
    if (holdFor(point) === null) return;
    await harness.reached(session);
    if (point.at === "asking" || point.at === "decided") {
      harness.release(session, "pass");
      await logged(session, "approval_requested", point.step);
    }
    if (point.at === "ended") {
      harness.release(session, "pass");
      await logged(session, "run_ended", ANSWER_STEP);
    }
  }

  /** Triggers the events that cannot be paused: the kill races with them. */
  async function makeLastMove(session: string, point: Point): Promise<void> {
    if (point.at === "said") {
      harness.release(session, "wall");
      await say(server.url, session, session, messageOf(session));
    }
    if (point.at === "seen") {
      const watcher = await observe(session);
      const came = watcher.saw(point.kind, isEntry(point.kind, point.step));
      harness.release(session, "wall");
      await came;
    }
    if (point.at === "decided") {
      harness.release(session, "wall");
      await sayYes(session, point.step);
    }
  }

  function expectAll(next: Map<string, Point>): void {
    points = next;
    for (const [session, point] of points) harness.expect(session, holdFor(point) ?? (() => false));
  }

  async function parkAll(): Promise<void> {
    const missing = new Set(points.keys());
    const parking = [...points].map(([session, point]) =>
      park(session, point).then(() => void missing.delete(session)),
    );
    await within(PARK_MS_MAX, Promise.all(parking), () => `not at their points: ${[...missing].join(", ")}`);
    await Promise.all(people);
    people = [];
  }

  async function kill(): Promise<void> {
    const life = lives.at(-1);
    if (life !== undefined) life.killedAt = Date.now();
    await server.kill();
    await hangUp();
    for (const [session, watcher] of watchers.splice(0)) {
      watcher.close();
      shown.get(session)?.push(...watcher.entries);
    }
    const held = harness.clear();
    for (const [session, point] of points) {
      const effects = held.get(session) ?? [];
      // A session that the boot had not come to was not hit at a point of its own.
      if (point.at === "boot" && effects.length === 0) continue;
      hits.push({ session, point, life: lives.length - 1, held: effects });
      if (awaitsPerson(point) && "step" in point) asking.set(session, point.step);
      if (isEnd(point)) over.add(session);
    }
  }

  /** `starting` is called when the runtime is being started. */
  function launch(starting: () => void = () => {}): void {
    const life: Life = { launchedAt: Date.now(), readyAt: null, killedAt: null };
    lives.push(life);
    const onLine = (line: string) => {
      if (line.includes("Starting local server")) starting();
    };
    ready = server.launch(onLine).ready.then(() => void (life.readyAt = Date.now()));
    // A kill before that ends the wait; who needs the server waits for it by itself.
    ready.catch(() => {});
  }

  let round = 0;
  const pointsOf = (kill: Kill): Map<string, Point> => {
    const sessions = SESSIONS.filter((session) => !over.has(session));
    if (kill !== "points")
      return new Map(sessions.filter((one) => !asking.has(one)).map((session) => [session, { at: "boot" }]));
    const at = round;
    round += 1;
    return new Map(
      sessions.flatMap((session) => {
        const point = POINTS[session]?.[at];
        return point === undefined ? [] : [[session, point] as const];
      }),
    );
  };

  for (const [index, how] of KILLS.entries()) {
    expectAll(pointsOf(how));
    const starting = signal();
    if (index > 0) launch(starting.fire);
    else
      for (const [session, point] of points)
        if (point.at !== "said") await say(server.url, session, session, messageOf(session));
    if (how === "starting") await starting.came;
    else if (how === "first") await Promise.race([...points.keys()].map((one) => harness.reached(one)));
    else await parkAll();
    await Promise.all([...points].map(([session, point]) => makeLastMove(session, point)));
    await kill();
  }
  expectAll(new Map(SESSIONS.filter((one) => !over.has(one)).map((session) => [session, { at: "ended" }])));
  launch();
  await parkAll();
  for (const [session, watcher] of watchers.splice(0)) {
    watcher.close();
    shown.get(session)?.push(...watcher.entries);
  }
  return { hits, lives, shown };
}

/** Id of the one message of a session. */
export const messageOf = (session: string): string => `message-${session}`;

const isEntry =
  (kind: string, step: number) =>
  (entry: Logged): boolean =>
    entry.kind === kind && entry.step === `${RUN}s${step}`;

/** True if a point is about the approval of this step, so nobody else may decide it. */
function isAbout(point: Point | undefined, step: number): boolean {
  if (point?.at === "asking" || point?.at === "decided") return point.step === step;
  return point?.at === "seen" && point.kind === "approval_requested" && point.step === step;
}

async function within<Value>(ms: number, work: Promise<Value>, why: () => string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(why())), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
