import type { Dialect } from "../log/model.ts";
import type { Fault, Parse, RawCall, Repair, ToolOffer } from "../log/model.ts";

/** A reply of a model as it streams in: what comes out of it is the same however its text was cut. */
export interface ReplyReader {
  push(text: string): void;
  /** a piece of text ends, and something that is no text comes next: what is held only for its tail goes out */
  pause(): void;
  /** the model calls a tool natively: nothing that it has written is a call */
  called(): void;
  end(): Parse | undefined;
}

/** Where the parts of a reply go, in their order. Pieces that follow one another are of one part until `split`. */
export interface ReplySink {
  say(type: "text" | "reasoning", text: string): void;
  split(): void;
  call(call: RawCall): void;
}

export interface ReplyForm {
  readonly dialect: Dialect;
  /** none where the answer is forced: then words are the answer */
  readonly offers: readonly ToolOffer[];
  readonly takesWritten: boolean;
}

/** Repairs and faults, each once, in the order found. */
export class Findings {
  readonly #repairs = new Set<Repair>();
  readonly #faults = new Set<Fault>();
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  mend(...repairs: readonly Repair[]): void {
    for (const repair of repairs) this.#repairs.add(repair);
  }

  blame(...faults: readonly Fault[]): void {
    for (const fault of faults) this.#faults.add(fault);
  }

  parse(answer?: string): Parse {
    const found = { dialect: this.#dialect, repairs: [...this.#repairs], faults: [...this.#faults] };
    return answer === undefined ? found : { ...found, answer };
  }
}
