/**
 * The scenarios that the guards were built for, each with the tests that play it through the real loop. Held by
 * acceptance.test.ts: each test stands under that name in that file.
 */
export interface Accepted {
  readonly what: string;
  /** file below test, and the beginning of the names of its tests */
  readonly by: readonly (readonly [file: string, test: string])[];
}

const LOOPS = "sim/guards/loops.test.ts";
const BUDGETS = "sim/guards/budgets.test.ts";
const PRESETS = "sim/guards/presets.test.ts";
const PLAN = "sim/guards/plan.test.ts";
const SAFETY = "sim/guards/safety.test.ts";
const CONTEXT = "sim/guards/context.test.ts";
const BREAKERS = "sim/guards/breakers.test.ts";
const ANSWERS = "sim/guards/answers.test.ts";
const MESSAGES = "sim/channels/messages.test.ts";
const SCHEDULES = "sim/background/schedules.test.ts";
const PACE = "sim/channels/pace.test.ts";
const HEARTBEAT = "sim/background/heartbeat.test.ts";
const IN_CHAT = "sim/channels/capsule.test.ts";
const CHILDREN = "sim/family/scenarios.test.ts";
const CAPSULE = "sim/background/capsule.test.ts";

export const ACCEPTED: readonly Accepted[] = [
  {
    what: "four queries, and reads between writes, are no loop",
    by: [[LOOPS, "1: work that only looks like a loop"]],
  },
  {
    what: "the same call and result: answered three times, blocked, then acted on",
    by: [[LOOPS, "2: the same call"]],
  },
  {
    what: "two by two is hinted at in turn 4, three by three in turn 6",
    by: [[LOOPS, "3: turns that repeat each other"]],
  },
  { what: "pages with new rows are silent, empty ones drift", by: [[LOOPS, "4: page after page"]] },
  { what: "a poll is no loop; one too soon waits", by: [[LOOPS, "5: a tool that is asked how far it is"]] },
  {
    what: "four misses are a streak, in one batch they are none",
    by: [[LOOPS, "6: four things that are not there"]],
  },
  {
    what: "words alone end by turn 4; a hint twice forces the answer",
    by: [
      [LOOPS, "7: words alone, unusable each time"],
      [LOOPS, "retry_with_hint goes on once with the hint"],
    ],
  },
  {
    what: "a crash changes no level, a compaction resets none, a person does",
    by: [
      [LOOPS, "8: what lies between two equal calls"],
      [CONTEXT, "scenario 8: a compaction between equal calls"],
    ],
  },
  {
    what: "whatever is spent, one outcome and one text, under every preset",
    by: [
      [BUDGETS, "scenario 9: what is spent"],
      [PRESETS, "scenario 9 under %s"],
    ],
  },
  {
    what: "after 150 minutes and at the cap of tokens an answer comes with the newest result",
    by: [
      [BUDGETS, "scenario 10: at the token cap"],
      [PRESETS, "scenario 10: after the 150 minutes"],
    ],
  },
  {
    what: "a call that would pass the limit is not made; the account is the provider's",
    by: [[BUDGETS, "scenario 11: the account"]],
  },
  {
    what: "a lost attempt costs what it reserved; limits too small are refused",
    by: [[BUDGETS, "scenario 12"]],
  },
  {
    what: "waiting for a person is free; the steps that are shown are those of the run",
    by: [
      [BUDGETS, "scenario 13: two hours of waiting"],
      [BUDGETS, "scenario 13: what a model estimates"],
    ],
  },
  {
    what: "a large run uses its steps, a capsule goes past them",
    by: [
      [BUDGETS, "a complex run uses steps 31 to 39 with tools"],
      [IN_CHAT, "scenario 14: it goes past thirty steps"],
    ],
  },
  {
    what: "more room once with progress, none after a warning, none for the asking",
    by: [[BUDGETS, "scenario 15: more room"]],
  },
  {
    what: "a forced reply of calls ends in the honest message",
    by: [[BUDGETS, "scenario 16: a forced call"]],
  },
  { what: "articles and reports are research", by: [[BUDGETS, "scenario 17: %s is research"]] },
  {
    what: "ok after a question has its class; a label that fails changes none",
    by: [
      [BUDGETS, "scenario 18: ok after an open question"],
      ["cairn/core/loop/class-label.test.ts", "%s leaves the class to the words"],
    ],
  },
  {
    what: "two failures fail an item and ask for a new plan",
    by: [[PLAN, "scenario 19: a plan that fails"]],
  },
  {
    what: "equal calls of a reply run once, different ones both",
    by: [[LOOPS, "20: two calls in one reply"]],
  },
  {
    what: "a query stays a query, an undeclared tool is skipped",
    by: [[SAFETY, "scenario 21: what a call asks for"]],
  },
  { what: "503 then ok is one result; 404 is not asked again", by: [[LOOPS, "22: a read that fails"]] },
  {
    what: "a thrown error and a refused key are called what they are",
    by: [[LOOPS, "23: what a failure is called"]],
  },
  { what: "the tenth message is kept for the answer", by: [[ANSWERS, "scenario 24: a run that tells much"]] },
  {
    what: "a part of the answer does not close the run",
    by: [[ANSWERS, "scenario 25: after a part of the answer"]],
  },
  {
    what: "a failed send is sent again, a delivered one is not; runs share no memory of calls",
    by: [
      [MESSAGES, "that failed is sent again with the same words"],
      [MESSAGES, "arrives where they wrote, and the same words a second time do not"],
      [ANSWERS, "scenario 26: two runs share nothing"],
    ],
  },
  {
    what: "placeholders are kept back; only a question pauses a run",
    by: [
      [MESSAGES, "with a placeholder is not sent; one in a code span is"],
      [SAFETY, "scenario 27: placeholders in what is written"],
      ["sim/people/questions.test.ts", "scenario 27: what pauses a run"],
    ],
  },
  {
    what: "nothing undeclared runs, an empty list of admins has none",
    by: [[SAFETY, "scenario 28: over every source"]],
  },
  {
    what: "a member who messages someone else is denied politely; a heartbeat without places too",
    by: [
      [MESSAGES, "is denied to a member, whom one polite answer tells so"],
      [SAFETY, "scenario 29: what a member may not have done"],
      [MESSAGES, "is denied where no person asked"],
      ["sim/channels/pace.test.ts", "with nobody whom it may write to leaves a note"],
      [PACE, "once goes on; a second time it ends, denied, with one polite message"],
      [PACE, "with nobody whom it may write to leaves a note"],
    ],
  },
  {
    what: "one forbidden call of a batch is skipped, the others run",
    by: [[SAFETY, "scenario 30: a batch"]],
  },
  { what: "words that claim a yes change nothing", by: [[SAFETY, "scenario 31: words that claim a yes"]] },
  { what: "being on it is no answer", by: [[ANSWERS, "scenario 32: to say that one is on it"]] },
  { what: "a failed change is told", by: [[ANSWERS, "scenario 33: a change that failed"]] },
  {
    what: "a promise is kept by something scheduled, or is none",
    by: [[ANSWERS, "scenario 34: a word about later"]],
  },
  { what: "what is claimed was done", by: [[ANSWERS, "scenario 35: a claim"]] },
  { what: "an answer beside a call is held", by: [[ANSWERS, "scenario 36: an answer beside a call"]] },
  { what: "no judge stands above the rules", by: [[ANSWERS, "scenario 37: no model judges an answer"]] },
  { what: "the first of three parts does not end the run", by: [[ANSWERS, "scenario 38: of three parts"]] },
  {
    what: "a silent run is asked for a word at 3 and 5",
    by: [[PLAN, "scenario 39: a person who hears nothing"]],
  },
  { what: "5 MB are kept whole and shown short", by: [[CONTEXT, "scenario 40: a result of 5 MB"]] },
  {
    what: "the request is in every request, no result is orphaned",
    by: [[CONTEXT, "scenario 41: twelve old messages"]],
  },
  { what: "each step sees the one before it", by: [[CONTEXT, "scenario 42: each step sees"]] },
  { what: "tokens are those of the next request", by: [[CONTEXT, "scenario 43: tokens are those"]] },
  {
    what: "a request too large is summed up and tried once more",
    by: [[CONTEXT, "scenario 44: the provider says"]],
  },
  { what: "429 waits as told", by: [[LOOPS, "45: 429 with Retry-After 40"]] },
  {
    what: "a provider that is down is asked six times at most",
    by: [[BREAKERS, "scenario 46: a model whose provider is down"]],
  },
  { what: "a stop lets nothing begin", by: [[LOOPS, "47: a stop during a model call"]] },
  { what: "two messages are one conversation", by: [[LOOPS, "48: two messages 200 ms apart"]] },
  {
    what: "what was due in downtime or while busy comes once; 90 minutes are 90",
    by: [
      [SCHEDULES, "that says once makes one run for all that was missed"],
      [SCHEDULES, "waits behind a run that is at work"],
      ["cairn/core/schedule.test.ts", "an interval"],
    ],
  },
  {
    what: "housekeeping leaves the beat, and disabled there is none",
    by: [
      [HEARTBEAT, "is not disturbed by what the session does for itself"],
      [HEARTBEAT, "is off until somebody enables it"],
    ],
  },
  {
    what: "a capsule keeps its window, answers where it came from, and is prolonged by no model",
    by: [
      [CAPSULE, "keeps its whole time however long it was queued"],
      [CAPSULE, "is told to come to an end, and answers at its deadline"],
      [IN_CHAT, "a capsule of ten minutes ends at its deadline"],
    ],
  },
  {
    what: "/lean is taken off, and gates hold",
    by: [
      [BUDGETS, "scenario 52: /lean is taken off"],
      ["sim/model/lean.test.ts", "gates hold in a lean run"],
    ],
  },
  {
    what: "a send that died is unknown, and never made twice",
    by: [[MESSAGES, "whose outcome is lost with its isolate is unknown"]],
  },
  {
    what: "a guard is pure, and none is inert",
    by: [
      [SAFETY, "scenario 54: a guard is a pure function"],
      ["sim/verdicts/verdicts.test.ts", "no guard is without one"],
    ],
  },
];

