import { defineAgent, type Agent } from "../../../src/cairn/agents/define.ts";
import { tablesWith } from "../../../src/cairn/session/storage/tables.ts";
import { CHANNEL_TABLES } from "../../../src/plugins/channels/session/tables.ts";
import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import { DAY_CAPS, type DayCaps } from "../../../src/cairn/core/guards/budget/admit.ts";
import { RUN_LIMITS } from "../../../src/cairn/core/limits.ts";
import type { Address } from "../../../src/cairn/core/address.ts";
import type { QuietTimes } from "../../../src/cairn/core/quiet.ts";
import type { ChannelSender } from "../../../src/plugins/channels/session/sender.ts";
import type { ShownCards } from "../../../src/plugins/channels/session/shown-cards.ts";
import type { Digest, PeopleReader } from "../../../src/cairn/session/background/notes.ts";
import type { ApprovalRules } from "../../../src/cairn/core/log/approval.ts";
import type { Entry, Limits } from "../../../src/cairn/core/log/entry.ts";
import type { Dialect, Model, ModelRequest } from "../../../src/cairn/core/log/model.ts";
import type { RunPolicy } from "../../../src/cairn/core/log/run.ts";
import { NO_HOOKS, type Hooks } from "../../../src/cairn/core/loop/hooks.ts";
import { receiveDecision } from "../../../src/cairn/core/loop/receive-decision.ts";
import { receiveCancel, receiveSend, type SendMessage } from "../../../src/cairn/core/loop/receive.ts";
import type { PriceList, WindowList } from "../../../src/cairn/core/model-tables.ts";
import type { PlainWords } from "../../../src/cairn/core/guards/words.ts";
import type { TranscriptPolicy } from "../../../src/cairn/core/prompt/transcript.ts";
import { WORDS } from "../../../src/plugins/plain-words/words.ts";
import { fold } from "../../../src/cairn/core/state/apply.ts";
import { EMPTY_STATE, type State } from "../../../src/cairn/core/state/state.ts";
import type { Secret } from "../../../src/cairn/core/text/redact.ts";
import type { SessionApi } from "../../../src/cairn/session/commands/commands.ts";
import type { CommandDeps } from "../../../src/cairn/session/commands/create-commands.ts";
import type { SessionService } from "../../../src/cairn/session/commands/service.ts";
import type { ScheduleView } from "../../../src/cairn/session/api/session-api.ts";
import type { SessionOutbox } from "../../../src/cairn/session/background/outbox.ts";
import type { ScheduleStore } from "../../../src/cairn/session/background/schedules.ts";
import type { OutboxSender } from "../../../src/cairn/session/background/outbox-sender.ts";
import type { Engine } from "../../../src/cairn/session/engine/engine.ts";
import type { PlacedDraft } from "../../../src/cairn/session/engine/ports.ts";
import { earlier } from "../../../src/cairn/session/engine/transaction.ts";
import type { SessionFamily } from "../../../src/cairn/session/family/family.ts";
import type { SocketHub } from "../../../src/cairn/session/sockets/hub.ts";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import type { Pack } from "../../../src/cairn/tools/define.ts";
import type { Registry } from "../../../src/cairn/tools/registry.ts";
import type { People } from "../../../src/cairn/config/rights.ts";
import type { Chat } from "../channels/chat.ts";
import type { World } from "../family/world.ts";
import { SimDisk } from "../../../src/cairn/testing/disk.ts";
import { scriptedModel, watchedModel, type Line } from "./fake-model.ts";
export type { Line } from "./fake-model.ts";
import { standUp } from "./isolate.ts";
import { Observer, type Begun } from "./observer.ts";
import { Receiver } from "./receiver.ts";
import type { ServerSocket } from "./socket.ts";
import { simPack, type Effects } from "./tools.ts";

/** whoever decides in `decide` */
const ADA = { subject: "ada", owner: true, admin: false };
const SIM_TOOLS = simPack.tools.map(({ definition }) => definition.name);
const NO_SECRETS: readonly Secret[] = [];

/** Tables of the session and of its part for channels. */
const TABLES = tablesWith([{ name: "channels", tables: CHANNEL_TABLES }]);

