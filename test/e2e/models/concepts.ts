/**
 * A small model of meaning for tests: words stand for concepts, and a text is the sum of its concepts. It knows nothing of any
 * query or page. A word that it does not know says a little, in a direction of its own, as a real model would take it.
 */

/** Words that mean much the same, in two languages. A trailing `*` is any ending. */
const CONCEPTS: readonly string[] = [
  "walk* hike* hiking trek* ramble* stroll* route* tour* wander* path paths trail* footpath*",
  "mountain* hill* peak* summit* fell fells ridge* alpine berg* highland*",
  "hut* cabin* lodge* shelter* refuge* bothy bothies overnight sleep* bed beds stay*",
  "guide* leader* instructor* escort* teacher* expert*",
  "price* cost* fee fees charge* expensive cheap pay money preis* kosten afford*",
  "book* reserve* reservation* appointment* buchung*",
  "contact* phone* email* reach* call write telephone message* talk",
  "winter snow* cold ice icy frost* december january",
  "pack* rucksack* bag bags luggage gear equipment kit backpack*",
  "clothing clothes wear jacket* boots shoes socks dress*",
  "weather forecast* rain* storm* sun sunny climate",
  "food eat meal* lunch* dinner* breakfast picnic* cook* bread cheese",
  "child* kid kids famil* toddler* parents young",
  "dog dogs pet pets animal* puppy",
  "safe* danger* risk* hazard* accident* rescue emergency",
  "map maps compass navigat* chart* contour*",
  "team* staff crew colleague* people who founder*",
  "history story founded began origin* past",
  "lake* tarn* water river* stream* pond*",
  "tree* forest* wood woods larch* pine*",
  "photo* picture* camera* snapshot*",
  "begin* start* novice* easy first introduction starter",
  "refund* cancel* money-back terms conditions policy",
  "insurance insured liability cover* indemnity",
  "train trains bus buses transport* travel* parking car cars arrive*",
  "job jobs career* hiring vacanc* employment work",
  "gift* voucher* present presents birthday",
  "night* dark* evening* torch* lantern* star stars",
  "group* company companies corporate office event* colleagues",
  "spring may april bloom* flower* blossom*",
  "autumn fall october november leaves",
  "fit* train* exercise strength health* stamina",
];
const EXTRA = 64;

const patterns = CONCEPTS.map((list) =>
  list.split(" ").map((word) => ({ head: word.replace("*", ""), isOpen: word.endsWith("*") })),
);

export const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);

/** Words that say nothing of what a text is about. */
const SAYS_NOTHING = new Set(
  "the a an and or of to in on for with is are was be it its we you your our what where when which how who can do does i my me at by from as there this that these any not no if up out has have".split(
    " ",
  ),
);

/** The vector of a text: a number for each concept, and some for the words of none. Not of length 1. */
export function meaningOf(text: string): number[] {
  const vector = Array.from({ length: CONCEPTS.length + EXTRA }, () => 0);
  for (const word of wordsIn(text)) {
    if (SAYS_NOTHING.has(word)) continue;
    let known = false;
    for (const [at, list] of patterns.entries())
      if (list.some(({ head, isOpen }) => (isOpen ? word.startsWith(head) : word === head))) {
        vector[at] = (vector[at] ?? 0) + 1;
        known = true;
      }
    if (known) continue;
    const at = CONCEPTS.length + (hashOf(word) % EXTRA);
    vector[at] = (vector[at] ?? 0) + 0.2;
  }
  // Everything that is said has something in common with everything else, as with real models.
  return vector.map((one) => one + 0.02);
}

function hashOf(word: string): number {
  let hash = 7;
  for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return hash;
}
