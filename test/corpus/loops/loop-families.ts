import type { LoopFamily } from "./loop-format.ts";
import { at, FAILURES, LATER, NOTES, type Write } from "./loop.ts";
import { afterCompaction, blockEcho, cycle, sameError, sameResult, thrash } from "./loop-repeats.ts";
import {
  bookkeeping,
  drift,
  errorStreak,
  monologue,
  nearQueries,
  nearQuery,
  noProgress,
  sameThought,
  turned,
} from "./loop-streaks.ts";

const mixed: Write = (w) => {
  w.prelude(w.chance.below(3));
  const same = w.newThing();
  const turns: number[] = [];
  const way = w.chance.below(4);
  for (let n = 0; n < 5; n++) {
    const [kind, code, message] = FAILURES[n % FAILURES.length] ?? FAILURES[0];
    // The repeated read stands beside a failure that is a new one each time.
    if (way === 0) w.act(w.read(same), w.failed(w.newRead(), kind, code, message));
    // The read alternates with bookkeeping that looks like progress.
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
