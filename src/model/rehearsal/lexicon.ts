import type { Token } from "./tokens.ts";

/** What a clause asks for, by its verb. The nouns beside it decide the wish. */
export type Act =
  | "create"
  | "add"
  | "publish"
  | "unpublish"
  | "remove"
  | "rename"
  | "change"
  | "move"
  | "hide"
  | "show"
  | "copy"
  | "list"
  | "find"
  | "tell"
  | "undo"
  | "check"
  | "take"
  | "write"
  | "have";

const VERBS: Readonly<Record<Act, readonly string[]>> = {
  create: [
    "create",
    "make",
    "build",
    "generate",
    "set up",
    "setup",
    "put together",
    "prepare",
    "design",
    "craft",
    "start",
    "give me",
    "come up with",
    "spin up",
    "produce",
    "draft",
  ],
  add: ["add", "insert", "append", "include", "attach", "put", "place", "stick", "link", "pin"],
  publish: ["publish", "release", "launch", "go live", "put live", "re-publish", "republish", "push live"],
  unpublish: [
    "unpublish",
    "un-publish",
    "depublish",
    "take down",
    "take offline",
    "retract",
    "withdraw",
    "deactivate",
  ],
  remove: ["delete", "remove", "erase", "drop", "trash", "get rid of", "discard", "kick", "bin", "scrap"],
  rename: ["rename", "re-name", "retitle", "call", "name"],
  change: [
    "change",
    "set",
    "update",
    "edit",
    "replace",
    "modify",
    "rewrite",
    "alter",
    "adjust",
    "swap",
    "switch",
    "turn",
    "fix",
    "use",
    "pick",
    "choose",
    "select",
    "reword",
    "give",
    "let",
  ],
  move: ["move", "shift", "reorder", "drag", "bring", "reposition", "push"],
  hide: ["hide", "conceal"],
  show: ["show", "unhide", "un-hide", "reveal", "display"],
  copy: ["duplicate", "copy", "clone"],
  list: [
    "give me a list of",
    "give me the list of",
    "give me an overview of",
    "make a list of",
    "create a list of",
    "give me a list",
    "list",
    "enumerate",
    "show me",
    "see",
    "view",
  ],
  find: ["find", "search", "look for", "look up", "locate", "search for"],
  tell: ["tell me", "tell", "describe", "explain", "read", "summarise", "summarize", "open"],
  undo: ["undo", "revert", "roll back", "rollback", "restore"],
  check: [
    "run a check",
    "run the checks",
    "run checks",
    "check",
    "verify",
    "audit",
    "validate",
    "inspect",
    "review",
  ],
  take: ["take"],
  write: ["write", "compose"],
  have: ["have", "need", "want", "like", "get", "contain", "require"],
};

/** Verbs that are also plain nouns or adjectives: inside a sentence they open a clause only before an object. */
const AMBIGUOUS = new Set(
  "run pick choose select list link name call title copy design search place need like have get use show start check review display drop release read find set turn put pin bin push let see view open draft write want contain require make build give take launch update fix edit include switch bring start".split(
    " ",
  ),
);

const DOUBLED = new Set(["put", "set", "get", "swap", "drop", "pin", "drag", "bin", "let", "scrap"]);

interface VerbForm {
  readonly words: readonly string[];
  readonly act: Act;
  readonly ambiguous: boolean;
}

const FORMS: readonly VerbForm[] = (Object.entries(VERBS) as [Act, readonly string[]][])
  .flatMap(([act, phrases]) =>
    phrases.flatMap((phrase) => {
      const [first = "", ...rest] = phrase.split(" ");
      const ambiguous = AMBIGUOUS.has(first) && rest.length === 0;
      return (rest.length > 0 ? [first] : inflect(first)).map((form) => ({
        words: [form, ...rest],
        act,
        ambiguous,
      }));
    }),
  )
  .sort((a, b) => b.words.length - a.words.length);

function inflect(verb: string): string[] {
  const stem = verb.endsWith("e") ? verb.slice(0, -1) : DOUBLED.has(verb) ? verb + verb.slice(-1) : verb;
  return [verb, `${stem}ing`];
}

/** Past forms, for "get it published" and "it should be linked in the footer". */
export const PARTICIPLES: Readonly<Record<string, Act>> = {
  published: "publish",
  live: "publish",
  online: "publish",
  public: "publish",
  released: "publish",
  unpublished: "unpublish",
  offline: "unpublish",
  private: "unpublish",
  deleted: "remove",
  removed: "remove",
  gone: "remove",
  added: "add",
  linked: "add",
  listed: "add",
  included: "add",
  hidden: "hide",
  renamed: "rename",
  called: "rename",
  named: "rename",
  created: "create",
  made: "create",
  built: "create",
};

