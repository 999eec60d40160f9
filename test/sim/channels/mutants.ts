import type { Mutant } from "../mutants.ts";

/** Known faults of what is told to people on channels. */

const OUTBOX = "src/cairn/session/background/outbox.ts";
const NOTICES = "src/plugins/channels/session/notices.ts";
const RETRY = "src/cairn/session/background/delivery-retry.ts";
const ASK = "src/cairn/core/guards/budget/ask.ts";
const USED = "src/cairn/core/state/run/used.ts";
const EXTENSION = "src/cairn/core/loop/receive-extension.ts";

const CHANNEL = "src/plugins/channels/session/sender.ts";
const HELD = "src/cairn/session/background/held.ts";
const DENIED = "src/plugins/channels/session/denied-messages.ts";
const SENDS = "src/cairn/core/guards/sends.ts";

const NIGHT = "nobody is told in their quiet hours what they did not ask for then";
const DIGEST = "a message that nobody was there to allow waits as a note, or stands in one digest";
const PACE =
  "a heartbeat writes to one place once in four hours, a capsule of its progress once in fifteen minutes";
const ONCE = "nobody on a channel reads the same message twice";
const ALL = "every word for a channel is read, waits, or is known as lost or refused";
const ONLY = "nothing is said on a channel but what the log says";
const TRUE = "what is called delivered was read, and what was read is never called refused";

const ONE = "a run asks whether it may have more once, and one answer counts";
const GIVEN = "a yes gives a run what was shown, and nothing else does";

const MORE = "a run in a chat that is given more";
const UNANSWERED = "a run in a chat that asks for more and gets no answer";
const ANSWER = "an answer that goes to a chat";
const BUSY = "two answers to a chat that is busy";
const SILENT = "an answer to a chat that takes it and says nothing";
const SHUT = "an answer to a chat that has shut us out";
const ASKED = "a question in a chat";
const CARD = "a card in a chat";

