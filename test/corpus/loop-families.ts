import type { LoopFamily, LoopTrace } from "./loop-format.ts";
import type { Asked, TraceWriter } from "./trace-writer.ts";

/** Where a loop begins for a careful reader, and the turn in which the definition of its rule is complete. */
export interface Loop {
  readonly onset: number;
  readonly complete: number;
}
type Write = (w: TraceWriter, config: LoopTrace["config"]) => Loop;

const LATER = ["once more", "again", "this time", "now", "finally", "another try", "still"] as const;

/** Turns that go on with the loop after it is complete, so that the next levels can be looked at. */
const after = (w: TraceWriter): number => 2 + w.chance.below(2);

function repeat(w: TraceWriter, times: number, act: () => void): number[] {
  const turns: number[] = [];
  const between = w.chance.once(2);
  for (let n = 0; n < times; n++) {
    if (n > 0 && between && w.chance.once(2)) w.prelude(1);
    act();
    turns.push(w.turns);
  }
  return turns;
}

const at = (turns: readonly number[], index: number): number => turns[index] ?? Number.NaN;

const sameResult: Write = (w, config) => {
  const times = config.onStuck?.iterations ?? 3;
  w.prelude(w.chance.below(4));
  const thing = w.newThing();
  const write = w.chance.once(4);
  const beside = w.chance.once(3);
  const turns = repeat(w, times + after(w), () => {
    const same = write ? w.write(thing, w.setting.values[0]) : w.read(thing);
    if (beside) w.act(same, w.newRead());
    else w.act(same);
  });
  return { onset: at(turns, 1), complete: at(turns, times - 1) };
};

type Failure = readonly [kind: string, code: string, message: string];
const FAILURES: readonly [Failure, ...Failure[]] = [
  ["not_found", "no_such", "There is none by that name"],
  ["conflict", "changed_since", "It was changed by someone else"],
  ["permission", "forbidden", "You may not do this"],
  ["invalid_args", "bad_value", "The value is not accepted"],
  ["server", "upstream", "The service answered 500 to request"],
];

const sameError: Write = (w) => {
  w.prelude(w.chance.below(4));
  const [kind, code, message] = w.chance.pick(FAILURES);
  const call = w.chance.once(2) ? w.write(w.newThing(), w.setting.values[1] ?? "") : w.newRead();
  const turns = repeat(w, 2 + after(w), () => {
    w.act(w.failed(call, kind, code, `${message} (${1_000 + w.chance.below(9_000)}).`));
  });
  return { onset: at(turns, 1), complete: at(turns, 1) };
};

const errorStreak: Write = (w) => {
  w.prelude(w.chance.below(4));
  const [kind, code, message] = w.chance.pick(FAILURES);
  const perTurn = 1 + w.chance.below(2);
  const fail = (): Asked => {
    const call = w.chance.once(3) ? w.newSearch() : w.chance.once(3) ? w.list(w.turns, []) : w.newRead();
    return w.failed(call, kind, code, `${message}: ${w.turns}.`);
  };
  const first = w.turns + 1;
  for (let errors = 0; errors < 4 + 2 * perTurn; errors += perTurn)
    w.act(...Array.from({ length: perTurn }, fail));
  const complete = first + 4 / perTurn - 1;
  return { onset: complete, complete };
};

const cycle =
  (period: number): Write =>
  (w) => {
    w.prelude(w.chance.below(4));
    const first = w.turns + 1;
    const kinds = w.chance.below(3);
    const round = Array.from({ length: period }, (_, n): Asked[] => {
      if (kinds === 1 && n === 0) return [w.write(w.newThing(), w.setting.values[2] ?? "")];
      if (kinds === 2) return [w.newRead(), w.newSearch()];
      return [n % 2 === 0 ? w.newRead() : w.newSearch()];
    });
    const end = 2 * period + after(w);
    for (let n = 0; n < end; n++) {
      const calls = round[n % period] ?? [];
      // What a read says of its own time differs each time.
      w.act(
        ...calls.map((call) =>
          call.tool === w.setting.read.name ? w.read(String(call.args[w.setting.read.arg])) : call,
        ),
      );
    }
    return { onset: first + period, complete: first + 2 * period - 1 };
  };

const monologue: Write = (w) => {
  w.prelude(w.chance.below(4));
  const first = w.turns + 1;
  const { excuses } = w.setting;
  const start = w.chance.below(excuses.length);
  const times = 2 + w.chance.below(3);
  for (let n = 0; n < times; n++) {
    const text = excuses[(start + n) % excuses.length] ?? "";
    if (w.chance.once(4)) w.turn(text, w.skipped(w.newRead(), "NOT_GRANTED", "This tool is not granted."));
    else w.turn(text);
  }
  w.turn(`Sorry. ${w.chance.pick(w.setting.wishes)} I could not do this.`);
  return { onset: first + 1, complete: first + 1 };
};

