import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { Effect, Phase, ToolReport } from "./plan.ts";
import type { Harness } from "./harness.ts";

/**
 * Effect server for the probing tools. `/keyed` applies the first request under a key and returns its receipt to every
 * repeat; `/once` applies every request; `/read` and `/reach` change nothing. Each request notifies the harness before
 * and after.
 */
export interface EffectServer {
  readonly url: string;
  /** a row for each time that something took effect */
  readonly effects: readonly Effect[];
  /** every request for an effect that came in, applied or not */
  readonly requests: readonly (ToolReport & { readonly path: string })[];
  /** ends every connection; nothing that was sent over one of them is begun after this */
  hangUp(): Promise<void>;
  close(): void;
}

export async function startEffectServer(harness: Harness): Promise<EffectServer> {
  const effects: Effect[] = [];
  const requests: (ToolReport & { path: string })[] = [];

  const apply = ({ session, call, key }: ToolReport): Effect => {
    const effect = { session, call, key, receipt: crypto.randomUUID() };
    effects.push(effect);
    return effect;
  };

  async function answer(incoming: IncomingMessage): Promise<unknown> {
    const path = (incoming.url ?? "/").slice(1);
    const report = JSON.parse(await text(incoming)) as ToolReport;
    requests.push({ ...report, path });
    const at = (phase: Phase) =>
      harness.arrive(report.session, { at: "tool", ...placeOf(report.call), phase });
    if (path === "reach") {
      await at(report.phase);
      return {};
    }
    await at("before");
    const known = path === "keyed" ? effects.find(({ key }) => key === report.key) : undefined;
    const done = path === "read" ? { read: report.call } : { receipt: (known ?? apply(report)).receipt };
    await at("after");
    return done;
  }

  const server = createServer((incoming, response) => {
    answer(incoming).then(
      (body) => response.setHeader("content-type", "application/json").end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the effect server has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    effects,
    requests,
    hangUp() {
      server.closeAllConnections();
      return new Promise((resolve) => setImmediate(resolve));
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Step and index of a call such as `r1s4c0`. */
function placeOf(call: string): { readonly effect: string; readonly step: number; readonly index: number } {
  const [, step = 0, index = 0] = (/^r1s(\d+)c(\d+)$/.exec(call) ?? []).map(Number);
  return { effect: call, step, index };
}
