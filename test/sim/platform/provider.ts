import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { vi } from "vitest";
import { FIRST_CHUNK_MS } from "../../../src/cairn/core/limits.ts";
import { type DraftPiece, type ModelRequest, parseModelName } from "../../../src/cairn/core/log/model.ts";
import { createProviders, type ProviderSettings } from "../../../src/cairn/models/providers.ts";
import { createModel } from "../../../src/cairn/models/step.ts";
import { FakePlatform } from "./platform.ts";

/**
 * Providers that do what a test tells them, behind the real adapters: a server on this machine for
 * `openai-compatible:`, and a binding as strict as the platform's for `workers-ai:` and `gateway:`.
 */

/** Provider's behavior for one request. Both kinds speak the same events; each refuses in its own words. */
export type Act =
  | {
      readonly does: "stream";
      readonly events: readonly unknown[];
      /** `early`: it ends without a finish; `break`: the connection dies; `hang`: nothing more comes */
      readonly then: "done" | "early" | "break" | "hang";
    }
  | {
      readonly does: "refuse";
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      /** what the AI binding throws where a server would answer with that status */
      readonly thrown: () => Error;
    }
  | { readonly does: "silence" }
  | { readonly does: "unreachable" };

/** A request that reached a provider. */
export interface Asked {
  readonly model: string;
  readonly body: unknown;
  readonly gateway: unknown;
}

export interface Provider {
  readonly settings: ProviderSettings;
  /** the same where nobody listens; a binding says by itself that it was not reached */
  readonly gone: ProviderSettings;
  readonly asked: Asked[];
  /** Sets the behavior for the next request. Resolves when the provider has received it. */
  prepare(act: Act): Promise<void>;
  close(): Promise<void>;
}

export const KEY = "sk-sentinel-4f9a8b7c6d5e";

/** how long a stream that means to hang is waited for, from its last piece */
const SILENCE_MS = 15;

const event = (data: unknown): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** what the next request meets, and who wants to know that it came */
interface Prepared {
  readonly act: Act;
  readonly heard: () => void;
}

export type Acts = Readonly<Record<string, readonly Act[]>>;

/** A session on the real model port. What each model does in turn stands under its id; the last act is done for good. */
export function actingPlatform(provider: Provider, acts: Acts): FakePlatform {
  const calls = new Map<string, number>();
  const there = createProviders(provider.settings);
  const gone = createProviders(provider.gone);
  const platform: FakePlatform = new FakePlatform({
    call: async (request: ModelRequest, draft: (piece: DraftPiece) => void, signal: AbortSignal) => {
      const id = parseModelName(request.model)?.id ?? "";
      const index = calls.get(id) ?? 0;
      calls.set(id, index + 1);
      const own = acts[id] ?? [];
      const act = own[Math.min(index, own.length - 1)];
      if (act === undefined) throw new Error(`nothing is written for the model ${id}`);
      const heard = provider.prepare(act);
      const hangs = act.does === "stream" && act.then === "hang";
      const providers = act.does === "unreachable" ? gone : there;
      const model = createModel({
        providers,
        clock: () => platform.now,
        ...(hangs ? { chunkMs: SILENCE_MS } : {}),
      });
      if (act.does !== "silence") return model.call(request, draft, signal);
      // The timeout fires once the request has arrived, however slow this machine is.
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
      try {
        const called = model.call(request, draft, signal);
        await heard;
        vi.advanceTimersByTime(FIRST_CHUNK_MS);
        return await called;
      } finally {
        vi.useRealTimers();
      }
    },
  });
  return platform;
}

/** A session that has been asked for something; the first of its models is the one named, the others are its fallbacks. */
export function askedPlatform(provider: Provider, way: string, acts: Acts): FakePlatform {
  const platform = actingPlatform(provider, acts);
  const [model = "", ...fallbacks] = Object.keys(acts).map((id) => `${way}:${id}`);
  platform.say("go", { model, fallbacks });
  return platform;
}

