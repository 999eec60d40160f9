import { createValueCounter, JSON_VALUES_MAX } from "../../cairn/core/log/json-values.ts";
import { createResolve, type Resolve } from "../../cairn/outbound/resolve.ts";
import type { WebAccess } from "../../cairn/outbound/access.ts";
import type { FetchFault } from "../../cairn/outbound/fetch-fault.ts";
import { judgeUrl } from "../../cairn/outbound/safe-url.ts";

/**
 * The network port of the protocol's client, for a server and its authorization server. Every address is checked
 * before it is requested, as those of the web are; redirects are not followed, because a token would be sent along;
 * and a response that grows too large, or breaks off, ends the whole conversation.
 */

/** of one answer */
export const ANSWER_BYTES_MAX = 4_000_000;
/** of all answers of one conversation: a list has many pages, and an isolate 128 MB */
export const CONVERSATION_BYTES_MAX = 12_000_000;
/** values of all answers of one conversation: a list of tools has many schemas */
const CONVERSATION_VALUES_MAX = 200_000;
/** from the end of a stream to the arrival of its last message */
const DRAIN_MS = 2_000;

export interface McpAccess extends WebAccess {
  /** origins of this machine that an operator has named, such as `http://127.0.0.1:3001`: they alone may be plain http */
  readonly local: readonly string[];
}

/** One conversation with a server. */
export interface Reach {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** what has ended the conversation, or null */
  fault(): FetchFault | null;
  /** aborts when something has */
  readonly signal: AbortSignal;
  /** forgets its timers, and sets no more */
  end(): void;
}

/** A reason that the protocol's client passes through; `fault()` returns it. */
class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** `drainMs`: a test does not wait so long */
export function openReach(access: McpAccess, outer: AbortSignal, drainMs = DRAIN_MS): Reach {
  const resolve = createResolve(access);
  const stopped = new AbortController();
  const signal = AbortSignal.any([outer, stopped.signal]);
  let fault: FetchFault | null = null;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  /** requests whose answer has not come to its end */
  let open = 0;
  let hasStreamEnded = false;
  let isOver = false;
  let bytes = 0;
  let values = 0;
  const stop = (found: FetchFault): Unreachable => {
    fault ??= found;
    const error = new Unreachable(fault.message);
    if (!stopped.signal.aborted) stopped.abort(error);
    return error;
  };
  // A caller waiting for a message that no stream delivers would wait for the whole time of its call. While a
  // request is open, the message may still come: a tool works for longer than the stream of the question before
  // it.
  const begin = (host: string): ((ended: { readonly isStream: boolean }) => void) => {
    open++;
    clearTimeout(waiting);
    let isOpen = true;
    return ({ isStream }) => {
      hasStreamEnded ||= isStream;
      if (!isOpen) return;
      isOpen = false;
      open--;
      if (open === 0 && hasStreamEnded && !isOver) waiting = setTimeout(() => stop(lost(host)), drainMs);
    };
  };
  const lost = (host: string): FetchFault => ({
    class: "network",
    code: "connection_lost",
    message: `The connection to ${host} was lost before it had answered.`,
  });
  return {
    signal,
    fault: () => fault,
    end: () => {
      isOver = true;
      clearTimeout(waiting);
    },
    fetch: async (target, init = {}) => {
      const url = new URL(target);
      // A stream for unrequested messages. It is refused, because it would keep the object awake.
      const method = init.method ?? "GET";
      const isListening =
        method === "GET" && (new Headers(init.headers).get("accept") ?? "").startsWith("text/event-stream");
      if (isListening) return new Response(null, { status: 405 });
      // The address is resolved first, which takes time too.
      const end = begin(url.host);
      const refused = access.local.includes(url.origin)
        ? null
        : await faultOfUrl(url, access, resolve, signal);
      if (refused !== null) {
        end({ isStream: false });
        throw stop(refused);
      }
      const own = init.signal ?? null;
      const limited = {
        ...init,
        redirect: "manual" as const,
        signal: own === null ? signal : AbortSignal.any([own, signal]),
      };
      let response: Response;
      try {
        response = await access.fetch(url.href, limited);
      } catch (error) {
        end({ isStream: false });
        if (limited.signal.aborted) throw error;
        throw stop({ class: "network", code: "unreachable", message: `${url.host} cannot be reached.` });
      }
      if (response.status >= 300 && response.status < 400) {
        end({ isStream: false });
        await response.body?.cancel();
        const message = `${url.host} redirects, which is not followed: set the address that it leads to.`;
        throw stop({ class: "policy", code: "redirected", message });
      }
      const { body, status, headers } = response;
      // The body of an acknowledged or refused request may never be read.
      if (body === null || status === 202 || !response.ok) end({ isStream: false });
      if (body === null) return response;
      const isStream = (headers.get("content-type") ?? "").startsWith("text/event-stream");
      const count = createValueCounter();
      let ofThis = 0;
      const counted = counting(body, {
        read: (piece, ofAnswer) => {
          bytes += piece.length;
          const before = ofThis;
          ofThis = count(piece);
          values += ofThis - before;
          // A value of two characters takes twenty times as many bytes once it is parsed.
          if (ofThis > JSON_VALUES_MAX || values > CONVERSATION_VALUES_MAX)
            return stop({
              class: "too_large",
              code: "too_large",
              message: `${url.host} answered more than ${JSON_VALUES_MAX.toLocaleString("en-US")} values.`,
            });
          const most =
            ofAnswer > ANSWER_BYTES_MAX
              ? ANSWER_BYTES_MAX
              : bytes > CONVERSATION_BYTES_MAX
                ? CONVERSATION_BYTES_MAX
                : null;
          if (most === null) return null;
          return stop({
            class: "too_large",
            code: "too_large",
            message: `${url.host} answered more than ${most.toLocaleString("en-US")} bytes.`,
          });
        },
        broken: () => {
          if (!limited.signal.aborted) stop(lost(url.host));
        },
        ended: () => end({ isStream }),
      });
      return new Response(counted, { status, headers });
    },
  };
}

async function faultOfUrl(
  url: URL,
  access: McpAccess,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<FetchFault | null> {
  // An admin named this server; the allow list is for addresses that models request.
  const verdict = judgeUrl(url.href, { ...access.facts, allow: [] });
  if (!verdict.ok) return { class: "policy", code: verdict.code, message: verdict.why };
  if (url.protocol !== "https:")
    return {
      class: "policy",
      code: "url_scheme",
      message: "A server is reached by https; one of this machine is named in MCP_LOCAL.",
    };
  if (!verdict.needsLookup) return null;
  const named = await resolve(verdict.host, signal);
  return named.ok ? null : named.error;
}

function counting(
  body: ReadableStream<Uint8Array>,
  on: {
    /** these bytes more, and so many of this answer; not null where they are too many */
    readonly read: (piece: Uint8Array, ofAnswer: number) => Error | null;
    readonly broken: () => void;
    readonly ended: () => void;
  },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  let isLeft = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        // The reader has left: bytes in flight are not a connection broken by the server.
        if (isLeft) return;
        if (done) {
          on.ended();
          controller.close();
          return;
        }
        bytes += value.length;
        const tooLarge = on.read(value, bytes);
        if (tooLarge !== null) {
          controller.error(tooLarge);
          on.ended();
          await reader.cancel().catch(() => {});
          return;
        }
        controller.enqueue(value);
      } catch (error) {
        if (isLeft) return;
        on.broken();
        on.ended();
        controller.error(error);
      }
    },
    cancel: (reason) => {
      isLeft = true;
      on.ended();
      return reader.cancel(reason);
    },
  });
}
