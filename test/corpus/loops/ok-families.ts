import type { OkFamily } from "./loop-format.ts";
import type { TraceWriter } from "./trace-writer.ts";

/** Work that looks like a loop to whoever counts calls, and is none. */
type Write = (w: TraceWriter) => void;

const polling: Write = (w) => {
  w.prelude(w.chance.below(3));
  const job = `job-${w.newThing()}`;
  const polls = 5 + w.chance.below(12);
  for (let n = 0; n < polls; n++) {
    w.wait(5_000 + w.chance.below(20_000));
    w.act(w.poll(job, "running"));
    if (w.chance.once(6)) w.prelude(1);
  }
  w.wait(6_000);
  w.act(w.poll(job, "done"));
  if (w.chance.once(2)) w.prelude(1);
};

const paging: Write = (w) => {
  w.prelude(w.chance.below(2));
  const pages = 5 + w.chance.below(7);
  const overlap = w.chance.once(2);
  for (let page = 1; page <= pages; page++) {
    const entries = Array.from({ length: 4 }, (_, n) => `row-${page}-${n}`);
    w.act(w.list(page, overlap && page > 1 ? [`row-${page - 1}-3`, ...entries] : entries));
  }
  if (w.chance.once(2)) w.act(w.list(pages + 1, []));
};

const bulkEdit: Write = (w) => {
  const value = w.chance.pick(w.setting.values);
  const atOnce = 1 + w.chance.below(3);
  const verify = w.chance.once(3);
  const end = 6 + w.chance.below(6);
  for (let n = 0; n < end; n++) {
    const targets = Array.from({ length: atOnce }, () => w.newThing());
    w.act(...targets.map((target) => w.write(target, value)));
    if (verify) w.act(...targets.map((target) => w.read(target, value)));
  }
};

const verifyAfterWrite: Write = (w) => {
  const target = w.newThing();
  const list = w.newThing();
  const same = w.chance.once(2);
  const end = 3 + w.chance.below(5);
  for (let n = 0; n < end; n++) {
    const value = `${w.setting.values[n % w.setting.values.length] ?? ""} (${NUMBERS[n] ?? ""} version)`;
    w.act(w.write(same ? target : w.newThing(), value));
    // The list of what there is stays as it was: that is what is to be seen.
    if (w.chance.once(2)) w.act(w.read(list));
    else w.act(w.read(target, same ? value : "Unchanged."));
  }
};
const NUMBERS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"] as const;

const PASSING = [
  ["rate_limit", "slow_down", "Too many requests."],
  ["server", "upstream", "The service is not well."],
  ["network", "reset", "The connection was reset."],
  ["timeout", "timed_out", "No result in time."],
] as const;

const retryAfterBackoff: Write = (w) => {
  w.prelude(w.chance.below(3));
  const end = 1 + w.chance.below(3);
  for (let n = 0; n < end; n++) {
    const call = w.chance.once(2) ? w.newRead() : w.newSearch();
    const failures = w.chance.once(3) ? 2 : 1;
    const start = w.chance.below(PASSING.length);
    for (let k = 0; k < failures; k++) {
      const [kind, code, message] = PASSING[(start + k) % PASSING.length] ?? PASSING[0];
      w.act(w.failed(call, kind, code, message));
      w.wait(60_000 + w.chance.below(60_000));
      if (w.chance.once(3)) w.prelude(1);
    }
    w.act(call);
  }
};

const rereadAfterCompaction: Write = (w) => {
  const first = w.newThing();
  const second = w.newThing();
  w.act(w.read(first), w.read(second));
  w.prelude(7 + w.chance.below(4));
  w.compact(1, w.turns - (w.chance.once(2) ? 0 : 3));
  w.act(w.read(first));
  if (w.chance.once(2)) w.act(w.read(second));
  w.act(w.write(first, w.chance.pick(w.setting.values)));
  w.prelude(1 + w.chance.below(3));
};

