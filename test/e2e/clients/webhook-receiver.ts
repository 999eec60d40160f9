import { createHmac } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** A webhook as it arrived. */
export interface Arrived {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly [name: string]: unknown };
  /** verified by the rules of Standard Webhooks, and nothing of ours */
  readonly signed: boolean;
  readonly headers: { readonly [name: string]: unknown };
}

/** Someone who is told of the session by webhook, on this machine. */
export interface WebhookReceiver {
  readonly url: string;
  readonly arrived: readonly Arrived[];
  /** the answer to each that arrives; a promise holds it */
  answer: (arrived: Arrived) => Reply | Promise<Reply>;
  /** resolves with those that fit, once there are so many */
  saw(fits: (arrived: Arrived) => boolean, times?: number): Promise<readonly Arrived[]>;
  close(): void;
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const OK: Reply = { status: 204 };

export async function startWebhookReceiver(secret: string): Promise<WebhookReceiver> {
  const arrived: Arrived[] = [];
  const watchers = new Set<() => void>();
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");

  const receive = async (
    body: string,
    headers: Arrived["headers"],
    response: ServerResponse,
  ): Promise<void> => {
    const id = String(headers["webhook-id"]);
    const time = String(headers["webhook-timestamp"]);
    const mac = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
    const fresh = Math.abs(Date.now() / 1_000 - Number(time)) < 30;
    const signed = fresh && headers["webhook-signature"] === `v1,${mac}`;
    const { type, data } = JSON.parse(body) as { type: string; data: Arrived["data"] };
    const one = { id, type, data, signed, headers };
    arrived.push(one);
    for (const look of watchers) look();
    const { status, headers: more = {} } = await receiver.answer(one);
    response.writeHead(status, more).end();
  };
  const server = createServer((incoming, response) => {
    text(incoming)
      .then((body) => receive(body, incoming.headers, response))
      .catch((error: unknown) => response.writeHead(400).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the receiver has no port");
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${address.port}/hook`,
    arrived,
    answer: () => OK,
    saw: (fits, times = 1) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = arrived.filter(fits);
          if (found.length < times) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}
