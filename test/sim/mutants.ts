import { CHANNEL_MUTANTS } from "./channels/mutants.ts";
import { RESEARCH_MUTANTS } from "./scripts/research-mutants.ts";

/**
 * Known faults of a durable loop. Each is put into the source as it is loaded, and must be found by the invariant that is
 * meant to find it: what shows that the simulation would notice. A change of the source that makes one of them
 * inapplicable fails the check, so that none goes stale.
 */
export interface Mutant {
  readonly name: string;
  /** text that stands exactly once in the file, and what stands there instead */
  readonly edits: readonly (readonly [file: string, find: string, replace: string])[];
  /** name of the invariant that must find it */
  readonly caught: string;
  /** random days of the site show it, not a script */
  readonly site?: true;
  /** seed of a random day of the site that shows it: tried before all others, so that the hunt is short */
  readonly day?: number;
  /** a tree of sessions shows it, not a script */
  readonly tree?: true;
  /** beginning of the name of the script that shows it; all of them in their order when left out */
  readonly script?: string;
}

const LABELLED = "a model names the class of a run at most once, before it begins";
const LABEL = "src/cairn/core/loop/class-label.ts";
const APPLY = "src/cairn/core/state/apply.ts";
const ENGINE = "src/cairn/session/engine/engine.ts";
const WAKE_WORK = "src/cairn/session/engine/wake-work.ts";
const CLIENT_TOOLS = "src/cairn/tools/client-tools.ts";
const GOVERNED = "src/cairn/tools/governed.ts";
const LOG_WRITER = "src/cairn/session/engine/transaction.ts";
const EFFECTS = "src/cairn/session/engine/claim.ts";
const OUTCOMES = "src/cairn/session/engine/record-outcome.ts";
const MESSAGES = "src/cairn/session/commands/messages.ts";
const SERVICE = "src/cairn/session/commands/service.ts";
const RECEIVE = "src/cairn/core/loop/receive.ts";
const NEXT = "src/cairn/core/loop/next.ts";
const QUEUE = "src/cairn/core/state/queue.ts";
const USED = "src/cairn/core/state/run/used.ts";
const APPROVALS = "src/cairn/core/state/run/apply-approval.ts";
const APPROVING = "src/cairn/core/guards/approval-rules.ts";
const DECISION = "src/cairn/core/loop/receive-decision.ts";
const DECISIONS = "src/cairn/session/commands/approvals.ts";
const TIMELY = "time asks more people once, and never says yes or expires early";
const AGREED = "as many people as needed agree to the very arguments, each of whom may";
const RECEIPT = "src/cairn/core/guards/review/receipt.ts";
const RUN_RECEIPT = "src/cairn/core/guards/review/run-receipt.ts";
const ACCOUNT = "src/cairn/core/guards/budget/amounts.ts";
const OUTBOX = "src/cairn/session/background/outbox.ts";
const BOOK = "src/cairn/session/background/schedules.ts";
const STORE = "src/cairn/session/storage/store.ts";
const KEPT = "what memory keeps is what stands on the disk";
const TOLD = "others are told";

const BOUNDED = "every run ends in a bounded number of wakes";
const GATED = "a decision on the very arguments precedes a gated execution";

