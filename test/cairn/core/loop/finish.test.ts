import { PLAIN_SPEC } from "../../../../src/cairn/core/log/run-spec.ts";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../../../src/cairn/core/log/entry.ts";
import type { PromptPart } from "../../../../src/cairn/core/log/model.ts";
import { leftoverRuns } from "../../../../src/cairn/core/loop/finish.ts";
import { EMPTY_STATE, type LiveRun } from "../../../../src/cairn/core/state/state.ts";
import { FakePlatform, type Line } from "../../../sim/platform/platform.ts";

const image: PromptPart = { type: "file", mediaType: "image/png", url: "data:image/png;base64,AA==" };
const text: PromptPart = { type: "text", text: "Words." };

describe("words that joined a run and that no model has read", () => {
  /** Somebody's run, as they have it, that is joined in its last step by words and a file. */
  async function joined(more: object): Promise<FakePlatform> {
    const lines: Line[] = [{ text: "The first is done." }, { text: "The second is done." }];
    const platform = new FakePlatform(lines);
    const wanted = { limits: { steps: 1, toolCalls: 7 }, profile: "standard", caps: { steps: 3 } } as const;
    platform.say("First.", { wanted, ...more });
    let words = 0;
    platform.onModel = () => {
      if (words++ === 0) platform.say("Second.", { ...more, parts: [text, image], mode: "join" });
    };
    await platform.settle();
    return platform;
  }

  test.each(["guest", "member", "admin"] as const)(
    "are worked in a run of their own, with the very rights of a %s who said them",
    async (role) => {
      const more = { role, source: "web", fallbacks: ["b:"], temperature: 0.3, approvers: ["bob"] } as const;
      const platform = await joined(more);
      const queued = platform.log.flatMap((entry) => (entry.kind === "run_queued" ? [entry] : []));
      const [first, second] = queued;
      expect(queued.map(({ run }) => run)).toEqual(["r1", "r2"]);
      const said = platform.log.findLast((entry) => entry.kind === "user_message");
      expect(second?.body).toEqual({
        ...first?.body,
        message: said?.kind === "user_message" ? said.body.id : "",
        inputSeq: said?.seq,
        files: true,
      });
      expect(second?.body).toMatchObject({ role, source: "web", fallbacks: ["b:"], approvers: ["bob"] });
      expect(platform.folded).toEqual(platform.state);
    },
  );

  test("are those alone that nobody has read, each in a run of its own", () => {
    const said = (seq: number, parts: readonly PromptPart[]): Entry =>
      ({ seq, kind: "user_message", body: { id: `m${seq}`, parts } }) as unknown as Entry;
    const run = {
      run: "r1",
      request: {
        inputSeq: 1,
        actor: "ada",
        source: "api",
        model: "first:",
        fallbacks: ["m:"],
        limits: {},
        temperature: null,
        role: "guest",
        imported: true,
      },
      models: { current: "m:", fallbacks: [] },
      input: { all: [1, 4, 6, 8], unread: [1, 4, 6, 8] },
    } as unknown as LiveRun;
    const queued = { seq: 2, kind: "run_queued", body: { spec: PLAIN_SPEC } } as unknown as Entry;
    const entries = [queued, said(1, [text]), said(4, [text]), said(6, [text]), said(8, [image])];
    const found = leftoverRuns({ ...EMPTY_STATE, runs: 5 }, run, entries, 4);
    expect(found.map(({ run: name, body }) => [name, body])).toEqual([
      [
        "r6",
        expect.objectContaining({
          inputSeq: 6,
          message: "m6",
          role: "guest",
          imported: true,
          spec: PLAIN_SPEC,
        }),
      ],
      ["r7", expect.objectContaining({ inputSeq: 8, message: "m8", role: "guest", files: true })],
    ]);
    expect(found[0]?.body).not.toHaveProperty("files");
    expect(
      leftoverRuns({ ...EMPTY_STATE, runs: 5 }, run, entries, 0).map(
        ({ body }) => "inputSeq" in body && body.inputSeq,
      ),
    ).toEqual([4, 6, 8]);
  });
});
