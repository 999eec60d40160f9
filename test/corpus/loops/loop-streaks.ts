import { after, at, FAILURES, LATER, NOTES, repeat, type Write } from "./loop.ts";
import type { Asked, TraceWriter } from "./trace-writer.ts";

/** Loops that go on without getting anywhere, with other words or other calls each time. */
export const errorStreak: Write = (w) => {
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

export const monologue: Write = (w) => {
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
export function turned(w: TraceWriter, text: string, by: number): string {
  const words = text.replace(/[.,;]/g, "").split(" ");
  const cut = by % words.length;
  const out = [...words.slice(cut), ...words.slice(0, cut)];
  return w.chance.once(2) ? `${out.join(" ")}.` : `So, ${out.join(", ")}!`;
}

export const sameThought: Write = (w, config) => {
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

export function nearQueries(w: TraceWriter, times: number): number[] {
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

export const nearQuery: Write = (w) => {
  w.prelude(w.chance.below(4));
  const turns = nearQueries(w, 4);
  return { onset: at(turns, 2), complete: at(turns, 2) };
};

export const drift: Write = (w) => {
  w.prelude(w.chance.below(3));
  const good = w.chance.below(3);
  const entries = [w.newThing(), w.newThing()];
  for (let page = 1; page <= good; page++)
    w.act(
      w.list(
        page,
        entries.map((entry) => `${entry}/${page}`),
      ),
    );
  const last = good > 0 && w.chance.once(2) ? entries.map((entry) => `${entry}/${good}`) : [];
  const first = w.turns + 1;
  const end = 4 + after(w);
  for (let n = 1; n <= end; n++) w.act(w.list(good + n, last));
  return { onset: first + 3, complete: first + 3 };
};

export const bookkeeping: Write = (w) => {
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

export const noProgress: Write = (w, config) => {
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
