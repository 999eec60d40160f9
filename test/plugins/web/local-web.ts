import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { accessOf, type AccessBindings, type WebAccess } from "../../../src/cairn/outbound/access.ts";
import type { Fetcher } from "../../../src/cairn/outbound/bindings.ts";
import { answerTo, DNS_URL, questionOf, type Names } from "./dns.ts";

/**
 * A web on this machine: names that look public lead to one server here. The judge of addresses is the one that ships;
 * only the port through which a judged request leaves is another.
 */

type Answer = (
  request: IncomingMessage & { readonly host: string; readonly path: string },
  response: ServerResponse,
) => void;

export interface LocalWeb {
  readonly access: WebAccess;
  /** requests of pages that arrived, as `GET host/path` */
  readonly asked: string[];
  /** headers of the last of them */
  readonly headers: () => IncomingMessage["headers"];
  /** names that were looked up, with the type */
  readonly looked: string[];
  readonly fetcher: Fetcher;
  close(): Promise<void>;
}

export async function startWeb(
  answer: Answer,
  { names = {}, env = {} }: { readonly names?: Names; readonly env?: AccessBindings } = {},
): Promise<LocalWeb> {
  const asked: string[] = [];
  const looked: string[] = [];
  let last: IncomingMessage["headers"] = {};
  const server: Server = createServer((request, response) => {
    const host = String(request.headers["x-host"]);
    last = request.headers;
    asked.push(`${request.method} ${host}${request.url}`);
    answer(Object.assign(request, { host, path: request.url ?? "/" }), response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const fetcher: Fetcher = async (url, init) => {
    const { hostname, pathname, search } = new URL(url);
    const question = questionOf(url);
    if (question !== null) {
      looked.push(`${question.name} ${question.type}`);
      return answerTo(question, names);
    }
    const headers = { ...(init.headers as Record<string, string>), "x-host": hostname };
    return await fetch(`http://127.0.0.1:${port}${pathname}${search}`, { ...init, headers });
  };
  return {
    access: accessOf({ WEB_DNS_URL: DNS_URL, ...env, fetcher }),
    asked,
    looked,
    fetcher,
    headers: () => last,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
