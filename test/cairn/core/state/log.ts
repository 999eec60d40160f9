import type { BodyOf, CallStatus, Entry, EntryKind } from "../../../../src/cairn/core/log/entry.ts";
import type { Json } from "../../../../src/cairn/core/log/json.ts";
import type { EntityRef } from "../../../../src/cairn/core/log/tool.ts";

/** A log of one run, written entry by entry: only what the transcript and the guards read of a body is filled in. */
export class RunLog {
  readonly entries: Entry[] = [];
  #steps = 0;
  #step: string | null = null;

  get head(): number {
    return this.entries.length;
  }

  get steps(): number {
    return this.#steps;
  }

  add<Kind extends EntryKind>(kind: Kind, body: Partial<BodyOf<Kind>>): number {
    const seq = this.entries.length + 1;
    this.entries.push({ seq, at: seq, run: "r1", step: this.#step, kind, v: 1, body } as unknown as Entry);
    return seq;
  }

  say(text: string, mode: "queue" | "join" = "queue"): number {
    return this.add("user_message", { id: `m${this.head}`, mode, parts: [{ type: "text", text }] });
  }

  /** Opens a step whose reply asks for these calls; the names of the calls. */
  reply(text: string, calls: readonly { tool: string; input?: Json }[]): string[] {
    this.#steps++;
    this.#step = `r1s${this.#steps}`;
    this.add("step_started", { n: this.#steps, purpose: "step" });
    const named = calls.map((call, index) => ({
      tool: call.tool,
      input: call.input ?? {},
      call: `${this.#step}c${index}`,
      title: call.tool,
      effect: "read" as const,
      gate: "never" as const,
      refused: null,
      duplicateOf: null,
    }));
    this.add("model_replied", {
      parts: [
        ...(text === "" ? [] : [{ type: "text" as const, text }]),
        ...named.map(({ call, tool, input }) => ({ type: "call" as const, call, tool, input })),
      ],
      calls: named,
    });
    return named.map((call) => call.call);
  }

  settle(
    call: string,
    tool: string,
    status: CallStatus = "ok",
    more: { observation?: string; message?: string; changes?: readonly EntityRef[]; whole?: true } = {},
  ): number {
    const observation = more.observation ?? `{"of":"${call}"}`;
    const failure =
      status === "ok"
        ? null
        : {
            class: "not_found" as const,
            code: "none",
            message: more.message ?? "There is none.",
            retryable: false,
          };
    return this.add("call_settled", {
      call,
      tool,
      status,
      observation,
      failure,
      chars: observation.length,
      ...(more.whole === undefined ? {} : { whole: more.whole }),
      ...(more.changes === undefined ? {} : { changes: more.changes }),
    });
  }

  /** A whole step of one call. */
  step(tool: string, status: CallStatus = "ok", more: Parameters<RunLog["settle"]>[3] = {}): string {
    const [call = ""] = this.reply("", [{ tool }]);
    this.settle(call, tool, status, more);
    return call;
  }
}