/** The same words in another order, with other small ones between them. */
function turned(w: TraceWriter, text: string, by: number): string {
  const words = text.replace(/[.,;]/g, "").split(" ");
  const cut = by % words.length;
  const out = [...words.slice(cut), ...words.slice(0, cut)];
  return w.chance.once(2) ? `${out.join(" ")}.` : `So, ${out.join(", ")}!`;
}

const sameThought: Write = (w, config) => {
  const times = config.onStuck?.iterations ?? 3;
  w.prelude(w.chance.below(3));
  const text = w.chance.pick(w.setting.excuses);
  const turns: number[] = [];
  for (let n = 0; n < times + 1; n++) {
    w.turn(n % 2 === 0 ? text : turned(w, text, 3));
    turns.push(w.turns);
    w.prelude(1);
  }
  w.turn("That is what I found.");
  return { onset: at(turns, 1), complete: at(turns, times - 1) };
};

function nearQueries(w: TraceWriter, times: number): number[] {
  const words = `${w.chance.pick(w.setting.topics)} ${w.chance.pick(w.setting.topics)} guide examples`;
  const found = w.chance.once(2) ? [] : [w.newThing(), w.newThing(), w.newThing()];
  const order = words.split(" ");
  let n = 0;
  return repeat(w, times, () => {
    const cut = n++ % order.length;
    const query = [...order.slice(cut), ...order.slice(0, cut)].join(" ");
    w.act(w.search(w.chance.once(3) ? `${query}?` : query, found));
  });
}

const nearQuery: Write = (w) => {
  w.prelude(w.chance.below(4));
  const turns = nearQueries(w, 4);
  return { onset: at(turns, 2), complete: at(turns, 2) };
};

const drift: Write = (w) => {
  w.prelude(w.chance.below(3));
  const good = w.chance.below(3);
  const rows = [w.newThing(), w.newThing()];
  for (let page = 1; page <= good; page++)
    w.act(
      w.list(
        page,
        rows.map((row) => `${row}/${page}`),
      ),
    );
  const last = good > 0 && w.chance.once(2) ? rows.map((row) => `${row}/${good}`) : [];
  const first = w.turns + 1;
  const end = 4 + after(w);
  for (let n = 1; n <= end; n++) w.act(w.list(good + n, last));
  return { onset: first + 3, complete: first + 3 };
};

const thrash: Write = (w) => {
  w.prelude(w.chance.below(3));
  const target = w.newThing();
  const values = w.setting.values.slice(0, 2 + w.chance.below(2));
  const verify = w.chance.once(2);
  const writes: number[] = [];
  for (let n = 0; n < values.length + 3; n++) {
    const value = values[n % values.length] ?? "";
    w.act(w.write(target, value));
    writes.push(w.turns);
    if (verify) w.act(w.read(target, `It says: ${value}`));
  }
  return { onset: at(writes, values.length), complete: at(writes, values.length + 1) };
};

const REFUSALS: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ["NOT_GRANTED", "This tool is not granted to the run."],
  ["POLICY_DENY", "The policy of this deployment does not allow it."],
  ["ADMIN_ONLY", "Only an administrator may do this."],
  ["SIG_BANNED", "This call failed before; it is not run again."],
];

const blockEcho: Write = (w) => {
  w.prelude(w.chance.below(3));
  const [code, message] = w.chance.pick(REFUSALS);
  const call = w.write(w.newThing(), w.setting.values[0]);
  const turns = repeat(w, 3 + after(w), () => w.act(w.newRead(), w.skipped(call, code, message)));
  return { onset: at(turns, 1), complete: at(turns, 2) };
};

const afterCompaction: Write = (w) => {
  w.prelude(w.chance.below(2));
  const thing = w.newThing();
  w.act(w.read(thing));
  w.prelude(5 + w.chance.below(3));
  const changes = w.chance.once(2);
  if (changes) w.act(w.write(w.newThing(), w.setting.values[1] ?? ""));
  w.compact(1, w.turns);
  const turns: number[] = [];
  for (let n = 0; n < 4; n++) {
    w.act(w.read(thing));
    turns.push(w.turns);
    if (n === 0) w.act(changes ? w.write(w.newThing(), w.setting.values[2] ?? "") : w.newRead());
  }
  return { onset: at(turns, 0), complete: at(turns, 1) };
};

const NOTES = ["reading", "comparing", "sorting", "checking", "collecting", "writing", "planning"] as const;

const bookkeeping: Write = (w) => {
  w.prelude(w.chance.below(4));
  const first = w.turns + 1;
  const subject = w.newThing();
  const end = 6 + w.chance.below(2);
  for (let n = 0; n < end; n++) {
    const note = NOTES[n] ?? "resting";
    const text = `I am ${note} ${subject} ${LATER[n] ?? ""}`.trim();
    const log = w.book("log_progress", { text }, { ok: true });
    const plan = w.book("update_plan", { items: [{ id: "p1", text, status: "doing" }] }, { ok: true });
    w.act(...(w.chance.once(3) ? [log, plan] : [w.chance.once(2) ? log : plan]));
  }
  return { onset: first + 4, complete: first + 4 };
};