/** One session on a simulated platform. Time moves only when the test moves it. */
export class FakePlatform {
  now = 1_700_000_000_000;
  /** its name */
  readonly session: string;
  /** where its relatives live; null where it has none */
  readonly world: World | null;
  readonly disk = new SimDisk(() => this.now, TABLES);
  readonly published: Entry[] = [];
  readonly drafts: PlacedDraft[] = [];
  readonly requests: ModelRequest[] = [];
  readonly effects: Effects = {
    keyed: new Map(),
    once: [],
    reads: 0,
    searches: 0,
    failures: new Map(),
    broken: new Map(),
    onTool: null,
    cross: (where) => this.cross(where),
    bulk: "",
    outside: "",
  };
  script: (request: ModelRequest, index: number) => Line;
  /** called in the middle of a model call, after its first text */
  onModel: ((request: ModelRequest) => void | Promise<void>) | null = null;
  /** called between two pieces of a streamed reply */
  onPiece: (() => void) | null = null;
  wakes = 0;
  readonly observer = new Observer(this);
  /** whoever is told of the session by webhook */
  readonly receiver = new Receiver(this);
  /** people on channels; null where the deployment has none. Takes effect with the next isolate */
  chat: Chat | null = null;
  /** how its people are told, and where they are told of what waits; null for the page alone */
  times: QuietTimes = { zone: null, quiet: null };
  ask: Address | null = null;
  /** sockets that are open; a crash closes them, hibernation does not */
  readonly sockets = new Set<ServerSocket>();
  transcript: TranscriptPolicy = "compact";
  /** by which requests and answers are read */
  plainWords: PlainWords = WORDS;
  /** in which its models are asked */
  dialect: Dialect = "native";
  windows: WindowList = {};
  /** whether there is a tool that sends the person a message, from the next isolate on */
  tells = false;
  /** whether there are the tools by which a run schedules something, from the next isolate on */
  plans = false;
  hooks: Hooks = NO_HOOKS;
  /** what its agent says of stuck runs and open questions; takes effect with the next isolate */
  policy: Partial<RunPolicy> | null = null;
  /** as an agent says who decides what; takes effect with the next isolate */
  approvals: { readonly [tool: string]: ApprovalRules } = {};
  /** who may log in now; null: nobody's rights end */
  logins: People | null = null;
  /** as an agent lists them */
  admins: readonly string[] | null = null;
  /** whether a model names the class of its runs, and their plan comes first; takes effect with the next isolate */
  prepared = false;
  unattended: readonly string[] = [];
  /** places that runs which nobody asked for may write to */
  reachable: readonly string[] = [];
  /** a run begins in an alarm of its own */
  anew = false;
  /** without the tools of the simulation, from the next isolate on */
  bare = false;
  /** adds tools of a test's own, from the next isolate on */
  own: ((tools: Registry) => void) | null = null;
  /** other versions of tools than 1, as after a deployment */
  versions: Readonly<Record<string, number>> = {};
  secrets: readonly Secret[] = NO_SECRETS;
  /** with what links to approvals are signed, and where they lead; from the next isolate on */
  links: { readonly secrets: readonly string[]; readonly origin: string } | null = null;
  /** the static prefix of every prompt */
  words = "You are Cairn.";
  prices: PriceList = {};
  day: DayCaps = DAY_CAPS;
  /** the deployment lacks something that every run needs */
  broken = false;
  /** called at every crossing of a port; throwing a Crash there kills the isolate */
  cross: (where: string) => void = () => {};
  store!: SqlStore;
  engine!: Engine;
  /** what is made of commands, for a test that makes others of it */
  commands!: CommandDeps;
  /** the one way in for people */
  api!: SessionApi;
  service!: SessionService;
  hub!: SocketHub;
  outbox!: SessionOutbox;
  outboxSender!: OutboxSender;
  sender!: ChannelSender | null;
  cards!: ShownCards;
  scheduleStore!: ScheduleStore;
  digest!: Digest;
  loadDue!: () => Promise<void>;
  people!: PeopleReader;
  family!: SessionFamily | null;
  /** ids of schedules that were reported as unreadable */
  readonly unread: string[] = [];
  /** schedules as they were answered to whoever made them */
  readonly scheduled: ScheduleView[] = [];
  /** schedules that somebody deleted: since when they tried, and the head of the log when they knew it done */
  readonly dropped: { readonly id: string; readonly from: number; readonly head: number | null }[] = [];
  /** ids that were given to what people do */
  ids = 0;
  readonly #model: Model;

