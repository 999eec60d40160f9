import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import * as z from "zod";
import { meaningOf } from "./concepts.ts";

/** A server of the `/embeddings` of OpenAI on this machine; its model is the table of concepts. */
export interface EmbeddingServer {
  /** for EMBEDDING_BASE_URL */
  readonly baseUrl: string;
  /** the texts of each request, in order */
  readonly requests: readonly (readonly string[])[];
  /** what came as `authorization` with the last request */
  readonly authorization: string | undefined;
  /** the status of the next answers; 200 again at the end of the list */
  readonly refusals: number[];
  close(): Promise<void>;
}

const request = z.object({
  model: z.string().min(1),
  input: z.array(z.string().min(1)).min(1).max(2_048),
  encoding_format: z.literal("float").optional(),
});

export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const requests: (readonly string[])[] = [];
  const refusals: number[] = [];
  let authorization: string | undefined;

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.method !== "POST" || incoming.url !== "/v1/embeddings") return send(response, 404, {});
    let text = "";
    for await (const piece of incoming.setEncoding("utf8")) text += String(piece);
    const parsed = request.safeParse(JSON.parse(text));
    if (!parsed.success) return send(response, 400, { error: { message: parsed.error.message } });
    requests.push(parsed.data.input);
    authorization = incoming.headers.authorization;
    const refusal = refusals.shift();
    if (refusal !== undefined) return send(response, refusal, { error: { message: "not now" } });
    const data = parsed.data.input.map((one, index) => ({
      object: "embedding",
      index,
      embedding: meaningOf(one),
    }));
    // The format has an index because the order is not promised.
    send(response, 200, { object: "list", model: parsed.data.model, data: data.toReversed() });
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => send(response, 400, { error: { message: "no request" } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the embedding server has no port");
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    requests,
    refusals,
    get authorization() {
      return authorization;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