const fanOut: Write = (w) => {
  const end = 1 + w.chance.below(3);
  for (let n = 0; n < end; n++) {
    const way = w.chance.below(4);
    const width = 4 + w.chance.below(5);
    if (way === 0) w.act(...Array.from({ length: width }, () => w.newRead()));
    else if (way === 1) w.act(...Array.from({ length: width }, () => w.newSearch()));
    else if (way === 2) {
      // Equal calls beside each other are one.
      const call = w.newRead();
      w.act(call, call, call, w.newRead());
    } else {
      const missing = Array.from({ length: 4 }, () => w.newRead());
      w.act(...missing.map((call) => w.failed(call, "not_found", "no_such", "There is none by that name.")));
      w.act(w.list(n + 1, [w.newThing(), w.newThing()]));
    }
  }
  w.prelude(1);
};

const AGAIN = ["Look again, please, I changed it.", "Are you sure? Check once more.", "And now?"] as const;

const afterHuman: Write = (w) => {
  w.prelude(w.chance.below(3));
  const call = w.newThing();
  const times = 1 + w.chance.below(2);
  const end = 2 + w.chance.below(2);
  for (let n = 0; n < end; n++) {
    for (let k = 0; k < times; k++) {
      w.act(w.read(call));
      if (k + 1 < times) w.prelude(1);
    }
    w.human(AGAIN[n % AGAIN.length] ?? AGAIN[0]);
  }
  w.act(w.read(call));
};

const emptyText: Write = (w) => {
  const mixed = w.chance.once(2);
  const end = 4 + w.chance.below(7);
  for (let n = 0; n < end; n++) {
    const thing = w.newThing();
    const kind = mixed ? w.chance.below(3) : 1;
    if (kind === 0) w.turn("", w.read(thing));
    else if (kind === 1)
      w.turn("", w.search(`${thing} ${w.chance.pick(w.setting.topics)}`, [`hit-${thing}`]));
    else w.turn("", w.write(thing, w.chance.pick(w.setting.values)));
  }
};

/** One short of each rule, then something that is new. */
const nearMiss: Write = (w) => {
  w.prelude(w.chance.below(3));
  const thing = w.newThing();
  const other = w.newThing();
  const values = w.setting.values;
  const way = w.chance.below(9);
  const times = (n: number, act: (k: number) => void): void => {
    for (let k = 0; k < n; k++) act(k);
  };
  if (way === 0) times(2, () => w.act(w.read(thing)));
  else if (way === 1) times(3, (k) => w.act(w.read(k % 2 === 0 ? thing : other)));
  else if (way === 2)
    times(3, () => w.act(w.failed(w.newRead(), "not_found", "no_such", "There is none by that name.")));
  else if (way === 3) w.turn(w.chance.pick(w.setting.excuses));
  else if (way === 4) times(3, (k) => w.act(w.list(k + 1, [])));
  else if (way === 5) times(3, (k) => w.act(w.write(thing, values[k % 2] ?? "")));
  else if (way === 6)
    times(4, (k) => w.act(w.book("log_progress", { text: `${NUMBERS[k] ?? ""} part done` }, { ok: true })));
  else if (way === 7) times(5, () => w.act({ ...w.newSearch(), answer: { output: { items: [] } } }));
  else {
    const refused = w.write(thing, values[0]);
    w.act(w.newRead(), w.skipped(refused, "POLICY_DENY", "The policy does not allow it."));
  }
  w.prelude(2);
};

export const OKS: Readonly<Record<OkFamily, { readonly write: Write; readonly count: number }>> = {
  polling: { write: polling, count: 15 },
  paging: { write: paging, count: 15 },
  bulk_edit: { write: bulkEdit, count: 15 },
  verify_after_write: { write: verifyAfterWrite, count: 15 },
  retry_after_backoff: { write: retryAfterBackoff, count: 15 },
  reread_after_compaction: { write: rereadAfterCompaction, count: 15 },
  fan_out: { write: fanOut, count: 15 },
  after_human: { write: afterHuman, count: 15 },
  empty_text: { write: emptyText, count: 15 },
  near_miss: { write: nearMiss, count: 24 },
};
