/**
 * Events of a turn, as the model and the tools saw them. The isolate stores them, so they outlive an object that is
 * aborted; times are those of the isolate's clock, in whole milliseconds.
 */
export interface Journal {
  readonly requests: readonly ModelRequestSeen[];
  readonly toolRuns: number;
  /** notes a request of so many messages; returns its place */
  request(messages: number): number;
  /** the last part of its answer was handed over */
  replied(place: number): void;
  ranTool(): void;
}

export interface ModelRequestSeen {
  readonly from: number;
  readonly to: number | null;
  readonly messages: number;
}

const journals = new Map<string, Journal>();

/** The journal of a turn; empty at first. */
export function journalOf(key: string): Journal {
  const known = journals.get(key);
  if (known !== undefined) return known;
  const requests: { from: number; to: number | null; messages: number }[] = [];
  let toolRuns = 0;
  const journal: Journal = {
    requests,
    get toolRuns() {
      return toolRuns;
    },
    request: (messages) => requests.push({ from: Date.now(), to: null, messages }) - 1,
    replied: (place) => {
      const request = requests[place];
      if (request !== undefined) request.to = Date.now();
    },
    ranTool: () => void toolRuns++,
  };
  journals.set(key, journal);
  return journal;
}