  /** A script stands for a model that says it; a real model is called as it is. `world`: where its relatives live. */
  constructor(
    script: readonly Line[] | ((request: ModelRequest, index: number) => Line) | Model,
    session = "ses",
    world: World | null = null,
  ) {
    this.session = session;
    this.world = world;
    this.disk.cross = (where) => this.cross(where);
    this.#model =
      typeof script !== "function" && "call" in script ? watchedModel(this, script) : scriptedModel(this);
    this.script =
      typeof script === "function"
        ? script
        : (_request, index) => ("call" in script ? undefined : script[index]) ?? { text: "Nothing more." };
    this.#boot();
  }

  /** entries as they were seen on disk before: none of them may ever read otherwise */
  observed: readonly string[] = [];
  /** entries that another version of the code has written: what they tell of did not happen on this platform */
  inherited = 0;
  /** alarms that the platform has lost */
  alarmsLost = 0;

  /** The isolate dies; a new one stands on the same disk. The alarm that was being handled fires again. */
  restart(): void {
    this.observed = this.entries;
    if (this.disk.firing !== null) this.disk.alarm ??= this.disk.firing;
    this.disk.firing = null;
    this.#boot();
  }

  /** Another version of the code has written these entries and this snapshot; the isolate stands up on them a second later. */
  inherit(entries: readonly Entry[], state: State): void {
    this.store.appendEntries(entries);
    this.store.saveCursor({ state, claimNo: 9, claim: null, armedAt: null, alarmFloor: 0 });
    this.inherited = entries.length;
    this.now = state.at + 1_000;
    this.restart();
  }

  /** Nobody asks it any more: what it holds is given to the next. */
  close(): void {
    this.disk.close();
    this.chat?.close();
  }

  /** The platform forgets the alarm that it should fire now. */
  loseAlarm(): void {
    this.disk.alarm = null;
    this.alarmsLost++;
  }

  /** The isolate is put to sleep and stands up again: sockets stay open, memory is gone. */
  hibernate(): void {
    if (this.engine.isAwake) throw new Error("nothing hibernates in the middle of an effect");
    this.restart();
  }

  /** When there is something to do that needs nobody; null when there is nothing. */
  get due(): number | null {
    return earlier(this.dueRun, earlier(this.outbox.due(), this.scheduleStore.due()));
  }

  /** As `due`, of the run, told from the state alone. */
  get dueRun(): number | null {
    const { run, held, queue } = this.state;
    if (run === null) return queue.length > 0 && !held ? this.now : null;
    const { phase } = run;
    if (run.cancel !== null) return this.now;
    if (phase.at === "waiting_approval") return phase.approval.expiresAt;
    if (phase.at === "waiting_human") return phase.question.expiresAt;
    if (phase.at === "waiting_client") return phase.client.expiresAt;
    return phase.at === "waiting_retry" ? phase.until : this.now;
  }

  /** True if an alarm is set for the next due time; a lost alarm is not the session's fault. */
  get armedAsDue(): boolean {
    const { due } = this;
    if (due === null || this.engine.isAwake) return true;
    const { alarm } = this.disk;
    if (alarm === null) return this.alarmsLost > 0;
    return alarm !== Number.NEGATIVE_INFINITY && alarm <= Math.max(due, this.now) + 60_000;
  }

  /** True if work is due soon. */
  get busy(): boolean {
    return this.due !== null && this.due <= this.now + 60_000;
  }

  /** True if work is due that no alarm will start. */
  get restless(): boolean {
    const { alarm } = this.disk;
    return this.due !== null && this.due <= this.now && (alarm === null || alarm < this.now);
  }

  /** As the deployment reads it from outside of the session. */
  readTimes(): Promise<QuietTimes> {
    return Promise.resolve(this.times);
  }

