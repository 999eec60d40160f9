import { randomUUID } from "node:crypto";
import {
  createServer,
  request as ask,
  STATUS_CODES,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";

/**
 * The port of `npm start`: a proxy in front of `wrangler dev`, which listens on another port and accepts more than
 * Cairn should: it trusts headers that name another address (`MF-Original-URL` makes a page whose name was rebound to
 * this machine look local), and has its own routes below `/cdn-cgi/`, to storage among others. The proxy refuses
 * both. Forwarded requests carry the key, without which the worker refuses every request.
 */

/** of all headers together, as Cloudflare takes them */
const HEADER_BYTES_MAX = 131_072;
const KEY_HEADER = "x-cairn-local-key";
/** between two neighbours only; Node writes its own */
const HOP_BY_HOP = new Set(["connection", "keep-alive", "proxy-connection", "expect"]);

export interface LocalProxy {
  /** such as `http://127.0.0.1:8787` */
  readonly url: string;
  /** From now on requests go to this port of the loopback interface; before the first time they are answered with 503. */
  forwardTo(port: number): void;
  /** Ends every connection too. */
  close(): Promise<void>;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const refusal = (status: number, code: string, message: string, hint: string): Refusal => ({
  status,
  code,
  message,
  hint,
});

const NOT_UP = refusal(503, "starting", "The server is starting.", "Try again in a few seconds.");

/** Listens on the loopback interface. Rejects with Node's error when it cannot: `EADDRINUSE` when the port is taken. */
export async function openLocalProxy(port: number, key: string): Promise<LocalProxy> {
  let inner: number | null = null;
  const refusalNow = (request: IncomingMessage): Refusal | null =>
    refusalOf(request) ?? (inner === null ? NOT_UP : null);
  /** The same request to the server behind, without its body. */
  const pass = (request: IncomingMessage, headers: readonly string[]): ClientRequest =>
    ask({
      host: "127.0.0.1",
      port: inner,
      method: request.method,
      path: request.url,
      headers: [...headers, KEY_HEADER, key],
      agent: false,
      maxHeaderSize: HEADER_BYTES_MAX,
    });

  const answerHttp = (request: IncomingMessage, answer: ServerResponse): void => {
    const no = refusalNow(request);
    if (no !== null) {
      refuse(answer, no);
      return;
    }
    const passed = pass(request, without(HOP_BY_HOP, request.rawHeaders));
    passed.on("response", (from) => {
      answer.writeHead(from.statusCode ?? 502, from.statusMessage, without(HOP_BY_HOP, from.rawHeaders));
      // The head of a stream is due before its first event.
      answer.flushHeaders();
      from.on("error", () => answer.destroy()).pipe(answer);
    });
    passed.on("error", () => (answer.headersSent ? answer.destroy() : refuse(answer, NOT_UP)));
    // The client is gone, so the stream ends at its source.
    answer.on("close", () => passed.destroy());
    request.pipe(passed);
  };

  const answerUpgrade = (request: IncomingMessage, near: Duplex, first: Buffer): void => {
    near.on("error", () => near.destroy());
    const no = refusalNow(request);
    if (no !== null) {
      near.end(refusalText(no));
      return;
    }
    const passed = pass(request, request.rawHeaders);
    passed.on("upgrade", (from, far, further) => {
      near.write(headText(from, from.rawHeaders));
      near.write(further);
      far.write(first);
      far.on("error", () => near.destroy());
      near.on("close", () => far.destroy());
      far.on("close", () => near.destroy());
      near.pipe(far).pipe(near);
    });
    // An answer that is no upgrade ends the connection, and its body with it.
    passed.on("response", (from) => {
      const framing = new Set([...HOP_BY_HOP, "transfer-encoding"]);
      near.write(headText(from, [...without(framing, from.rawHeaders), "connection", "close"]));
      from.on("error", () => near.destroy()).pipe(near);
    });
    passed.on("error", () => near.end(refusalText(NOT_UP)));
    passed.end();
  };

  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
    },
    answerHttp,
  ).on("upgrade", answerUpgrade);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    forwardTo(next) {
      inner = next;
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

/** The refusal of a request that this port does not accept, or null. */
function refusalOf({ url = "", headers }: IncomingMessage): Refusal | null {
  const whole = `http://localhost${url}`;
  // Parsers disagree about `//x` and `/\x`.
  if (!/^\/(?![/\\])/.test(url) || !URL.canParse(whole))
    return refusal(400, "invalid_request", "This port takes paths only.", "Begin with one slash.");
  if (/^\/cdn-cgi(\/|$)/i.test(new URL(whole).pathname))
    return refusal(404, "not_found", "There is nothing here.", "Check the path and the id.");
  const forged = Object.keys(headers).find((name) => name.startsWith("mf-") || name === KEY_HEADER);
  if (forged === undefined) return null;
  return refusal(400, "header_not_allowed", `No client may send ${forged}.`, "Send the request without it.");
}

/** The body of every refusal of Cairn. */
const refusalBody = ({ status: _, ...said }: Refusal): string =>
  JSON.stringify({ error: { ...said, requestId: randomUUID() } });

function refuse(answer: ServerResponse, refusal: Refusal): void {
  answer.writeHead(refusal.status, { "content-type": "application/json", "retry-after": "1" });
  answer.end(refusalBody(refusal));
}

const refusalText = (refusal: Refusal): string =>
  `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n${refusalBody(refusal)}`;

function headText(from: IncomingMessage, raw: readonly string[]): string {
  const lines = raw.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${raw[at + 1]}\r\n`] : []));
  return `HTTP/1.1 ${from.statusCode} ${from.statusMessage}\r\n${lines.join("")}\r\n`;
}

/** Names and values in turn, as Node reads them, without these names. */
const without = (names: ReadonlySet<string>, raw: readonly string[]): string[] =>
  raw.filter((_, at) => !names.has((raw[at - (at % 2)] ?? "").toLowerCase()));