export const CHANNEL_MUTANTS: readonly Mutant[] = [
  {
    name: "a message that was claimed counts as begun to send",
    edits: [[OUTBOX, "const NOT_BEGUN = 0;", "const NOT_BEGUN = null;"]],
    caught: "what was never begun to be sent is not called unknown or failed",
    script: "an answer to a chat while D1",
  },
  {
    name: "a card that may have been shown is not shown again",
    edits: [
      [
        OUTBOX,
        "return this.deliveriesFor(target)?.once.includes(type) === true;",
        "return this.deliveriesFor(target) !== null;",
      ],
    ],
    caught: "a card is seen, or waits to be shown, and its outcome is never unknown",
    script: "a card in a chat",
  },
  {
    name: "a card whose channel said nothing is not shown again",
    edits: [[CHANNEL, "const isLost = isMessage && isBegun", "const isLost = isBegun"]],
    caught: "a card is seen, or waits to be shown, and its outcome is never unknown",
    script: "a card in a chat that takes it",
  },
  {
    name: "the rest of a message begins at its first part",
    edits: [[CHANNEL, "JSON.stringify({ ...note, skip: sent })", "JSON.stringify({ ...note, skip: 0 })"]],
    caught: "a part of a message that has arrived is not sent again, and none is left out",
    script: "a long answer to a chat",
  },
  {
    name: "what was being sent when its isolate died is sent again",
    edits: [[OUTBOX, "if (wasBegun && this.#isOnce(", "if (false && this.#isOnce("]],
    caught: ONCE,
    script: ANSWER,
  },
  {
    name: "a question is not told where the run came from",
    edits: [[NOTICES, 'return toOrigin("question", questionText(entry.body), entry.body);', "return [];"]],
    caught: ALL,
    script: ASKED,
  },
  {
    name: "an answer goes to the place and not to its thread",
    edits: [[NOTICES, "target: `place:${addressName(origin)}`", "target: `place:${origin.channel}`"]],
    caught: ALL,
    script: ANSWER,
  },
  {
    name: "a second try forgets that the first one is over, and a death in it is not known",
    edits: [[OUTBOX, "UPDATE outbox SET status = NULL, due = ?", "UPDATE outbox SET due = ?"]],
    caught: ONCE,
    script: BUSY,
  },
  {
    name: "an answer for a chat is not written down",
    edits: [
      [
        NOTICES,
        "return toOrigin(kind, answerText(entry.body, around.answer(run), around.requestOf(run)));",
        "return [];",
      ],
    ],
    caught: ALL,
    script: ANSWER,
  },
  {
    name: "a card is not written down",
    edits: [[NOTICES, "if (view === null) return [];", "return [];"]],
    caught: ALL,
    script: CARD,
  },
  {
    name: "a message goes out before it is marked as begun",
    edits: [
      [
        CHANNEL,
        "begin: () => (isBegun = transaction(() => outbox.begin(delivery, clock()))),",
        "begin: () => (isBegun = true),",
      ],
    ],
    caught: ONCE,
    script: ANSWER,
  },
  {
    name: "a chat that shuts us out counts as reached",
    edits: [
      [
        RETRY,
        "if (!passing || delay === undefined) return",
        'if (!passing) return { then: "delivered" };\n  if (delay === undefined) return',
      ],
    ],
    caught: TRUE,
    script: SHUT,
  },
  {
    name: "words that may have arrived are called refused",
    edits: [
      [
        RETRY,
        'if (lost === true) return { then: "unknown" };',
        'if (lost === true) return { then: "failed" };',
      ],
    ],
    caught: TRUE,
    script: SILENT,
  },
  {
    name: "an answer is told under another name with each try",
    edits: [[CHANNEL, "key: delivery.id,", "key: `${delivery.id}.${delivery.tries}`,"]],
    caught: ONLY,
    script: ANSWER,
  },
  {
    name: "what nobody asked for goes out in the night",
    edits: [[HELD, "if (until === null) return false;", "if (until !== 0) return false;"]],
    caught: NIGHT,
    script: "an answer that waits",
  },
  {
    name: "words that have waited are in both tables",
    edits: [
      [HELD, "this.#write(\"DELETE FROM held WHERE due <= ? AND type NOT IN ('note', 'call')\", at);", ""],
    ],
    caught: "no error comes out",
    script: "an answer that waits",
  },
  {
    name: "a run's own message goes out in the night",
    edits: [["src/plugins/channels/session/messenger.ts", "if (until !== null) {", "if (until === 0) {"]],
    caught: NIGHT,
    script: "a message of a run that waits",
  },
  {
    name: "a note that was told waits on",
    edits: [[HELD, "this.#write(\"DELETE FROM held WHERE type = 'note' AND id = ?\", id);", ""]],
    caught: DIGEST,
    script: "two notes that are told with",
  },
  {
    name: "what nobody was there to allow is kept nowhere",
    edits: [[DENIED, 'return text.trim() === "" ? null', "return text !== null ? null"]],
    caught: DIGEST,
    script: "two notes that are told with",
  },
  {
    name: "a digest is written down and told nowhere",
    edits: [[NOTICES, "if (digest?.place === undefined) return [];", "return [];"]],
    caught: ALL,
    script: "two notes that are told at",
  },
  {
    name: "a heartbeat writes at each of its looks",
    edits: [[SENDS, "at - last.at < HEARTBEAT_SEND_MS", "at < last.at"]],
    caught: PACE,
    script: "a heartbeat that finds",
  },
  {
    name: "a capsule tells each of its steps",
    edits: [[SENDS, "at - progressAt < CAPSULE_PROGRESS_MS", "at < progressAt"]],
    caught: PACE,
    script: "a time capsule that says",
  },
  {
    name: "a run asks for more at every step",
    edits: [[ASK, "so.question !== undefined || ", ""]],
    caught: ONE,
    script: UNANSWERED,
  },
  {
    name: "a second press is an answer too",
    edits: [
      [
        USED,
        'case "budget_answered":\n      return closeQuestion(used);',
        'case "budget_answered":\n      return used;',
      ],
      [
        USED,
        "return closeQuestion(\n        entry.body.command",
        "return ((same: Used) => same)(\n        entry.body.command",
      ],
    ],
    caught: ONE,
    script: MORE,
  },
  {
    name: "a yes gives less than was shown",
    edits: [
      [EXTENSION, "const adds = entryOf(open.adds);", "const adds = { ...entryOf(open.adds), calls: 1 };"],
    ],
    caught: GIVEN,
    script: MORE,
  },
];
