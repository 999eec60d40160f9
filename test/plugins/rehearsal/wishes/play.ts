import { play } from "../run.ts";
import type { Wish } from "./format.ts";
import { judge, type Judgement } from "./judge.ts";
import { siteOf } from "./site.ts";

/** Plays a wish against the rehearsal model. A run that throws ends in no answer; what it wrote before counts all the same. */
export function playWish(wish: Wish): { readonly judgement: Judgement; readonly text: string } {
  const site = siteOf(wish);
  try {
    const played = play(site, wish.text, {
      ...(wish.earlier === undefined ? {} : { earlier: wish.earlier }),
      ...(wish.memory === undefined ? {} : { memory: wish.memory }),
    });
    return { judgement: judge(wish, played, site), text: played.text };
  } catch (error) {
    const judgement = judge(wish, { calls: [], text: "" }, site);
    return { judgement, text: `(threw) ${error instanceof Error ? error.message : String(error)}` };
  }
}
