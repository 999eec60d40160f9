import type { Fetcher } from "../../cairn/outbound/bindings.ts";
import { askText, ProviderFault, type AskOptions } from "../../cairn/outbound/provider.ts";
import { titleKey } from "./work.ts";

/**
 * https://info.arxiv.org/help/api/user-manual.html: finds open texts of works. arXiv allows one request in three
 * seconds, so all titles of a call are one query. Its feed has few elements, which are read by name.
 */

export const ARXIV_URL = "https://export.arxiv.org";

const TITLES_MAX = 10;

/** By the key of the title: where its text is. */
export async function findTexts(
  fetch: Fetcher,
  baseUrl: string,
  titles: readonly string[],
  options: AskOptions,
): Promise<ReadonlyMap<string, string>> {
  const keys = titles.map(titleKey).filter((title) => title !== "");
  if (keys.length === 0) return new Map();
  const question = keys
    .slice(0, TITLES_MAX)
    .map((title) => `ti:"${title}"`)
    .join(" OR ");
  const words = new URLSearchParams({ search_query: question, max_results: String(2 * TITLES_MAX) });
  const ask = { provider: "arxiv", url: `${baseUrl}/api/query?${words.toString()}`, init: {} };
  const feed = await askText(fetch, ask, options);
  if (!/<feed\b/.test(feed)) throw new ProviderFault("answer", "arxiv did not answer a feed.");
  const entries = feed.split(/<entry\b/).slice(1);
  return new Map(
    entries.flatMap((entry): [string, string][] => {
      const title = /<title\b[^<>]*>([^<]*)<\/title>/.exec(entry)?.[1];
      const id = /<id>\s*https?:\/\/arxiv\.org\/abs\/([\w./-]+?)(?:v\d+)?\s*<\/id>/.exec(entry)?.[1];
      return title === undefined || id === undefined ? [] : [[titleKey(unescape(title)), textUrl(id)]];
    }),
  );
}

export const textUrl = (id: string): string => `https://arxiv.org/pdf/${id}`;

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

const unescape = (text: string): string =>
  text.replace(/&(lt|gt|quot|apos|amp);/g, (whole, name: string) => NAMED[name] ?? whole);
