/** How a running server is looked after. Any answer counts, whatever its status. */
export interface WatchLimits {
  readonly everyMs: number;
  /** for one answer */
  readonly answerMs: number;
  /** so many requests in a row without an answer are a server that hangs */
  readonly silentMax: number;
}

/** A server that hangs is found after at most 65 seconds, and a busy machine may be silent for 50. */
export const WATCH_LIMITS: WatchLimits = { everyMs: 5_000, answerMs: 10_000, silentMax: 4 };

export interface ServerWatch {
  /** resolves when the server has stopped answering; never where it answers until `stop` */
  readonly hangs: Promise<"hangs">;
  stop(): void;
}

/**
 * Asks a server again and again whether it answers. Wrangler stays alive when the runtime behind it is gone, and lets every
 * request wait for minutes, so that neither its end nor its output shows it.
 */
export function watchServer(url: string, limits: WatchLimits = WATCH_LIMITS): ServerWatch {
  const { everyMs, answerMs, silentMax } = limits;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let silent = 0;
  const hangs = new Promise<"hangs">((resolve) => {
    const ask = async (): Promise<void> => {
      const answers = await fetch(`${url}/healthz`, {
        redirect: "manual",
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(answerMs)]),
      }).then(
        async (answer) => {
          await answer.body?.cancel();
          return true;
        },
        () => false,
      );
      if (stopping.signal.aborted) return;
      silent = answers ? 0 : silent + 1;
      if (silent >= silentMax) return resolve("hangs");
      later();
    };
    const later = (): void => {
      timer = setTimeout(() => void ask(), everyMs).unref();
    };
    later();
  });
  return {
    hangs,
    stop() {
      clearTimeout(timer);
      stopping.abort();
    },
  };
}
