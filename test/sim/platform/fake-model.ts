import type { Model, ModelRequest } from "../../../src/cairn/core/log/model.ts";
import { replyOf, type Line } from "../../../src/cairn/testing/script.ts";
import type { FakePlatform } from "./platform.ts";
export { replyOf, type Line };

/** An answer that says something of what was read: shorter ones that share no word with it are sent back. */
export const REPORT =
  "I have looked at everything that was asked for, one thing after the other, and read it from its beginning to its end. " +
  "There is nothing in it that would have to be changed, and nothing that would be worth a longer report than this one is.";

/** Answers by the number of the step, so that a repeated call says the same. */
export const byStep =
  (...lines: readonly Line[]) =>
  (request: ModelRequest): Line =>
    lines[Number(/s(\d+)$/.exec(request.step)?.[1] ?? 1) - 1] ?? { text: "The end." };

function note(platform: FakePlatform, request: ModelRequest): void {
  platform.cross("model: before");
  platform.observer.asked(request);
  platform.requests.push(request);
}

/** A real model, each request to it written down. */
export const watchedModel = (platform: FakePlatform, model: Model): Model => ({
  call: async (request, draft, signal) => {
    note(platform, request);
    const outcome = await model.call(request, draft, signal);
    platform.cross("model: after");
    return outcome;
  },
});

/** Says what the script of the platform says. */
export const scriptedModel = (platform: FakePlatform): Model => ({
  call: async (request, draft, signal) => {
    const line = platform.script(request, platform.requests.length);
    note(platform, request);
    if ("fail" in line && line.text === undefined) return { kind: "failed", failure: line.fail };
    const reply = replyOf(line, (piece) => {
      platform.onPiece?.();
      draft(piece);
    });
    await platform.onModel?.(request);
    platform.cross("model: after");
    if ("fail" in line) return { kind: "failed", failure: line.fail };
    return signal.aborted ? { kind: "aborted", partial: reply } : { kind: "replied", reply };
  },
});
