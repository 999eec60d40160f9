import type { FrameError, NativeFrame, ServerFrame } from "../../cairn/protocol/frames.ts";
import type { Event } from "../../cairn/protocol/views.ts";
import { ApiError } from "../api-error.ts";

/**
 * The session's log as it grows. Nothing is loaded before somebody reads it; then the entries so far come by pages,
 * and new ones over the socket, each once and in order, over any number of lost connections.
 */
export interface Log {
  readonly receive: (frame: ServerFrame) => void;
  readonly connected: (send: (frame: object) => void) => void;
  readonly disconnected: () => void;
  /** Sends one of Cairn's frames; resolves with the result of its ack, throws an `ApiError` with its refusal. */
  readonly command: (frame: Sent) => Promise<unknown>;
  /** Fetches the entries once more, after a failure. */
  readonly retry: () => void;
  readonly watch: (onChange: () => void) => () => void;
  readonly entries: () => LogEntries;
}

export interface LogEntries {
  readonly events: readonly Event[];
  /** the entries so far are being fetched */
  readonly loading: boolean;
  readonly failure: unknown;
}

type Sent = NativeFrame extends infer Frame
  ? Frame extends { eventId: string }
    ? Omit<Frame, "eventId">
    : never
  : never;

const PAGE_ROWS = 1_000;
/**
 * a command without an acknowledgement for this long is reported as failed; the same `eventId` could be sent again,
 * but a person decides
 */
const ACK_MS_MAX = 30_000;

/** `ask`: a GET of the API, which throws an `ApiError`. */
export function createLog(session: string, ask: <T>(path: string) => Promise<T>): Log {
  let send: ((frame: object) => void) | null = null;
  let state: LogEntries = { events: [], loading: false, failure: null };
  let wanted = false;
  let fetched = false;
  const watchers = new Set<() => void>();
  const awaited = new Map<
    string,
    { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
  >();

  const change = (next: Partial<LogEntries>): void => {
    state = { ...state, ...next };
    for (const watcher of watchers) watcher();
  };
  const lastSeq = (): number => state.events.at(-1)?.seq ?? 0;
  const take = (events: readonly Event[]): void => {
    const news = events.filter(({ seq }) => seq > lastSeq());
    if (news.length > 0) change({ events: [...state.events, ...news] });
  };
  const subscribe = (): void => {
    if (wanted && fetched)
      send?.({ type: "cairn:subscribe", eventId: crypto.randomUUID(), after: lastSeq() });
  };
  const fetchEntries = async (): Promise<void> => {
    if (state.loading || fetched) return subscribe();
    change({ loading: true, failure: null });
    try {
      for (let more = true; more;) {
        const path = `/api/sessions/${session}/events?limit=${PAGE_ROWS}&after=${lastSeq()}`;
        const page = await ask<{ items: readonly Event[]; more: boolean }>(path);
        take(page.items);
        more = page.more;
      }
      fetched = true;
      change({ loading: false });
      subscribe();
    } catch (failure) {
      // A new session has no entries; the first one comes over the socket.
      const missing = failure instanceof ApiError && failure.status === 404;
      fetched = missing;
      change({ loading: false, failure: missing ? null : failure });
      if (missing) subscribe();
    }
  };

  return {
    receive: (frame) => {
      if (frame.type === "cairn:event" && fetched) take([frame.event]);
      if (frame.type !== "cairn:ack") return;
      const waiting = awaited.get(frame.eventId);
      awaited.delete(frame.eventId);
      if (frame.ok) waiting?.resolve(frame.result);
      else waiting?.reject(refusal(frame.error));
    },
    connected: (sender) => {
      send = sender;
      subscribe();
    },
    disconnected: () => {
      send = null;
    },
    command: (frame) =>
      new Promise((resolve, reject) => {
        if (send === null)
          return reject(new ApiError(0, { code: "offline", message: "There is no connection." }));
        const eventId = crypto.randomUUID();
        awaited.set(eventId, { resolve, reject });
        setTimeout(() => {
          if (awaited.delete(eventId))
            reject(new ApiError(0, { code: "offline", message: "No answer came." }));
        }, ACK_MS_MAX);
        send({ ...frame, eventId });
      }),
    retry: () => void fetchEntries(),
    watch: (onChange) => {
      watchers.add(onChange);
      if (!wanted) {
        wanted = true;
        void fetchEntries();
      }
      return () => watchers.delete(onChange);
    },
    entries: () => state,
  };
}

function refusal(error: FrameError | undefined): ApiError {
  return new ApiError(
    409,
    error === undefined ? {} : { code: error.code, message: error.message, hint: error.hint ?? null },
  );
}
