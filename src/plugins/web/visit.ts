import * as z from "zod";
import { URL_CHARS_MAX } from "../../cairn/core/limits.ts";
import type { Json, JsonObject } from "../../cairn/core/log/json.ts";
import type { Passage } from "../../cairn/core/log/receipt.ts";
import { defineTool, ToolError, type ToolContext } from "../../cairn/tools/define.ts";
import type { FetchFault } from "../../cairn/outbound/fetch-fault.ts";
import { extract, EXTRACTS_MAX, type Extractor, type PageExtract } from "../../cairn/documents/extract.ts";
import { bestPassages } from "../../cairn/documents/passages.ts";
import type { PageContent } from "../../cairn/documents/page.ts";
import { readUrl } from "./reading/read-url.ts";
import { rank } from "../../cairn/documents/words.ts";
import { createResolve } from "../../cairn/outbound/resolve.ts";
import { canonicalUrl } from "../../cairn/outbound/safe-url.ts";
import type { WebServices } from "./services.ts";
import { previewOf, refuseStrange } from "./strange-urls.ts";
import { withTimeLimit } from "../../cairn/time-limit.ts";

const URLS_MAX = 5;
const GOAL_CHARS_MAX = 2_000;
/** of the whole call; pages loaded by then are kept */
const VISIT_MS = 90_000;
const GIVE_UP_MS = 85_000;
/** of these, for the model that picks the passages */
const EXTRACT_MS = 30_000;
/** passages of one page, and of all pages of a call */
const PASSAGES_MAX = 6;
const PASSAGES_ALL_MAX = 14;
const LINKS_SHOWN_MAX = 6;
const OBSERVATION_CHARS = 20_000;

const input = z.strictObject({
  urls: z.array(z.string().trim().min(1).max(URL_CHARS_MAX)).min(1).max(URLS_MAX),
  goal: z
    .string()
    .trim()
    .min(1)
    .max(GOAL_CHARS_MAX)
    .describe("What you want to know from them, in the words of the pages"),
});
type Input = z.output<typeof input>;
type Context = ToolContext<WebServices>;

/** Reads pages, keeps them whole, and shows what of them is about the goal, each passage under a name by which it can be cited. */
export const visit = defineTool<WebServices, typeof input, Json>({
  name: "visit",
  lean: true,
  version: 1,
  title: "Read web pages",
  description:
    "Reads web pages (HTML, text, PDF) and returns the passages about your goal. Each has an id such as e12: cite it as [e12]. The page is kept: read_observation with its id, such as p7, reads all of it.",
  input,
  effect: "read",
  tier: "open",
  reads: "outside",
  // An address that was shown carries nothing out; about any other one a person is asked (preview).
  reach: "none",
  approval: "depends",
  timeoutMs: VISIT_MS,
  observationMax: OBSERVATION_CHARS,
  shape: { target: ["urls"], query: "goal" },
  costUsd: (_, { extractor }) => EXTRACTS_MAX * (extractor?.costUsdMax ?? 0),
  preview: async ({ urls }, { services }) => previewOf(urls, services, "Read web pages"),
  run: visitPages,
});

async function visitPages({ urls, goal }: Input, context: Context): Promise<Json> {
  const { services, progress } = context;
  refuseStrange(urls, context, "visit");
  const wanted = [...new Set(urls.map(canonicalUrl))];
  const resolve = createResolve(services.access);
  let read = 0;
  const { extractor } = services;
  const readMs = extractor === null ? GIVE_UP_MS : GIVE_UP_MS - EXTRACT_MS;
  const results = await withTimeLimit(readMs, context.signal, (signal) =>
    Promise.all(
      wanted.map(async (url) => {
        const result = await readUrl(url, services, resolve, signal, context.signal);
        read++;
        progress(`Read ${read} of ${wanted.length}`, (100 * read) / wanted.length);
        return { url, result };
      }),
    ),
  );
  const contents = results.flatMap(({ result }) => (result.ok ? [result.value] : []));
  const pages = contents.length;
  const failed = results.find(({ result }) => !result.ok)?.result;
  if (pages === 0 && failed?.ok === false) throw toolError(failed.error, results.length);
  const most = Math.min(PASSAGES_MAX, Math.floor(PASSAGES_ALL_MAX / Math.max(1, pages)));
  const extracts = await extracted(contents, goal, context);
  return {
    pages: results.map(({ url, result }) => {
      if (!result.ok) return { url, error: { code: result.error.code, message: result.error.message } };
      const found = extracts.get(result.value) ?? null;
      const passages = found?.passages.slice(0, most) ?? bestPassages(result.value.text, goal, most);
      return { ...shown(result.value, passages, goal, context), ...pickedBy(found, extractor) };
    }),
    ...(extractor === null ? { by: BY_WORDS } : {}),
  };
}

const BY_WORDS = "words: the passages that share most words with the goal";

/** The model's findings by page; empty without a model. */
async function extracted(
  pages: readonly PageContent[],
  goal: string,
  { services: { extractor }, signal: stopped, spend, progress }: Context,
): Promise<ReadonlyMap<PageContent, PageExtract | null>> {
  if (extractor === null) return new Map();
  spend(0);
  progress("Pick the passages", 100);
  const found = await withTimeLimit(EXTRACT_MS, stopped, (signal) =>
    extract(pages, goal, extractor, { signal, spend }),
  );
  return new Map(pages.map((page, index) => [page, found[index] ?? null]));
}

function scriptsOf({ scripts }: PageContent): JsonObject {
  if (scripts === undefined) return {};
  if (scripts.run) return { scripts: "run: this is what a browser shows" };
  return { scripts: `not run, so text may be missing: ${scripts.why}` };
}

/** How the passages of a page were picked, where a model could have done it. */
function pickedBy(found: PageExtract | null, extractor: Extractor | null): JsonObject {
  if (extractor === null) return {};
  if (found === null) return { by: BY_WORDS };
  const { note, dropped } = found;
  return {
    by: "a model, from the words of the page",
    ...(note === "" ? {} : { note }),
    ...(dropped === 0 ? {} : { dropped }),
  };
}

function shown(
  page: PageContent,
  passages: readonly Passage[],
  goal: string,
  { outside, at }: Context,
): JsonObject {
  const { url, title, date, text, links, cut } = page;
  const stored = outside?.keepPage({ url, title, date, text, links, fetchedAt: at, passages });
  if (stored === undefined) throw new Error("visit needs a run that keeps its pages");
  const near = rank(
    links.map((link) => link.text),
    goal,
  );
  return {
    page: { ...stored.page },
    url,
    title,
    date,
    chars: text.length,
    ...scriptsOf(page),
    ...(cut ? { cut: `Only the first ${text.length} characters are kept.` } : {}),
    quotes: passages.map(({ quote }, index) => ({ id: { ...stored.evidence[index] }, quote })),
    ...(near.length === 0
      ? {}
      : {
          links: near
            .slice(0, LINKS_SHOWN_MAX)
            .flatMap((index) => (links[index] === undefined ? [] : [{ ...links[index] }])),
        }),
  };
}

/** Tried twice already: the loop does not retry, unless the server named a time. */
function toolError({ class: errorClass, code, message }: FetchFault, count: number): ToolError {
  const others = count === 1 ? "" : ` None of the ${count} pages could be read.`;
  return new ToolError(errorClass, code, `${message}${others}`, {
    hint: "Try another page, or say what could not be read.",
    retryable: false,
  });
}