export interface Verb {
  readonly act: Act;
  readonly word: string;
  /** tokens that the verb takes */
  readonly length: number;
  readonly ambiguous: boolean;
}

/** The verb at this place of a clause, or null. A long word may differ from the lexicon by one letter ("pubish"). */
export function verbAt(tokens: readonly Token[], at: number): Verb | null {
  const exact = FORMS.find((form) => form.words.every((word, index) => tokens[at + index]?.lower === word));
  if (exact !== undefined) {
    return {
      act: exact.act,
      word: exact.words[0] ?? "",
      length: exact.words.length,
      ambiguous: exact.ambiguous,
    };
  }
  const word = tokens[at]?.lower ?? "";
  if (word.length < 5 || NOUNS.has(word)) return null;
  const near = FORMS.find(
    ({ words, ambiguous }) => words.length === 1 && !ambiguous && oneApart(words[0] ?? "", word),
  );
  return near === undefined
    ? null
    : { act: near.act, word: near.words[0] ?? "", length: 1, ambiguous: false };
}

/** Whether two words differ by one letter more, less, changed or swapped. Shorter words than `least` never do. */
export function oneApart(known: string, typed: string, least = 6): boolean {
  if (known.length < least || Math.abs(known.length - typed.length) > 1 || known[0] !== typed[0])
    return false;
  let start = 0;
  while (start < known.length && known[start] === typed[start]) start += 1;
  const rest = (text: string, skip: number): string => text.slice(start + skip);
  const swapped = known[start] === typed[start + 1] && known[start + 1] === typed[start];
  return (
    rest(known, 1) === rest(typed, 1) ||
    rest(known, 1) === rest(typed, 0) ||
    rest(known, 0) === rest(typed, 1) ||
    (swapped && rest(known, 2) === rest(typed, 2))
  );
}

export const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

export const PAGE_WORDS = words("page pages homepage subpage webpage");

export const NAV_WORDS = words(
  "navigation nav navbar menu menus menubar navigations navigaton navigtion topbar",
);

export const PLACE_WORDS = words("header footer");

export const SECTION_WORDS = words("section sections block blocks");

export const IMAGE_WORDS = words("image images picture pictures photo photos photograph background img pic");

export const POST_WORDS = words("post posts article articles entry entries blogpost");

export const TITLE_WORDS = words("heading headline title titles header headings");

export const SUBTITLE_WORDS = words("subtitle subheading subheadline subline sub-title sub-heading");

export const TEXT_WORDS = words(
  "text copy description content body paragraph wording intro introduction note",
);

export const BUTTON_WORDS = words("button");

export const SLUG_WORDS = words("slug url address path permalink link");

export const DETERMINERS = words(
  "a an the this that these those my our your its their some all every each new another any",
);

export const DEFINITE = words("the this that my our your its their existing current");

export const PRONOUNS = words("it its them they itself one");

export const FILLERS = words(
  "please pls plz kindly can could would will you u i we i'd i'll we'd we'll i'm let's lets to just now then also first next finally lastly hey hi hello ok okay so well maybe quickly go ahead help me us should must might may afterwards thanks and yes sure right great cool cairn again quick possible if simply perhaps ideally directly actually mind after that's that is",
);

export const NEGATIONS = words("don't dont not never without no doesn't shouldn't");

/** Words before "page" that say nothing of its name. */
export const GENERIC = words(
  "new landing simple nice blank draft empty single quick web beautiful proper small short second third content site little basic additional extra other first same whole fresh great modern clean sub one two three website test published live",
);

const NOUNS: ReadonlySet<string> = new Set([
  ...PAGE_WORDS,
  ...NAV_WORDS,
  ...SECTION_WORDS,
  ...IMAGE_WORDS,
  ...POST_WORDS,
  ...TITLE_WORDS,
  ...TEXT_WORDS,
  ...words("feature features gallery hero banner creative private public"),
]);

/** 1 for "first", 2 for "second" or "2nd" …; -1 for "last", -2 for "second to last". */
export function ordinalOf(word: string): number | null {
  const known: Readonly<Record<string, number>> = {
    first: 1,
    "1st": 1,
    top: 1,
    second: 2,
    "2nd": 2,
    third: 3,
    "3rd": 3,
    fourth: 4,
    "4th": 4,
    fifth: 5,
    "5th": 5,
    sixth: 6,
    "6th": 6,
    last: -1,
    final: -1,
    bottom: -1,
    penultimate: -2,
  };
  return known[word] ?? null;
}

/** A number written as a digit or a word, or null. */
export function countOf(word: string): number | null {
  const index = ["zero", "one", "two", "three", "four", "five", "six"].indexOf(word);
  if (index > 0) return index;
  return /^\d{1,2}$/u.test(word) ? Number(word) : null;
}