const TELEGRAM = "e2e/channels/telegram.test.ts";
const DOOR = "worker/channels/door.test.ts";

/** The same for channels. */
export const ACCEPTED_CHANNELS: readonly Accepted[] = [
  {
    what: "an answer in its chat, once or known as lost, wherever the process dies",
    by: [
      ["e2e/channels/demo.test.ts", "says, decides by a number, and tells in the end what waits"],
      [MESSAGES, "whose outcome is lost with its isolate is unknown"],
      [TELEGRAM, "has one answer, or none that is repeated, when the server dies"],
      ["sim/channels/scripts.ts", "an answer that goes to a chat"],
    ],
  },
  {
    what: "two people are asked in two places, the first press decides, both cards say so",
    by: [["e2e/channels/two-people.test.ts", "the first of two presses decides"]],
  },
  {
    what: "of ten thousand presses none decides that should not",
    by: [
      ["plugins/channels/presses.test.ts", "that are forged, replayed, late, of others"],
      ["worker/doors/presses.test.ts", "no press decides that is forged"],
    ],
  },
  {
    what: "a card is taken within two seconds of its asking",
    by: [["e2e/channels/waits.test.ts", "a card is taken by its channel soon after it was asked for"]],
  },
  {
    what: "whoever blocks the bot finds the answer on the page",
    by: [[TELEGRAM, "who shuts the bot out in the middle of a run finds its answer on the page"]],
  },
  {
    what: "quiet hours hold over a change of clocks, and five notes are one message, once",
    by: [
      ["cairn/core/quiet.test.ts", "end when clocks are put forward"],
      ["sim/channels/autonomy.test.ts", "hold what nobody asked for now until their end, %s"],
      ["sim/channels/autonomy.test.ts", "hold no answer to a person, no failure"],
      [
        "sim/channels/autonomy.test.ts",
        "is offered to the model, kept as a note, and told with the next words",
      ],
      ["sim/channels/alone.ts", "two notes that are told at the end of quiet hours"],
    ],
  },
  {
    what: "of a group of three only the linked one is heard",
    by: [[DOOR, "is the only one of a group of three who is heard"]],
  },
  {
    what: "a heartbeat is off by itself, and backs off while nothing comes of it",
    by: [
      [HEARTBEAT, "is off until somebody enables it"],
      [HEARTBEAT, "looks at 15, 30, 60 and 120 minutes"],
    ],
  },
  {
    what: "a capsule ends at its deadline with a word where it was begun",
    by: [[IN_CHAT, "a capsule of ten minutes ends at its deadline"]],
  },
  {
    what: "a mail that two servers deliver is one run, answered in its thread",
    by: [["e2e/channels/email.test.ts", "is answered once, in the thread, by a mail that two servers"]],
  },
];

/** The scenarios that children were built for. */
export const ACCEPTED_CHILDREN: readonly Accepted[] = [
  {
    what: "whatever a child has left of its share is spent by nobody twice, and its end is an answer",
    by: [
      [CHILDREN, "scenario 20: a child at the end of its share"],
      [CHILDREN, "scenario 20: what a child leaves of its share"],
    ],
  },
  {
    what: "a recursion bomb stops at depth 3 and 50 sessions, and a stop of its root ends all of it",
    by: [
      [CHILDREN, "scenario 32: a recursion bomb"],
      [CHILDREN, "scenario 32: a stop of its root"],
      ["e2e/crashes/family.test.ts", "a stop of the root ends the child of its child"],
    ],
  },
  {
    what: "the report of a child comes once, however it dies, and what it did not use goes back",
    by: [
      [CHILDREN, "scenario 33: a child dies after finishing"],
      ["e2e/crashes/family.test.ts", "three children research side by side"],
    ],
  },
];
