import { afterEach, expect, test } from "vitest";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import { tryTool } from "../../../src/cairn/tools/define.ts";
import { extract, type Extract, type Extractor } from "../../../src/cairn/documents/extract.ts";
import type { PageContent } from "../../../src/cairn/documents/page.ts";
import { visit } from "../../../src/plugins/web/visit.ts";
import { startWeb, type LocalWeb } from "../../plugins/web/local-web.ts";

type Part = Parameters<Extractor["read"]>[0];

const page = (title: string, text: string): PageContent => ({
  url: `http://alps.example.com/${title}`,
  title,
  date: null,
  text,
  links: [],
  cut: false,
});
/** Answers as told, and notes what it was given. */
function extractorOf(answer: (part: Part) => Partial<Extract>) {
  const read: Part[] = [];
  const extractor: Extractor = {
    costUsdMax: 0.05,
    read: async (part) => {
      read.push(part);
      return { quotes: [], note: "", costUsd: 0.01, ...answer(part) };
    },
  };
  return { extractor, read };
}
const GOAL = "when does the Gotthard open";
async function extracted(pages: readonly PageContent[], extractor: Extractor) {
  const spent: number[] = [];
  const options = { signal: new AbortController().signal, spend: (usd: number) => void spent.push(usd) };
  return { found: await extract(pages, GOAL, extractor, options), spent };
}

test("quotes that the page says are passages with their places; what it does not say is dropped and counted", async () => {
  const text = "The Gotthard opens\non 15 May.\nThe Furka stays closed.";
  const quotes = ["The Gotthard opens on  15 May.", "The Gotthard opens on 16 May.", "short"];
  const { extractor } = extractorOf(() => ({ quotes, note: " It says a day. " }));
  const { found, spent } = await extracted([page("a", text)], extractor);
  const passage = { start: 0, end: 29, quote: "The Gotthard opens\non 15 May." };
  expect(found).toEqual([{ passages: [passage], dropped: 2, note: "It says a day." }]);
  expect(spent).toEqual([0.01]);
});

test("six parts are read at most, those that are nearest to the goal", async () => {
  const parts = Array.from({ length: 12 }, (_, n) => {
    const words = n % 2 === 0 ? `Gotthard ${n}` : `Furka ${n}`;
    return `${words} ${"x ".repeat(5_900)}.`;
  });
  const { extractor, read } = extractorOf(() => ({}));
  await extracted([page("a", parts.join("\n"))], extractor);
  expect(read.map(({ text }) => text.slice(0, 10).trim())).toEqual(
    [0, 2, 4, 6, 8, 10].map((n) => `Gotthard ${n}`.slice(0, 10)),
  );
  read.length = 0;
  await extracted(
    ["a", "b", "c", "d", "e"].map((name) => page(name, "Nothing of it.")),
    extractor,
  );
  expect(read.map(({ title }) => title)).toEqual(["a", "b", "c", "d", "e"]);
});

test("a model that fails, or quotes nothing that is there, leaves the choice to words, and is paid for", async () => {
  const failing: Extractor = { costUsdMax: 0.05, read: () => Promise.reject(new Error("overloaded")) };
  expect(await extracted([page("a", "The Gotthard opens.")], failing)).toEqual({
    found: [null],
    spent: [0.05],
  });
  const { extractor } = extractorOf(() => ({ quotes: ["I made this up for you."] }));
  expect((await extracted([page("a", "The Gotthard opens.")], extractor)).found).toEqual([null]);
});

let web: LocalWeb | null = null;
afterEach(async () => {
  await web?.close();
  web = null;
});

async function visited(extractor: Extractor | null): Promise<{ output: Json; spent: number }> {
  web = await startWeb((request, response) => {
    response.setHeader("content-type", "text/html");
    const isDead = request.url === "/dead";
    response.statusCode = isDead ? 404 : 200;
    response.end(`<title>T</title><p>The Gotthard opens on 15 May.</p><p>The way up is steep and long.</p>`);
  });
  const memory = { isTainted: () => false, knowsUrl: () => false };
  const services = { access: web.access, toText: null, browser: null, memory, extractor };
  const urls = ["http://alps.example.com/a", "http://alps.example.com/dead"];
  const { result, spent } = await tryTool(visit, { input: { urls, goal: GOAL }, services });
  if (!result.ok) throw new Error(result.error.message);
  return { output: result.value, spent };
}

test("visit shows what the model picked, says so, and says what it invented; a page that is gone is gone", async () => {
  const quotes = ["The way up is steep and long.", "Bring a million dollars."];
  const { output, spent } = await visited(extractorOf(() => ({ quotes, note: "Steep." })).extractor);
  expect(output).toMatchObject({
    pages: [
      {
        quotes: [{ quote: "The way up is steep and long." }],
        by: "a model, from the words of the page",
        note: "Steep.",
        dropped: 1,
      },
      { error: { code: "http_404" } },
    ],
  });
  expect(spent).toBe(0.01);
});

test("a model that fails is no page that fails: words choose, and the result says so", async () => {
  const failing: Extractor = { costUsdMax: 0.05, read: () => Promise.reject(new Error("overloaded")) };
  const { output } = await visited(failing);
  expect(output).toMatchObject({
    pages: [{ by: "words: the passages that share most words with the goal" }, {}],
  });
  expect(JSON.stringify(output)).toContain("opens on 15 May");
});
