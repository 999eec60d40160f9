import { ChannelFault, type Channel, type Received } from "../../../src/plugins/channels/channel.ts";
import type { Deliver } from "../../../scripts/channels-demo/server.ts";

/** 2026-03-01, a Sunday */
export const NOW = Date.UTC(2026, 2, 1, 12);

export const patient = (): AbortSignal => new AbortController().signal;

/** Fault of a call, as a table shows it. Throws if the call does not fail. */
export async function faultOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ChannelFault)) throw error;
    const wait = error.retryAfterMs === null ? "" : ` after ${error.retryAfterMs}`;
    return `${error.code}${wait}${error.sent === 0 ? "" : `, ${error.sent} sent`}: ${error.message}`;
  }
  throw new Error("it did not fail");
}

/** Throws the fault of words that could not be read. */
export async function readWhole(read: Promise<Received | null>): Promise<void> {
  const received = await read;
  if (received?.kind === "posted" && received.fault !== undefined) throw received.fault;
}

/** Takes what a stand-in posts, and keeps what the channel heard, or its fault. */
export function listening(): {
  readonly heard: (Received | null | ChannelFault)[];
  readonly deliver: Deliver;
  channel: Channel | null;
} {
  const heard: (Received | null | ChannelFault)[] = [];
  const listener = {
    heard,
    channel: null as Channel | null,
    deliver: async (url: string, init: RequestInit) => {
      try {
        const received = (await listener.channel?.receive(new Request(url, init))) ?? null;
        heard.push(received);
        return received?.kind === "challenge" ? Response.json(received.answer) : new Response(null);
      } catch (error) {
        if (!(error instanceof ChannelFault)) throw error;
        heard.push(error);
        return new Response(null, { status: error.code === "bad_signature" ? 401 : 200 });
      }
    },
  };
  return listener;
}

/** Without its functions, for comparing. */
export const plainly = (received: Received | null | ChannelFault | undefined): unknown =>
  received instanceof ChannelFault
    ? received.message
    : (JSON.parse(JSON.stringify(received ?? null)) as unknown);