export async function startServer(): Promise<Provider> {
  const asked: Asked[] = [];
  let prepared: Prepared | null = null;
  const answer = (response: ServerResponse, act: Act | null): void => {
    // A request that nobody prepared is one too many: a layer below retried.
    if (act === null) return void response.writeHead(418).end();
    if (act.does === "silence" || act.does === "unreachable") return;
    if (act.does === "refuse") {
      response.writeHead(act.status, { "content-type": "application/json", ...act.headers });
      return void response.end(JSON.stringify(act.body));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const text = act.events.map(event).join("");
    if (act.then === "done") response.end(text + event("[DONE]"));
    else if (act.then === "early") response.end(text);
    else if (act.then === "break") response.write(text, () => response.destroy());
    else response.write(text);
  };
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (bytes: Buffer) => (text += bytes.toString()));
    request.on("end", () => {
      const body = JSON.parse(text) as { readonly model: string };
      asked.push({ model: body.model, body, gateway: undefined });
      const { act, heard } = prepared ?? { act: null };
      prepared = null;
      heard?.();
      answer(response, act);
    });
  });
  const settings = (port: number): ProviderSettings => ({
    ai: null,
    openaiCompatible: {
      baseUrl: `http://127.0.0.1:${port}/v1`,
      apiKey: KEY,
      headers: {},
      reportsCost: false,
    },
    openrouter: null,
    gatewayId: null,
  });
  // A port that was free a moment ago.
  const other = createServer();
  const free = await listen(other);
  await close(other);
  return {
    settings: settings(await listen(server)),
    gone: settings(free),
    asked,
    prepare: (act) => new Promise((heard) => (prepared = { act, heard })),
    close: () => close(server),
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** As strict as the real one: `run` needs its own `this`, ends when its signal fires, and answers in bytes. */
class ActingAi {
  readonly asked: Asked[] = [];
  prepared: Prepared | null = null;

  async run(
    model: string,
    body: unknown,
    options: { readonly signal?: AbortSignal; readonly gateway?: unknown },
  ): Promise<ReadableStream<Uint8Array>> {
    const { act, heard } = this.prepared ?? { act: null };
    this.prepared = null;
    heard?.();
    if (act?.does === "unreachable") throw new Error("Network connection lost.");
    this.asked.push({ model, body, gateway: options.gateway });
    // A request that nobody prepared is one too many: a layer below retried.
    if (act === null) throw new Error("5004: a request too many");
    if (act.does === "refuse") throw act.thrown();
    if (act.does === "silence") {
      return new Promise((_, reject) => {
        options.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      });
    }
    const end = act.then === "done" ? event("[DONE]") : "";
    const bytes = new TextEncoder().encode(act.events.map(event).join("") + end);
    let sent = false;
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (!sent) {
          sent = true;
          controller.enqueue(bytes);
        } else if (act.then === "break") controller.error(new Error("Network connection lost."));
        else if (act.then === "hang") return new Promise(() => undefined);
        else controller.close();
      },
    });
  }
}

export function startBinding(gatewayId: string | null = null): Provider {
  const ai = new ActingAi();
  const settings = { ai: ai as unknown as Ai, openaiCompatible: null, openrouter: null, gatewayId };
  return {
    settings,
    gone: settings,
    asked: ai.asked,
    prepare: (act) => new Promise((heard) => (ai.prepared = { act, heard })),
    close: () => Promise.resolve(),
  };
}

// Model output in chunks of the chat completions format, which both kinds of provider speak.

const USAGE = { prompt_tokens: 40, completion_tokens: 7 };

export const chunk = (delta: object, finish: string | null = null): object => ({
  id: "c1",
  model: "named-by-provider",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...(finish === null ? {} : { usage: USAGE }),
});

export const callChunk = (index: number, tool: string, text: string, id = `call_${index}`): object =>
  chunk({ tool_calls: [{ index, id, type: "function", function: { name: tool, arguments: text } }] });

export const stream = (...events: readonly object[]): Act => ({ does: "stream", events, then: "done" });

export const say = (text: string): Act => stream(chunk({ content: text }), chunk({}, "stop"));

/** Calls of tools with a `name`, each under a provider's id. */
export const call = (...calls: readonly (readonly [tool: string, name: string, id?: string])[]): Act =>
  stream(
    ...calls.map(([tool, name, id], index) => callChunk(index, tool, JSON.stringify({ name }), id)),
    chunk({}, "tool_calls"),
  );
