import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRehearsalModel } from "../../../src/plugins/rehearsal/model.ts";
import { completionRequest, toCallOptions, type CompletionRequest } from "./openai-messages.ts";

/**
 * A server of the OpenAI chat completions format on this machine: server-sent events, text in deltas, arguments of
 * tool calls in pieces, a usage chunk, `[DONE]`. Its model is the rehearsal model. It can be held at any piece of any
 * reply, so that a test can do something in exactly that moment.
 */
export interface OpenAiServer {
  /** for OPENAI_COMPATIBLE_BASE_URL */
  readonly baseUrl: string;
  /** requests that came, whole or cut */
  readonly requests: readonly CompletionRequest[];
  /** `data:` URLs of the images in them, in order */
  readonly pictures: readonly string[];
  /** replies that were sent to their end */
  readonly replies: number;
  /** ends every connection; nothing that was sent over one of them is begun after this */
  hangUp(): Promise<void>;
  close(): Promise<void>;
}

export interface Behaviour {
  /**
   * Asked before each piece of each reply, both counted from 1; piece 0 is the moment before the reply's headers, and
   * nothing but `[DONE]` comes after the last one. While the promise is open, nothing is sent. A delay is a promise that
   * takes its time.
   */
  readonly gate?: (at: {
    readonly request: number;
    readonly piece: number;
    readonly last: boolean;
  }) => Promise<void> | void;
  /** called when a reply was sent to its end; `calls` is the number of tool calls in it, 0 for an answer */
  readonly onReply?: (at: { readonly request: number; readonly calls: number }) => void;
  readonly model?: LanguageModelV4;
  /** seconds after which a request, counted from 1, may come again; null: it is answered */
  readonly tooMany?: (request: number) => number | null;
  /** answers 400 to a request with tools, in the words of Ollama */
  readonly refusesTools?: boolean;
  /** US dollars that each reply says it cost, as OpenRouter's do */
  readonly cost?: number;
}

const ARGUMENTS_PIECE_CHARS = 24;

export async function startOpenAiServer(behaviour: Behaviour = {}): Promise<OpenAiServer> {
  const model = behaviour.model ?? createRehearsalModel();
  const requests: CompletionRequest[] = [];
  const pictures: string[] = [];
  let replies = 0;

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.method !== "POST" || incoming.url !== "/v1/chat/completions")
      return refuse(response, 404, "not found");
    const text = await readText(incoming);
    pictures.push(...Array.from(text.matchAll(/"(data:image\/[^"]+)"/g), ([, url = ""]) => url));
    const parsed = completionRequest.safeParse(JSON.parse(text));
    if (!parsed.success) return refuse(response, 400, parsed.error.message);
    requests.push(parsed.data);
    const request = requests.length;
    const wait = behaviour.tooMany?.(request) ?? null;
    if (wait !== null) {
      response.setHeader("retry-after", String(wait));
      return refuse(response, 429, "too many requests");
    }
    if (behaviour.refusesTools === true && (parsed.data.tools?.length ?? 0) > 0)
      return refuse(response, 400, `registry.ollama.ai/library/${parsed.data.model} does not support tools`);
    const { stream } = await model.doStream(toCallOptions(parsed.data));
    let piece = 0;
    let calls = 0;
    await behaviour.gate?.({ request, piece, last: false });
    response.writeHead(200, { "content-type": "text/event-stream" });
    for await (const { chunk, last } of withLast(toChunks(stream, parsed.data, request, behaviour.cost))) {
      piece += 1;
      await behaviour.gate?.({ request, piece, last });
      if (response.destroyed) return;
      if (chunk.opensCall) calls += 1;
      response.write(`data: ${JSON.stringify(chunk.body)}\n\n`);
    }
    await new Promise<void>((sent) => response.end("data: [DONE]\n\n", sent));
    replies += 1;
    behaviour.onReply?.({ request, calls });
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, 400, error instanceof Error ? error.message : String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the model server has no port");
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    requests,
    pictures,
    get replies() {
      return replies;
    },
    hangUp() {
      server.closeAllConnections();
      return new Promise((resolve) => setImmediate(resolve));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Piece {
  readonly body: object;
  readonly opensCall: boolean;
}

/** The parts of an AI SDK stream as chat completion chunks, the usage chunk last. */
async function* toChunks(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  { model, stream_options }: CompletionRequest,
  request: number,
  cost?: number,
): AsyncGenerator<Piece> {
  const head = { id: `chatcmpl-${request}`, object: "chat.completion.chunk", created: 0, model };
  const choice = (delta: object, finish: string | null = null, opensCall = false): Piece => ({
    body: { ...head, choices: [{ index: 0, delta, finish_reason: finish }] },
    opensCall,
  });
  let index = 0;
  yield choice({ role: "assistant", content: "" });
  for await (const part of stream) {
    if (part.type === "text-delta") yield choice({ content: part.delta });
    else if (part.type === "reasoning-delta") yield choice({ reasoning_content: part.delta });
    else if (part.type === "tool-call") {
      const opening = {
        index,
        id: part.toolCallId,
        type: "function",
        function: { name: part.toolName, arguments: "" },
      };
      yield choice({ tool_calls: [opening] }, null, true);
      for (let from = 0; from < part.input.length; from += ARGUMENTS_PIECE_CHARS) {
        const text = part.input.slice(from, from + ARGUMENTS_PIECE_CHARS);
        yield choice({ tool_calls: [{ index, function: { arguments: text } }] });
      }
      index += 1;
    } else if (part.type === "finish") {
      yield choice({}, part.finishReason.unified === "tool-calls" ? "tool_calls" : "stop");
      const input = part.usage.inputTokens.total ?? 0;
      const output = part.usage.outputTokens.total ?? 0;
      const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, cost };
      if (stream_options?.include_usage === true)
        yield { body: { ...head, choices: [], usage }, opensCall: false };
    } else if (part.type === "error") throw part.error;
  }
}

/** Each with whether another one comes; it is known one later, so each is handed on when the next has come. */
async function* withLast(pieces: AsyncGenerator<Piece>): AsyncGenerator<{ chunk: Piece; last: boolean }> {
  let before: Piece | null = null;
  for await (const piece of pieces) {
    if (before !== null) yield { chunk: before, last: false };
    before = piece;
  }
  if (before !== null) yield { chunk: before, last: true };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of incoming.setEncoding("utf8")) text += String(piece);
  return text;
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(JSON.stringify({ error: { message } }));
}