const noProgress: Write = (w, config) => {
  const times = config.profile === "research" ? 10 : 6;
  w.prelude(w.chance.below(3));
  const first = w.turns + 1;
  const way = w.chance.below(3);
  for (let n = 0; n < times + 2; n++) {
    const search = w.newSearch();
    const read = w.newRead();
    const [kind, code, message] = FAILURES[n % FAILURES.length] ?? FAILURES[0];
    if (way === 0) w.act({ ...search, answer: { output: { items: [] } } });
    else if (way === 1) w.act(w.failed(read, kind, code, message));
    else if (n % 2 === 0) w.act({ ...search, answer: { output: { items: [], total: 0 } } });
    else w.act(w.failed(read, kind, code, message));
  }
  return { onset: first + times - 1, complete: first + times - 1 };
};

const mixed: Write = (w) => {
  w.prelude(w.chance.below(3));
  const same = w.newThing();
  const turns: number[] = [];
  const way = w.chance.below(4);
  for (let n = 0; n < 5; n++) {
    const [kind, code, message] = FAILURES[n % FAILURES.length] ?? FAILURES[0];
    // The repeated read stands beside a failure that is a new one each time.
    if (way === 0) w.act(w.read(same), w.failed(w.newRead(), kind, code, message));
    // It alternates with bookkeeping that reads as if something was done.
    else if (way === 1) w.act(w.read(same));
    // A failing write is held up by equal reads.
    else if (way === 2)
      w.act(w.failed(w.write(same, w.setting.values[0]), "conflict", "changed_since", message));
    // Half of each turn is new, half of it is not.
    else w.act(w.newSearch(), w.read(same), w.newRead());
    turns.push(w.turns);
    if (way === 1) w.act(w.book("log_progress", { text: `${LATER[n] ?? "now"}: ${same}` }, { ok: true }));
    if (way === 2) w.act(w.read(same));
  }
  if (way === 2) return { onset: at(turns, 1), complete: at(turns, 1) };
  return { onset: at(turns, 1), complete: at(turns, 2) };
};

const paraphrased: Write = (w) => {
  const way = w.chance.below(4);
  w.prelude(w.chance.below(3));
  if (way === 0) {
    const turns = nearQueries(w, 5);
    return { onset: at(turns, 2), complete: at(turns, 2) };
  }
  if (way === 1) {
    const first = w.turns + 1;
    const { excuses } = w.setting;
    for (const [n, word] of ["Indeed", "Actually", "Honestly"].entries())
      w.turn(`${word}: ${turned(w, excuses[n % excuses.length] ?? "", n + 2)}`);
    w.turn("I could not do it, I am sorry.");
    return { onset: first + 1, complete: first + 1 };
  }
  // One address, or one name, written in several ways; and each time the words around it are others.
  const thing = way === 2 ? "https://caf\u00e9.example/menu" : "r\u00e9sum\u00e9 page";
  const ways =
    way === 2
      ? [thing, `${thing}?utm_source=mail`, `${thing}#top`, `  ${thing} `, thing.replace("https", "HTTPS")]
      : [thing, ` ${thing}`, thing.normalize("NFD"), `${thing}  `, `\n${thing.normalize("NFD")}`];
  const turns: number[] = [];
  for (const [n, name] of ways.entries()) {
    const { args, tool } = w.read(name);
    w.turn(`${LATER[n] ?? ""}: ${NOTES[n] ?? ""} it.`, { tool, args, answer: w.read(thing).answer });
    turns.push(w.turns);
  }
  return { onset: at(turns, 1), complete: at(turns, 2) };
};

export const LOOPS: Readonly<Record<LoopFamily, { readonly write: Write; readonly count: number }>> = {
  same_result: { write: sameResult, count: 12 },
  same_error: { write: sameError, count: 12 },
  error_streak: { write: errorStreak, count: 12 },
  cycle2: { write: cycle(2), count: 6 },
  cycle3: { write: cycle(3), count: 6 },
  cycle4: { write: cycle(4), count: 6 },
  monologue: { write: monologue, count: 12 },
  same_thought: { write: sameThought, count: 12 },
  near_query: { write: nearQuery, count: 12 },
  drift: { write: drift, count: 12 },
  thrash: { write: thrash, count: 12 },
  block_echo: { write: blockEcho, count: 12 },
  after_compaction: { write: afterCompaction, count: 12 },
  bookkeeping: { write: bookkeeping, count: 12 },
  no_progress: { write: noProgress, count: 12 },
  mixed: { write: mixed, count: 14 },
  paraphrased: { write: paraphrased, count: 14 },
};
