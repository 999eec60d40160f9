import { after, at, FAILURES, repeat, type Write } from "./loop.ts";
import type { Asked } from "./trace-writer.ts";

/** Loops that do the same again: an equal call, an equal round of calls, an equal value. */
export const sameResult: Write = (w, config) => {
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

export const sameError: Write = (w) => {
  w.prelude(w.chance.below(4));
  const [kind, code, message] = w.chance.pick(FAILURES);
  const call = w.chance.once(2) ? w.write(w.newThing(), w.setting.values[1] ?? "") : w.newRead();
  const turns = repeat(w, 2 + after(w), () => {
    w.act(w.failed(call, kind, code, `${message} (${1_000 + w.chance.below(9_000)}).`));
  });
  return { onset: at(turns, 1), complete: at(turns, 1) };
};

export const cycle =
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
      // Reads that report their own time differ on each call.
      w.act(
        ...calls.map((call) =>
          call.tool === w.setting.read.name ? w.read(String(call.args[w.setting.read.arg])) : call,
        ),
      );
    }
    return { onset: first + period, complete: first + 2 * period - 1 };
  };

export const thrash: Write = (w) => {
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

export const blockEcho: Write = (w) => {
  w.prelude(w.chance.below(3));
  const [code, message] = w.chance.pick(REFUSALS);
  const call = w.write(w.newThing(), w.setting.values[0]);
  const turns = repeat(w, 3 + after(w), () => w.act(w.newRead(), w.skipped(call, code, message)));
  return { onset: at(turns, 1), complete: at(turns, 2) };
};

export const afterCompaction: Write = (w) => {
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