export const MUTANTS: readonly Mutant[] = [
  {
    name: "a model is asked anew for a class when its call has died",
    edits: [
      [WAKE_WORK, " && tx.state.label?.run !== then.queued.run;", ";"],
      [LABEL, "state.label?.run === queued.run || ", ""],
    ],
    caught: LABELLED,
    script: "a run whose class a model names",
  },
  {
    name: "a call for a class that died is forgotten",
    edits: [[WAKE_WORK, "} else tx.append(lostLabel(tx.state));", "}"]],
    caught: LABELLED,
    script: "a run whose class a model names",
  },
  {
    name: "what the call for its class has cost is no cost of the run",
    edits: [[APPLY, "{ ...NOTHING_USED, usage: usedBefore(state, queued.run) }", "NOTHING_USED"]],
    caught: "a run is charged with all that it used",
    script: "a run whose class a model names",
  },
  {
    name: "a run has every tool, whatever its specification names",
    edits: [[GOVERNED, "    if (tools === null) return;\n", "    return;\n"]],
    caught: "nothing is done that the specification of its run leaves out",
    script: "a run that was given one tool",
  },
  {
    name: "a gate that was asked for is not there",
    edits: [
      [
        GOVERNED,
        "known.set(name, withApprovals(card, { alwaysAsk: true, remember: [] }))",
        "known.set(name, card)",
      ],
    ],
    caught: "nothing is done that the specification of its run leaves out",
    script: "a run that has a person asked",
  },
  {
    name: "what a run denies itself is offered",
    edits: [
      [GOVERNED, 'if (gate === "deny") this.#withhold', 'if (gate === "deny") void this.#withhold.bind'],
    ],
    caught: "nothing is done that the specification of its run leaves out",
    script: "a run that has a person asked",
  },
  {
    name: "a run works under the tools of the deployment, not its own",
    edits: [[ENGINE, "const made = { ...this.#ports, ...partsOf(spec) };", "const made = this.#ports;"]],
    caught: "nothing is done that the specification of its run leaves out",
    script: "a run that was given one tool",
  },
  {
    name: "any value is taken",
    edits: [
      [GOVERNED, "return checkInput(card, this.#value, input, form);", "return { ok: true, card, input };"],
    ],
    caught: "an answer has a value exactly where one was asked for",
    script: "a run that ends with a value",
  },
  {
    name: "an answer of a model has the receipt of another run",
    edits: [[RUN_RECEIPT, "...receiptOf(run.run, entries)", '...receiptOf("r0", entries)']],
    caught: "every answer has the receipt of its run",
  },
  {
    name: "a failed effect stands as done on the receipt",
    edits: [[RECEIPT, 'call.status === "ok" && call.effect !== "read"', 'call.effect !== "read"']],
    caught: "a run whose effects all failed has changed nothing, by its receipt",
  },
  {
    name: "no intent is written before a tool runs",
    edits: [[EFFECTS, "  tx.append(intents);\n", ""]],
    caught: "an intent precedes every execution",
    script: "three tools",
  },
  {
    name: "a retry of a call writes no intent of its own",
    edits: [
      [
        EFFECTS,
        "  tx.append(intents);\n",
        '  if (intents.every((entry) => entry.kind === "call_intended" && entry.body.attempt === 1)) tx.append(intents);\n',
      ],
    ],
    caught: "each execution has an intent of its own",
    script: "a keyed tool that fails",
  },
  {
    name: "an approval is not asked for",
    edits: [
      [
        NEXT,
        'if (decision === null && call.attempts === 0 && permissionOf(run, call).act !== "allow")',
        "if (call.previewInterruptions < 0)",
      ],
    ],
    caught: GATED,
    script: "an approval given",
  },
  {
    name: "a denied call is run",
    edits: [
      [
        NEXT,
        'if (decision?.decision === "deny" || decision?.decision === "expired")',
        "if (call.interruptions < 0)",
      ],
    ],
    caught: GATED,
    script: "an approval denied",
  },
  {
    name: "the yes is not bound to the arguments",
    edits: [
      [EFFECTS, "if (args === null || changed || unapproved) {", "if (args === null) {"],
      [APPROVALS, 'decision === "edit" ? editCalls(phase.calls, entry) : phase.calls', "phase.calls"],
    ],
    caught: GATED,
    script: "an approval edited",
  },
  {
    name: "a vote counts as often as it is given",
    edits: [
      [DECISION, 'if (decision === "approve" && votes.includes(voter.subject))', "if (votes.length > 99)"],
      [
        DECISIONS,
        'if (found.state !== "pending" || isRepeated(found, actor, { ...command, args }))',
        'if (found.state !== "pending" && isRepeated(found, actor, { ...command, args }))',
      ],
      [
        DECISIONS,
        'if (found.state !== "pending" || isRepeated(found, actor, command))',
        'if (found.state !== "pending" && isRepeated(found, actor, command))',
      ],
    ],
    caught: AGREED,
    script: "three people agree",
  },
  {
    name: "a change keeps the votes for what was asked before",
    edits: [[APPROVALS, "votes: [actor] }", "votes: [...votes, actor] }"]],
    caught: AGREED,
    script: "three people agree",
  },
  {
    name: "more people are asked, and given no time",
    edits: [[APPROVALS, "{ ...open, approvers, expiresAt }", "{ ...open, approvers }"]],
    caught: TIMELY,
    script: "an approval that is asked of more",
  },
  {
    name: "a remembered yes is used in a tainted run",
    edits: [[APPROVING, "run.safety.taint.tainted !== null", "run.safety.taint.tainted === undefined"]],
    caught: "a remembered decision decides only where it holds",
    script: "a yes that holds",
  },
  {
    name: "a remembered decision outlives a clear",
    edits: [
      [SERVICE, "this.#store.saveMeta({ ...meta, policies: [] })", "this.#store.saveMeta({ ...meta })"],
    ],
    caught: "what is remembered is what the log says",
    script: "a yes that holds",
  },
  {
    name: "entries are published before they are committed",
    edits: [
      [
        LOG_WRITER,
        "        transaction.save();\n",
        "        transaction.save();\n        this.#audience.committed(transaction.appended, transaction.state);\n        transaction.appended.length = 0;\n",
      ],
    ],
    caught: "a caught-up client has the log of the disk",
    script: "three tools",
  },
  {
    name: "what is committed is not published",
    edits: [[LOG_WRITER, "        this.#unpublished.push(...done.appended);\n", ""]],
    caught: "what is on disk reaches every client at once",
    script: "a plain answer",
  },
  {
    name: "entries, state and alarm are not written together",
    edits: [
      [LOG_WRITER, "this.#store.transaction(() => {", "((body: () => Result): Result => body())(() => {"],
    ],
    caught: "no error comes out",
    script: "a plain answer",
  },
  {
    name: "a touch does not arm a lost alarm again",
    edits: [
      [
        ENGINE,
        "if (armed !== null && armed > at - OVERDUE_MS) return;",
        "if (armed !== null || armed === null) return;",
      ],
    ],
    caught: BOUNDED,
    script: "a plain answer",
  },
  {
    name: "a wake that finds an old claim gives up",
    edits: [
      [
        WAKE_WORK,
        "if (tx.claim !== null) this.#recover(tx, tx.claim.effect);",
        "if (tx.claim !== null) return null;",
      ],
    ],
    caught: "an alarm is armed while something is due",
    script: "a plain answer",
  },
  {
    name: "alarms are armed for the time of the one that is being handled",
    edits: [[LOG_WRITER, "Math.max(due, this.at + 1, alarmFloor + 1)", "Math.max(due, this.at)"]],
    caught: "alarms are armed later than the one being handled",
    script: "three tools",
  },
  {
    name: "the alarm is deleted at the end of the handler",
    edits: [
      [
        ENGINE,
        "      clearTimeout(limit);\n",
        "      clearTimeout(limit);\n      this.#ports.store.deleteAlarm();\n",
      ],
    ],
    caught: "an alarm is armed while something is due",
    script: "three tools",
  },
  {
    name: "the alarm of an ended run stays",
    edits: [
      [
        LOG_WRITER,
        "if (armedAt !== null || this.#touched) this.#store.deleteAlarm();",
        "this.#store.setAlarm(this.at + 1_000_000);",
      ],
    ],
    caught: "an idle session has no alarm",
    script: "a plain answer",
  },
  {
    name: "a message does not wake the session",
    edits: [
      [
        NEXT,
        'return then.do === "wait" ? then.until : at;',
        'return then.do === "wait" ? then.until : then.do === "begin" ? null : at;',
      ],
    ],
    caught: "an alarm is armed while something is due",
    script: "a plain answer",
  },
  {
    name: "no recovery alarm stands behind a model call",
    edits: [[EFFECTS, "  tx.armRecovery(recoveryDelay(attempt));\n  const request", "  const request"]],
    caught: "a recovery alarm stands behind every effect",
    script: "a plain answer",
  },
  {
    name: "no recovery alarm stands behind a tool",
    edits: [
      [EFFECTS, "  tx.armRecovery(recoveryDelay(Math.max(...orders.map((order) => order.attempt))));\n", ""],
    ],
    caught: "a recovery alarm stands behind every effect",
    script: "three tools",
  },
  {
    name: "a once tool is run again after a crash",
    edits: [
      [NEXT, "if (call.interruptions >= INTERRUPTIONS_MAX[call.effect]) {", "if (call.interruptions >= 3) {"],
    ],
    caught: "a once tool is started at most once per call",
    script: "three tools",
  },
  {
    name: "a crash in a tool is not noticed",
    edits: [
      [
        "src/cairn/session/engine/lost-attempts.ts",
        'return call.state.at === "running" ? [lost(call.call, "tool", call.attempts, paid)] : [];',
        "return [];",
      ],
    ],
    caught: "a once tool is started at most once per call",
    script: "three tools",
  },
  {
    name: "a crash in a model call is not counted",
    edits: [
      [
        WAKE_WORK,
        "tx.append(lostEntries(tx.state, run, effect, this.#ports.store, price));",
        "if (!/s\\d+$/.test(effect)) tx.append(lostEntries(tx.state, run, effect, this.#ports.store, price));",
      ],
    ],
    caught: "every model request is accounted for",
    script: "a plain answer",
  },
  {
    name: "a model call may be lost for ever",
    edits: [
      [
        NEXT,
        "if (open !== null && open.interruptions >= INTERRUPTIONS_MAX[why]) {",
        "if (open !== null && open.interruptions >= 1_000) {",
      ],
    ],
    caught: "claims of one effect are bounded",
    script: "a model call that always dies",
  },
  {
    name: "each attempt of a keyed call has a key of its own",
    edits: [[EFFECTS, "key: keyOf(ports, call),", "key: `${keyOf(ports, call)}.${attempt}`,"]],
    caught: "all attempts of a call carry its one key",
    script: "three tools",
  },
  {
    name: "results of a batch are written in the order in which they come",
    edits: [
      [
        OUTCOMES,
        "for (const { order, outcome } of results) {",
        "for (const { order, outcome } of results.toReversed()) {",
      ],
    ],
    caught: "results stand in the order of their calls",
    script: "three tools",
  },
  {
    name: "the result of a call is lost when it fails",
    edits: [
      [
        OUTCOMES,
        "const result = { ...failureOf(run, call, cleaned), ...logsOf(outcome), ...paidFor(call, outcome) };\n      settled.push(\n        ...settleCall(run, activeCalls(run), call, isOutside ? fenceResult(result, call.call) : result),\n      );",
        "",
      ],
    ],
    caught: BOUNDED,
    script: "a tool that fails for good",
  },
  {
    name: "the draft of a reply is not dropped by its commit",
    edits: [
      [
        WAKE_WORK,
        "recordModel(tx, run, claimed, done.outcome, ports);\n      this.#ports.store.dropDrafts();",
        "recordModel(tx, run, claimed, done.outcome, ports);",
      ],
    ],
    caught: "no draft outlives its attempt",
    script: "a plain answer",
  },
  {
    name: "those who saw the draft of a lost attempt are not told that it is withdrawn",
    edits: [
      [
        "src/cairn/protocol/stream/chunks.ts",
        'out.chunks.push({ type: "reset-step" }, stepChunk',
        "out.chunks.push(stepChunk",
      ],
    ],
    caught: "what a client shows of a run is what the log says",
    script: "a retry after a cut stream",
  },
  {
    name: "what a stopped call had said stands beside what was seen of it",
    edits: [
      [
        "src/cairn/session/engine/lost-attempts.ts",
        'return [lost(effect, "model", attempt, { cost }), ...(partial === null ? [] : [partial])];',
        'return partial === null ? [lost(effect, "model", attempt, { cost })] : [{ ...partial, body: { ...partial.body, attempt: phase.open.attempt, base: phase.open.base } } as EntryDraft];',
      ],
    ],
    caught: "no chunk comes twice",
    script: "a stop in the middle of a model call",
  },
  {
    name: "the id of a message is not kept",
    edits: [[MESSAGES, 'this.#store.remember("message", id, JSON.stringify({ digest, view }), tx.at);', ""]],
    caught: "an id changes the log once",
    script: "a plain answer",
  },
  {
    name: "the id of a stop is not kept",
    edits: [[SERVICE, 'this.#store.remember("cancel", id, JSON.stringify(stopped), tx.at);', ""]],
    caught: "an id changes the log once",
    script: "a stop that is sent again",
  },
  {
    name: "a stop is only looked at when the run is over",
    edits: [[NEXT, "  if (run.cancel !== null) {", "  if (run.cancel !== null && run.step > 90) {"]],
    caught: "no effect starts once a stop has committed",
    script: "a stop in the middle of a keyed tool",
  },
  {
    name: "nobody decides, and the run waits for ever",
    edits: [
      [NEXT, "const entry = expiryEntry(run, at);", "const entry = at < 0 ? expiryEntry(run, at) : null;"],
      [NEXT, '? { do: "wait", until: phase.approval.expiresAt }', '? { do: "wait", until: null }'],
    ],
    caught: "every run ends exactly once",
    script: "an approval that nobody gives",
  },
  {
    name: "a wait for a retry has no end",
    edits: [
      [
        NEXT,
        'if (run.phase.at === "waiting_retry" && at < run.phase.until) return',
        'if (run.phase.at === "waiting_retry") return',
      ],
    ],
    caught: BOUNDED,
    script: "a retry after 429",
  },
  {
    name: "the limit of steps is off by two",
    edits: [[ACCOUNT, "steps: run.step - (openStep(run) === null ? 0 : 1),", "steps: run.step - 2,"]],
    caught: "no limit is passed",
    script: "an answer that is forced",
  },
  {
    name: "the money of a run is not counted",
    edits: [[ACCOUNT, "cost: usage.cost ?? 0,", "cost: 0,"]],
    caught: "what a call sets aside fits into what its run has left",
    script: "a run whose money runs out",
  },
  {
    name: "a lost attempt costs nothing",
    edits: [
      [
        USED,
        "return open === null ? spend(used, cost) : charge(used, reservedUsage(open.reserved, cost ?? null));",
        "return used;",
      ],
    ],
    caught: "a run is charged with all that it used",
    script: "a run whose money runs out",
  },
  {
    name: "a person gives a run more as often as they like",
    edits: [
      [
        "src/cairn/core/loop/receive-extension.ts",
        'extended: run.used.once.includes("EXTENDED_BY_PERSON"),',
        "extended: false,",
      ],
    ],
    caught: "a run is given more by a person once",
    script: "a run that a person gives more",
  },
  {
    name: "a wait is ended that is not there",
    edits: [
      ["src/cairn/core/loop/retry.ts", 'run.phase.at !== "waiting_retry" || ', ""],
      [
        "src/cairn/session/commands/service.ts",
        'if (this.#store.seen("retry", id) !== null) return null;',
        "",
      ],
    ],
    caught: "a person ends only a wait that is there",
    script: "a wait for a provider that a person ends",
  },
  {
    name: "words that nobody read are forgotten when the run ends",
    edits: [
      ["src/cairn/core/loop/answer.ts", "if (inputIsPending(context))\n", "if (context.state.runs < 0)\n"],
      ["src/cairn/core/loop/finish.ts", "return left.flatMap(", "return left.slice(left.length).flatMap("],
    ],
    caught: "every accepted message is read, or visibly ended",
    script: "words that join beside the last answer",
  },
  {
    name: "entries are written with the secrets in them",
    edits: [
      [
        LOG_WRITER,
        "const body = this.#redact(withHint(draft).body as unknown as Json);",
        "const body = withHint(draft).body as unknown as Json;",
      ],
    ],
    caught: "no secret is in any entry, frame or prompt",
    script: "a large result",
  },
  {
    name: "secrets are looked for in each piece of a stream alone",
    edits: [
      [
        "src/cairn/session/engine/draft.ts",
        "text: this.#filter.secrets.push(text) });",
        "text: this.#redact(text) });",
      ],
    ],
    caught: "what a client shows of a run is what the log says",
    script: "a large result",
  },
  {
    name: "the whole of a large result is not kept",
    edits: [[OUTCOMES, "if (shown !== text) ports.store.saveBlob(call.call, text);", ""]],
    caught: "what was cut from a result can be read",
    script: "a large result",
  },
  {
    name: "a recovery alarm comes too late",
    edits: [[LOG_WRITER, "{ wanted: this.at + delay, early", "{ wanted: this.at + delay * 50, early"]],
    caught: "a recovery alarm stands behind every effect",
    script: "three tools",
  },
  {
    name: "the entries behind the snapshot are not folded",
    edits: [[STORE, "fold(snapshot, this.entriesBetween(snapshot.head + 1, head))", "snapshot"]],
    caught: "state equals the fold of the log",
    script: "a plain answer",
  },
  {
    name: "the stored snapshot is not the state",
    edits: [[STORE, "        JSON.stringify(state),", "        JSON.stringify({ ...state, messages: 0 }),"]],
    caught: "what memory keeps is what stands on the disk",
    script: "a long run that is summed up",
  },
  {
    name: "the snapshot lags an entry behind the log",
    edits: [
      [
        LOG_WRITER,
        "this.#store.saveCursor({ ...this.#cursor, state: this.state });",
        "this.#store.saveCursor({ ...this.#cursor, state: { ...this.state, messages: 0 } });",
      ],
    ],
    caught: "state equals the fold of the log",
    script: "a plain answer",
  },
  {
    name: "equal calls are made again",
    edits: [
      [
        "src/cairn/core/guards/check-call.ts",
        "  if (reuse !== null) return",
        "  if (reuse !== null && now.at < 0) return",
      ],
    ],
    caught: "a change that was made is not made again",
    script: "the same asked for again and again",
  },
  {
    name: "going round in circles is not noticed",
    edits: [
      [
        "src/cairn/core/guards/loops/ladder.ts",
        "if (climbed !== null)",
        "if (climbed !== null && run.step > 90)",
      ],
    ],
    caught: "a run that repeats itself ends before its steps do",
    script: "the same asked for again and again",
  },
  {
    name: "every answer is taken for done",
    edits: [
      [
        "src/cairn/core/loop/answer.ts",
        "return { finish: decideFinish(subject, words), candidate: subject.candidate, isSilent, fault: [] };",
        'return { finish: { do: "accept", text: said }, candidate: subject.candidate, isSilent, fault: [] };',
      ],
    ],
    caught: "a failure that nobody corrected is told",
    script: "a failure that is passed over",
  },
  {
    name: "private and foreign content in one run change nothing",
    edits: [
      [
        "src/cairn/core/state/safety.ts",
        'return reach === "external" && taint.tainted !== null && taint.private !== null;',
        'return reach === "external" && taint.tainted !== null && taint.tainted.seq < 0;',
      ],
    ],
    caught: "nothing reaches outside unasked after private and foreign content was read",
    script: "a page from outside",
  },
  {
    name: "what a tool brings from outside is not fenced",
    edits: [
      [
        "src/cairn/core/guards/check-result.ts",
        'if (call.access?.reads === "outside") return true;',
        "if (ended.length < 0) return true;",
      ],
    ],
    caught: "what comes from outside is data in every prompt",
    script: "a page from outside",
  },
  {
    name: "a webhook is taken for a person",
    edits: [
      [
        "src/cairn/core/guards/permissions.ts",
        'return source === "web" || source === "api" ? "user" : "autonomy";',
        'return source === "schedule" ? "autonomy" : "user";',
      ],
    ],
    caught: "nothing is done that the role and the lane do not permit",
    script: "a webhook that would write",
  },
  {
    name: "a check that fails lets the call through",
    edits: [
      [
        "src/cairn/core/guards/check-call.ts",
        'if (permit.act === "deny") return { act: "skip", verdict: permit.verdict, stored: null };',
        'if (permit.act === "deny") throw new TypeError("it is broken");',
      ],
      [
        "src/cairn/core/guards/check-call.ts",
        'return { act: "skip", verdict: guardError("before_tool", error), stored: null };',
        'if (guardError("before_tool", error).code === "GUARD_ERROR") return null;',
      ],
    ],
    caught: "nothing is done that the role and the lane do not permit",
    script: "a webhook that would write",
  },
  {
    name: "an answer that was made again stays in the conversation",
    edits: [
      [
        "src/cairn/core/state/apply.ts",
        "        answer: null,\n        inputs: item.inputs.slice(0, -1),",
        "        inputs: item.inputs.slice(0, -1),",
      ],
    ],
    caught: "a hidden answer is read by no model",
    script: "words for the live run",
  },
  {
    name: "a run is summed up before each of its steps",
    edits: [
      [
        "src/cairn/core/prompt/compaction.ts",
        "step.from > (last?.seq ?? 0)).length",
        "step.from > 0).length",
      ],
    ],
    caught: "a run is summed up again only when it has grown",
    script: "a long run that is summed up",
  },
  {
    name: "a summary swallows what the person said",
    edits: [
      [
        "src/cairn/core/prompt/compaction.ts",
        'if (entry.kind === "user_message" || entry.kind === "human_answered") return true;',
        "",
      ],
    ],
    caught: "every request of a run holds what the person said in it",
    script: "a long run that is summed up",
  },
  {
    name: "a request that is too large is sent again as it is",
    edits: [
      [
        "src/cairn/session/engine/compose-request.ts",
        'return failed.body.then === "compact" ? [failed, ...entries] : [failed];',
        "return [failed];",
      ],
    ],
    caught: "a request that was called too large is tried once more, and smaller",
    script: "a request that its provider",
  },
  {
    name: "the model's word makes an item of its plan done",
    edits: [
      [
        "src/cairn/core/entries/plan.ts",
        'if (known?.status === "doing" && known.proven)',
        "if (ids.length > 0)",
      ],
      [
        "test/sim/scripts/scripts.ts",
        'plan(item("p1", "look", "doing"), item("p2", "put", "open"))',
        'plan(item("p1", "look", "done"))',
      ],
    ],
    caught: "what is said to be done has a result behind it",
    script: "a plan that is made",
  },
  {
    name: "a plan that is made anew forgets what was done",
    edits: [["src/cairn/core/entries/plan.ts", 'if (old?.status === "done") return old;', ""]],
    caught: "a plan that was done stays done",
    script: "a plan that is made",
  },
  {
    name: "a read that died once is not tried again",
    edits: [
      [NEXT, "if (call.interruptions >= INTERRUPTIONS_MAX[call.effect]) {", "if (call.interruptions >= 1) {"],
    ],
    caught: "a crash changes nothing in how it ends",
    script: "a large result",
  },
  {
    name: "a delivery is forgotten when it is sent",
    edits: [
      [
        OUTBOX,
        '"UPDATE outbox SET tries = ?, due = ?, status = CASE ? WHEN 1 THEN ? ELSE status END WHERE id = ? AND target = ?"',
        '"DELETE FROM outbox WHERE ? > 0 AND ? > 0 AND ? < 2 AND ? < 2 AND id = ? AND target = ?"',
      ],
    ],
    caught: "every notice reaches its target, waits for its next try, or has had eight",
    script: TOLD,
  },
  {
    name: "no alarm stands for what is to be told",
    edits: [[LOG_WRITER, "earlier(wanted, this.#background.due(this.state))", "wanted"]],
    caught: "an alarm is armed while something is due",
    script: TOLD,
  },
  {
    name: "notices are written after the entries that they tell of",
    edits: [
      [
        LOG_WRITER,
        "        if (transaction.changed) this.background.wrote?.(transaction.appended, transaction.state);\n",
        "",
      ],
      [
        LOG_WRITER,
        "    const entries = this.#unpublished;\n",
        "    const entries = this.#unpublished;\n    this.#store.transaction(() => this.background.wrote?.(entries, this.#reached));\n",
      ],
    ],
    caught: "every notice reaches its target, waits for its next try, or has had eight",
    script: TOLD,
  },
  {
    name: "what was told is told again",
    edits: [
      [
        OUTBOX,
        '"DELETE FROM outbox WHERE id = ? AND target = ?"',
        '"DELETE FROM outbox WHERE id = ? AND target = ? AND 0"',
      ],
    ],
    caught: "a notice is not sent again once its outcome is on disk",
    script: TOLD,
  },
  {
    name: "a change is made beside a question",
    edits: [
      [
        "src/cairn/core/loop/judge-reply.ts",
        'if (asks && checked.card.effect !== "read"',
        'if (asks && checked.card.effect === "once"',
      ],
    ],
    caught: "nothing is changed beside a question",
    script: "a question answered, with",
  },
  {
    name: "nobody wakes when a question is over",
    edits: [[NEXT, '{ do: "wait", until: phase.question.expiresAt }', '{ do: "wait", until: null }']],
    caught: "an alarm is armed while something is due",
    script: "a question that nobody answers in time",
  },
  {
    name: "nobody wakes when the time of a client is over",
    edits: [[NEXT, '{ do: "wait", until: phase.client.expiresAt }', '{ do: "wait", until: null }']],
    caught: "an alarm is armed while something is due",
    script: "a client tool that no client answers in time",
  },
  {
    name: "a client is asked whatever its run has read",
    edits: [[CLIENT_TOOLS, 'reach: "external"', 'reach: "none"']],
    caught: "no client is asked unasked after private and foreign content was read",
    script: "a client tool after private",
  },
  {
    name: "words of a client pass for those of the deployment",
    edits: [[CLIENT_TOOLS, 'reads: "outside"', 'reads: "private"']],
    caught: "what comes from outside is data in every prompt",
    script: "a client tool called twice",
  },
  {
    name: "a call that its client may have run is told as one that was not",
    edits: [
      [
        "src/cairn/core/entries/client-call.ts",
        'unknownResult(call.tool, "Its client did not answer in time")',
        '{ ...unknownResult(call.tool, "Its client did not answer in time"), status: "error" }',
      ],
    ],
    caught: "a client is asked once for a call that its run brought, and the first answer is the result",
    script: "a client tool that no client answers in time",
  },
  {
    name: "a guard asks again when nobody has answered",
    edits: [
      [
        "src/cairn/core/guards/loops/ladder.ts",
        'wanted === "retry_with_hint" || wanted === "escalate"',
        'wanted === "retry_with_hint"',
      ],
    ],
    caught: "a question is asked once, and then answered once",
    script: "a person asked what to do about a run that is stuck, who",
  },
  {
    name: "what is out of order is called all the same",
    edits: [["src/cairn/core/guards/check-call.ts", "  if (open !== null) return open;\n", ""]],
    caught: "a tool that failed three times in a row, or says when to come back, is left alone",
    script: "a tool that is out of order",
  },
  {
    name: "who says when to come back is called sooner",
    edits: [
      [
        "src/cairn/core/state/breakers.ts",
        "Math.max(failed.openUntil, Math.min(retryAt, at + RETRY_AFTER_MS_MAX))",
        "failed.openUntil",
      ],
    ],
    caught: "a tool that failed three times in a row, or says when to come back, is left alone",
    script: "a tool that says when to come back, at first soon and then too late",
  },
  {
    name: "runs that wait are worked by their age alone",
    edits: [[QUEUE, "queue.toSorted((a, b) => rank(a) - rank(b))", "queue.filter((run) => rank(run) < 9)"]],
    caught: "who waits as a person is worked before what comes by itself",
    script: "a person who writes while webhooks wait",
  },
  {
    name: "a time of a schedule makes two runs",
    edits: [
      [BOOK, 'store.remember("schedule", id, received.value.run, log.at);', ""],
      [
        BOOK,
        "return this.drop(schedule.id);",
        "return schedule.lastRun === null ? this.save({ ...schedule, nextAt: log.at + 1_000, lastRun: sent.run }) : this.drop(schedule.id);",
      ],
    ],
    caught: "no time of a schedule makes two runs",
    script: "a schedule that is due",
  },
  {
    name: "a schedule moves on before its run is there",
    edits: [
      [
        WAKE_WORK,
        "tx.append(finishEntries(tx, before, ports));\n    this.#ports.background?.fallDue?.(tx, began);\n",
        "tx.append(finishEntries(tx, before, ports));\n",
      ],
      [
        ENGINE,
        "    const abort = new AbortController();\n    this.#wake",
        "    const abort = new AbortController();\n    this.#gone();\n    this.#wake",
      ],
      [WAKE_WORK, "    this.#ports.background?.fallDue?.(tx, tx.at);\n", ""],
      [ENGINE, "work.claim(tx)", "(tx.append(this.#held), (this.#held = []), work.claim(tx))"],
      [
        ENGINE,
        "  #waitLonger(): void {\n",
        `  #held: readonly EntryDraft[] = [];
  #gone(): void {
    this.log.transact(true, (tx) => {
      const append = (drafts: readonly EntryDraft[]) => ((this.#held = drafts), []);
      this.#ports.background?.fallDue?.({ at: tx.at, state: tx.state, append }, tx.at);
    });
  }

  #waitLonger(): void {
`,
      ],
    ],
    caught: "every time of a schedule that has come is in a run",
    script: "a schedule that is due",
  },
  {
    name: "a schedule that was deleted comes once more",
    edits: [
      [
        "src/cairn/session/commands/schedules.ts",
        "engine.rearm(() => scheduleStore.drop(id));",
        `engine.rearm(() => {
          const left = scheduleStore.all().find((each) => each.id === id);
          if (left !== undefined) scheduleStore.save({ ...left, timing: { kind: "once", at: left.createdAt } });
        });`,
      ],
    ],
    caught: "a schedule that was deleted is silent",
    script: "an interval that is deleted",
  },
  {
    name: "an idle session keeps its alarm",
    edits: [[LOG_WRITER, "if (armedAt !== null || this.#touched) this.#store.deleteAlarm();", ""]],
    caught: "an idle session has no alarm, and one with a schedule that of its next time",
    script: "a schedule that is deleted long",
  },
  {
    name: "nobody wakes for a schedule",
    edits: [
      [BOOK, "return times.length === 0 ? null : Math.min(...times);", "return times.length < 0 ? 0 : null;"],
    ],
    caught: "every time of a schedule that has come is in a run",
    script: "a schedule that is due",
  },
  {
    name: "memory keeps when the next schedule is due although it has moved on",
    edits: [
      [
        BOOK,
        '    this.#due.forget();\n    this.#disk.exec(\n      "INSERT OR REPLACE INTO schedules',
        '    this.#disk.exec(\n      "INSERT OR REPLACE INTO schedules',
      ],
    ],
    caught: KEPT,
    script: "an interval",
  },
  {
    name: "memory keeps what is due to be told although it is told",
    edits: [[OUTBOX, "    this.#due.forget();\n    this.#disk.exec(query", "    this.#disk.exec(query"]],
    caught: KEPT,
    script: TOLD,
  },
  {
    name: "memory keeps the facts of the session that it had before they changed",
    edits: [[STORE, "    this.#meta.set(meta);\n", ""]],
    caught: KEPT,
    script: "an approval given",
  },
  {
    name: "a yes counts a minute after its time",
    edits: [[DECISION, "if (at >= open.expiresAt)", "if (at >= open.expiresAt + 60_000)"]],
    caught: TIMELY,
    script: "a yes that comes when its time",
  },
  {
    name: "an edit is held against what was shown before it",
    edits: [
      [
        APPROVALS,
        "const basis = shown?.basis ?? phase.approval.basis;",
        "const basis = phase.approval.basis;",
      ],
    ],
    caught: "what is done is what whoever allowed it was shown",
    script: "an approval edited",
  },
  {
    name: "words left over are worked with an admin's rights",
    edits: [
      [
        "src/cairn/core/loop/finish.ts",
        "const body = { ...asked, ...own, spec: { ...spec, traceId } };",
        'const body = { ...asked, ...own, spec: { ...spec, traceId }, role: "admin" as const };',
      ],
    ],
    caught: "words that joined a run are worked with its rights",
    script: "words that join beside an answer",
  },
  {
    name: "a stop of everything leaves what waits in the queue",
    edits: [
      [
        "src/cairn/core/loop/receive.ts",
        "if (!cancel.all && cancel.run !== queued.run) continue;",
        "if (cancel.run !== queued.run) continue;",
      ],
    ],
    caught: "a stop of everything ends whatever was there",
    script: "a stop of everything",
  },
  {
    name: "a held queue goes on by itself",
    edits: [[NEXT, "state.held ? undefined : nextQueued(state)", "nextQueued(state)"]],
    caught: "no run begins while the queue is held",
    script: "a stop that holds",
  },
  {
    name: "a held queue is never let go on",
    edits: [[RECEIVE, "return state.held ? [heldEntry(actor, false)] : []", "return []"]],
    caught: "every accepted message is read, or visibly ended",
    script: "a stop that holds",
  },
  {
    name: "time goes back with the clock",
    edits: [[LOG_WRITER, "Math.max(cursor.state.at, this.#clock()),", "this.#clock(),"]],
    caught: "time never falls",
    script: "a clock that is set back",
  },
  ...RESEARCH_MUTANTS,
  ...CHANNEL_MUTANTS,
];
