import { describe, expect, test } from "vitest";
import type { SendCommand } from "../../../src/cairn/session/api/session-api.ts";
import { PLAIN_FILES } from "../../fixtures/agents.ts";
import { LiveSession } from "./sockets/session-fixture.ts";

/** Storage that fails is no file that is missing: the caller sends the run again. */

const url = `/uploads/f_${"0".repeat(24)}`;
const command = (id: string, files?: SendCommand["files"]): SendCommand => ({
  id,
  parts: [
    { type: "text", text: "Read it." },
    { type: "file", mediaType: "text/plain", url },
  ],
  mode: "queue",
  source: "api",
  request: null,
  ask: {},
  ...(files === undefined ? {} : { files }),
});

async function answerOf(broken: Partial<typeof PLAIN_FILES>, files?: SendCommand["files"]) {
  const whole = { ...PLAIN_FILES };
  Object.assign(PLAIN_FILES, broken);
  try {
    const session = new LiveSession([{ text: "Read." }]);
    const { ok, ...said } = await session.api.send(session.actor(), command("m1", files));
    return ok ? "accepted" : (said as { error: { status: number; code: string } }).error;
  } finally {
    Object.assign(PLAIN_FILES, whole);
  }
}

const identify: typeof PLAIN_FILES.identify = async (parts, _site, failed) => {
  failed?.();
  return parts;
};

describe("a run whose files are named", () => {
  test("is 503 where they could not be looked up, and 422 where they are missing", async () => {
    expect(await answerOf({ identify }, ["files[0]"])).toMatchObject({
      status: 503,
      code: "files_unavailable",
    });
    expect(await answerOf({}, ["files[0]"])).toMatchObject({ status: 422, code: "invalid_run" });
  });

  test("is 503 where the files that wait for it could not be looked up", async () => {
    expect(await answerOf({ identify }, "waiting")).toMatchObject({ status: 503, code: "files_unavailable" });
  });

  test("a message goes on without what is known of its file", async () => {
    expect(await answerOf({ identify })).toBe("accepted");
  });
});
