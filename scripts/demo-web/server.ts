import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { keyOf, makeCorpus, type Answer, type Corpus } from "./corpus.ts";
import { htmlOf } from "./page.ts";
import { createSearch } from "./search.ts";

/**
 * The corpus as a server on this machine. Pages are answered by the host that `x-demo-host` names, `/search` as SearXNG
 * answers, and `/dns-query` as a resolver that knows the hosts of the corpus, and no others.
 */

export interface DemoWeb {
  /** such as `http://127.0.0.1:40123` */
  readonly url: string;
  readonly corpus: Corpus;
  /** pages that were asked for, as `host/path` */
  readonly requests: string[];
  close(): Promise<void>;
}

/** Carries the host of the requested page: the request itself goes to this server's address. */
const HOST_HEADER = "x-demo-host";
/** An address that a judge of addresses takes for a public one; nothing is ever sent there. */
const PUBLIC_ADDRESS = "93.184.215.14";
const NO_SUCH_NAME = 3;

export async function startDemoWeb(): Promise<DemoWeb> {
  const corpus = makeCorpus();
  const search = createSearch(corpus.listings);
  const hosts = new Set([...corpus.answers.keys()].map((key) => key.slice(0, key.indexOf("/"))));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const host = request.headers[HOST_HEADER];
    if (typeof host === "string") {
      requests.push(keyOf(host, request.url ?? "/"));
      answerPage(corpus.answers.get(keyOf(host, request.url ?? "/")), response);
    } else answerService(request, response);
  });
  const answerService = (request: IncomingMessage, response: ServerResponse): void => {
    const url = URL.parse(request.url ?? "/", "http://127.0.0.1");
    const { pathname = "", searchParams = new URLSearchParams() } = url ?? {};
    if (pathname === "/search") sendJson(response, { results: search(searchParams.get("q") ?? "") });
    else if (pathname === "/dns-query") sendJson(response, lookUp(searchParams));
    else answerPage(undefined, response);
  };
  const lookUp = (asks: URLSearchParams): object => {
    if (!hosts.has((asks.get("name") ?? "").toLowerCase())) return { Status: NO_SUCH_NAME };
    return { Status: 0, Answer: asks.get("type") === "A" ? [{ type: 1, data: PUBLIC_ADDRESS }] : [] };
  };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    corpus,
    requests,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

/** Variables of a worker that make this corpus its web (docs/configuration.md). */
export const variablesOf = ({ url }: Pick<DemoWeb, "url">): Readonly<Record<string, string>> => ({
  WEB: "on",
  SEARCH_ORDER: "searxng",
  SEARXNG_URL: url,
  WEB_DNS_URL: `${url}/dns-query`,
  DEMO_WEB: url,
});

function answerPage(answer: Answer | undefined, response: ServerResponse): void {
  switch (answer?.kind) {
    case "page":
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(htmlOf(answer.page));
      return;
    case "pdf":
      response.writeHead(200, { "content-type": "application/pdf" }).end(answer.bytes);
      return;
    case "moved":
      response.writeHead(answer.status, { location: answer.to }).end();
      return;
    default:
      response
        .writeHead(answer?.status ?? 404, { "content-type": "text/html" })
        .end("<p>There is no such page.</p>");
  }
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}
