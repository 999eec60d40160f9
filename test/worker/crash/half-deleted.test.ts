import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import type { Session } from "../worker.ts";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import { createOutside } from "./outside.ts";
import { ada, api, disk, given, left, say, stubOf } from "./session.ts";

/** An object dies in the middle of its deletion: the index has let go of it, and its own rows stand. */

const listed = async (session: string): Promise<number> => {
  const count =
    "SELECT (SELECT count(*) FROM sessions WHERE id = ?1) + (SELECT count(*) FROM approvals WHERE session_id = ?1) AS n";
  return (await env.DB.prepare(count).bind(session).first<number>("n")) ?? 0;
};

test("a session that is still there comes back into the list and the inbox by itself, and can be deleted", async () => {
  const session = "half-deleted";
  createOutside(session, [{ calls: [["publish", "it"]] }]);
  await say(session);
  await left(session, "approval_requested");
  await vi.waitUntil(async () => (await listed(session)) === 2, { timeout: 20_000, interval: 20 });
  await runInDurableObject(stubOf(session), async (object) => {
    const erase = vi.spyOn(SqlStore.prototype, "erase").mockImplementationOnce(() => {
      throw new Error("it dies here");
    });
    await expect((object as Session).api.remove(ada)).rejects.toThrow("it dies here");
    erase.mockRestore();
  });
  expect(await listed(session)).toBe(0);
  await abortAllDurableObjects();
  await vi.waitUntil(async () => (await listed(session)) === 2, { timeout: 20_000, interval: 20 });
  await given(api(session).remove(ada));
  expect([await listed(session), (await disk(session)).log, (await disk(session)).alarm]).toEqual([
    0,
    [],
    null,
  ]);
});