  #boot(): void {
    this.store = new SqlStore(this.disk);
    Object.assign(this, standUp(this, this.#model));
    this.hub.boot();
  }

  /** The static prefix of every prompt. */
  instructions(_modules: readonly string[] = []): string {
    if (this.broken) throw new Error("there is no such module");
    return this.words;
  }

  /** every effect that was ever begun, over all lives of the isolate */
  get begun(): readonly Begun[] {
    return this.observer.begun;
  }

  get state(): State {
    return this.engine.log.state();
  }

  /** The entries of the log as they stand on disk. */
  get entries(): string[] {
    return this.disk
      .exec("SELECT * FROM entries ORDER BY seq")
      .map((entry) => Object.values(entry).join("\u0000"));
  }

  get log(): Entry[] {
    return this.store.entriesAfter(0, 10_000);
  }

  get kinds(): string[] {
    return this.log.map((entry) => entry.kind);
  }

  /** The snapshot on disk is what the log folds to. */
  get folded(): State {
    return fold(EMPTY_STATE, this.log);
  }

  /** The agent of its runs, as its fields say it now. */
  agent(): Agent {
    const { approvals, unattended, prepared } = this;
    const { spec, ...agent } = defineAgent({
      description: "The agent of the simulation.",
      classLabel: prepared,
      planFirst: prepared,
      approvals,
      unattended,
      // A session in a tree may start others, so its list has run_agent.
      ...(this.world === null ? {} : { tools: [...SIM_TOOLS, "run_agent"] }),
    });
    return { ...agent, hooks: this.hooks, spec: { ...spec, policy: { ...spec.policy, ...this.policy } } };
  }

  /** As of a deployment that has set all limits and the class, but for what is said here. */
  say(
    text: string,
    { limits = {}, ...more }: Partial<SendMessage> & { readonly limits?: Partial<Limits> } = {},
  ): ReturnType<typeof receiveSend> {
    return this.engine.record((tx) => {
      const received = receiveSend(tx.state, {
        id: `m${++this.ids}`,
        author: "ada",
        source: "api",
        parts: [{ type: "text", text }],
        mode: "queue",
        request: null,
        model: "rehearsal:",
        fallbacks: [],
        wanted: { limits: { ...RUN_LIMITS, ...limits }, profile: "standard" },
        temperature: null,
        role: "member",
        spec: { ...PLAIN_SPEC, ...this.agent().spec },
        ...more,
      });
      if (received.ok) tx.append(received.entries);
      return received;
    });
  }

  /** As `say`, for a client that says a message again when it is not sure: the id is looked for in the log. */
  sayOnce(id: string, limits: Partial<Limits>, model = "rehearsal:"): void {
    this.service.admitOrCreate({ subject: "ada", scopes: ["read", "send", "approve"], via: "http" });
    if (this.log.some((entry) => entry.kind === "user_message" && entry.body.id === id)) return;
    this.say(`Words of ${id}.`, { id, limits, model });
  }

  /** Gives the deployment secrets; it is deployed anew. */
  protect(secrets: readonly Secret[]): void {
    this.secrets = secrets;
    this.restart();
  }

  decide(
    decision: "approve" | "deny",
    reason: string | null = null,
    digest: string | null = null,
  ): ReturnType<typeof receiveDecision> {
    return this.engine.record((tx) => {
      const phase = tx.state.run?.phase;
      const approval = phase?.at === "waiting_approval" ? phase.approval.approval : "none";
      const received = receiveDecision(
        tx.state,
        { approval, decision, voter: ADA, via: "http", reason, digest, edited: null },
        tx.at,
      );
      if (received.ok) tx.append(received.entries);
      return received;
    });
  }

  cancel(reason: string | null = null): readonly string[] {
    return this.engine.record((tx) => {
      const { entries, cancelled } = receiveCancel(tx.state, {
        id: `c${++this.ids}`,
        actor: "ada",
        run: null,
        all: true,
        reason,
      });
      tx.append(entries);
      return cancelled;
    });
  }

  /** Fires the alarm if it is due, as the platform does: the entry is gone while its handler runs. */
  async fire(): Promise<boolean> {
    const { alarm } = this.disk;
    if (alarm === null || alarm === Number.NEGATIVE_INFINITY || alarm > this.now) return false;
    await this.loadDue();
    this.disk.alarm = null;
    this.disk.firing = alarm;
    this.wakes++;
    await this.engine.wake();
    await this.outboxSender.work();
    await this.family?.work();
    this.disk.firing = null;
    return true;
  }

  /** Lets time run from alarm to alarm until none is armed or it lies more than `patience` ahead. */
  async settle(patience = 60_000, wakesMax = 500): Promise<void> {
    for (let wakes = 0; wakes < wakesMax; wakes++) {
      const { alarm } = this.disk;
      if (alarm === null || alarm === Number.NEGATIVE_INFINITY || alarm > this.now + patience) return;
      this.now = Math.max(this.now, alarm);
      await this.fire();
    }
    throw new Error(`the session does not come to rest in ${wakesMax} wakes`);
  }
}

/** A platform whose agent has the tools of this pack. The model says one line of the script in each step. */
export function platformWith<Env, Services>(
  pack: Pack<Env, Services>,
  env: Env,
  script: readonly Line[],
): FakePlatform {
  const platform = new FakePlatform(script);
  platform.own = (tools) => tools.add(pack, env);
  platform.restart();
  return platform;
}
