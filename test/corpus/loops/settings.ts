import type { ToolTraitsOfTrace } from "./loop-format.ts";

/** Where a generated trace plays: the tools of one kind of agent, and what there is to read, list and write. */
export interface Setting {
  readonly wishes: readonly [string, ...string[]];
  readonly thoughts: readonly [string, ...string[]];
  /** answers that a review refuses, in pairs of different words */
  readonly excuses: readonly [string, ...string[]];
  readonly topics: readonly [string, ...string[]];
  readonly things: readonly [string, ...string[]];
  readonly read: { readonly name: string; readonly arg: string };
  readonly search: { readonly name: string; readonly arg: string };
  readonly list: { readonly name: string; readonly arg: string; readonly of: string };
  readonly write: { readonly name: string; readonly target: string; readonly value: string };
  readonly poll: { readonly name: string; readonly arg: string };
  readonly values: readonly [string, ...string[]];
  readonly tools: Readonly<Record<string, ToolTraitsOfTrace>>;
}

const BOOKKEEPING: Setting["tools"] = {
  update_plan: { cls: "read" },
  log_progress: { cls: "read" },
  retrieve_memory: { cls: "read" },
  read_observation: { cls: "read" },
  store_memory: { cls: "keyed" },
};

type Named = Pick<Setting, "read" | "search" | "list" | "write" | "poll">;

const traitsOf = (named: Named): Setting["tools"] => ({
  [named.read.name]: { cls: "read", volatile: ["took_ms"] },
  [named.search.name]: { cls: "read", query: named.search.arg, ids: "items[].id" },
  [named.list.name]: { cls: "read", ids: "items[].id" },
  [named.write.name]: { cls: "keyed", target: named.write.target, value: named.write.value },
  [named.poll.name]: { cls: "read", polling: { minIntervalMs: 5_000, maxPolls: 20 } },
  ...BOOKKEEPING,
});

const CMS: Named = {
  read: { name: "page_get", arg: "page" },
  search: { name: "find", arg: "query" },
  list: { name: "entry_list", arg: "collection", of: "posts" },
  write: { name: "section_update", target: "section", value: "text" },
  poll: { name: "preview_status", arg: "build" },
};
const WEB: Named = {
  read: { name: "fetch_page", arg: "url" },
  search: { name: "web_search", arg: "q" },
  list: { name: "list_feed", arg: "feed", of: "papers" },
  write: { name: "note_write", target: "note", value: "text" },
  poll: { name: "crawl_status", arg: "crawl" },
};
const CODE: Named = {
  read: { name: "read_file", arg: "path" },
  search: { name: "search_code", arg: "pattern" },
  list: { name: "list_issues", arg: "repository", of: "shop" },
  write: { name: "set_option", target: "key", value: "value" },
  poll: { name: "check_status", arg: "run" },
};
const DESK: Named = {
  read: { name: "ticket_get", arg: "ticket" },
  search: { name: "knowledge_search", arg: "query" },
  list: { name: "ticket_list", arg: "queue", of: "billing" },
  write: { name: "ticket_set_status", target: "ticket", value: "status" },
  poll: { name: "export_status", arg: "export" },
};

export const SETTINGS: readonly [Setting, ...Setting[]] = [
  {
    ...CMS,
    wishes: ["Freshen up the About page.", "Put our prices into the pricing page.", "Tidy the blog."],
    thoughts: [
      "I will look at this page first.",
      "Now the next one.",
      "Let me see what is there.",
      "On to that.",
    ],
    excuses: [
      "The pages should be in good shape by this point, more or less.",
      "I believe everything you wanted has been taken care of already.",
      "Content looks ready; nothing else seems necessary from here.",
      "This ought to cover what was requested, unless something is missing.",
    ],
    topics: ["opening hours", "delivery costs", "team portraits", "press contact"],
    things: [
      "about",
      "contact",
      "pricing",
      "careers",
      "imprint",
      "blog",
      "press",
      "events",
      "shop",
      "gallery",
    ],
    values: ["We build boats.", "We repair boats.", "Boats, built by hand.", "Wooden boats since 1961."],
    tools: traitsOf(CMS),
  },
  {
    ...WEB,
    wishes: ["Find out how heat pumps fare in old houses.", "Compare three sources on soil carbon."],
    thoughts: [
      "Let me read this one.",
      "That looks useful.",
      "Next source.",
      "I want a second opinion on this.",
    ],
    excuses: [
      "Sources generally agree, so the question may be regarded as settled.",
      "My reading suggests the answer is positive in most circumstances.",
      "Plenty of material exists and supports what was supposed before.",
      "Overall one gets the impression that evidence points forward.",
    ],
    topics: ["field study", "measured efficiency", "cost over ten years", "criticism"],
    things: [
      "https://energy.example/heat-pumps",
      "https://journal.example/retrofit",
      "https://city.example/pilot",
      "https://lab.example/measurements",
      "https://soil.example/carbon",
      "https://farm.example/trial",
      "https://review.example/meta",
      "https://museum.example/boilers",
    ],
    values: [
      "Works well when insulated.",
      "Doubtful below minus ten.",
      "Cheaper over ten years.",
      "Unclear.",
    ],
    tools: traitsOf(WEB),
  },
  {
    ...CODE,
    wishes: ["The checkout test fails since Monday, please fix it.", "Rename the price module."],
    thoughts: [
      "Read the file that the trace names.",
      "Now its test.",
      "Then its caller.",
      "Where is this used?",
    ],
    excuses: [
      "Tests should pass after these modifications, presumably without trouble.",
      "The failing assertion probably stems from rounding somewhere.",
      "Everything compiles according to what could be inspected so far.",
      "Nothing further appears broken within the checkout directory.",
    ],
    topics: ["rounding", "currency", "fixture", "timezone"],
    things: [
      "src/checkout.ts",
      "src/price.ts",
      "src/cart.ts",
      "test/checkout.test.ts",
      "src/tax.ts",
      "src/format.ts",
      "src/index.ts",
      "docs/prices.md",
      "src/voucher.ts",
    ],
    values: ["half-up", "half-even", "floor", "ceiling"],
    tools: traitsOf(CODE),
  },
  {
    ...DESK,
    wishes: ["Answer the open billing tickets.", "Which customers wait longest?", "Close what is solved."],
    thoughts: ["Read the ticket.", "Is there an article on it?", "The next ticket.", "Look at who wrote it."],
    excuses: [
      "Customers have been looked after appropriately, as far as visible.",
      "The queue appears healthy and hardly anything remains waiting.",
      "Replies were prepared according to our usual guidance for billing.",
      "There seems little more that support could contribute today.",
    ],
    topics: ["refund after return", "double charge", "invoice address", "cancelled card"],
    things: [
      "T-alpha",
      "T-bravo",
      "T-charlie",
      "T-delta",
      "T-echo",
      "T-foxtrot",
      "T-golf",
      "T-hotel",
      "T-india",
    ],
    values: ["open", "waiting", "solved", "on-hold"],
    tools: traitsOf(DESK),
  },
];
