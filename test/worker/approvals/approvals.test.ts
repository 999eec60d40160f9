import { beforeAll, describe, expect, test } from "vitest";
import { makeSite } from "../cms/fixture.ts";
import { gated, openApi } from "../sessions/session-fixture.ts";
import { answers } from "../../../src/cairn/protocol/api.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";

/** Decisions over real sessions: edits, and those that are remembered . */

beforeAll(makeSite);

const api = openApi();
const HOUR = { match: "tool", seconds: 3_600 };

interface Detail {
  readonly activeRun: { readonly waitingFor: { readonly id: string } | null } | null;
  readonly policies: readonly { readonly id: string; readonly tool: string; readonly by: string }[];
}
const at = (session: string): string => `/api/sessions/${session}`;
const detailOf = (session: string): Promise<Detail> => api.json<Detail>(200, at(session));
const waiting = async (session: string): Promise<string> =>
  (await detailOf(session)).activeRun?.waitingFor?.id ?? "none";
const untilIdle = async (session: string): Promise<string> => {
  const events = await api.call(`${at(session)}/events?until=idle`, {
    headers: { accept: "text/event-stream" },
  });
  return events.text();
};

describe("an edit", () => {
  test("that does not fit names every field that is wrong; one that does says what was asked before", async () => {
    const session = "ses_edit";
    await api.say(session, `/call page_create {"name":"Spare"}\n/then\n${gated()}`);
    const path = `${at(session)}/approvals/${await waiting(session)}`;
    const asked = await api.json<{ args: unknown }>(200, path);
    expect(answers().Approval.strict().safeParse(asked).error ?? null).toBeNull();
    expect(asked).toMatchObject({
      why: "It changes what visitors see, or deletes.",
      askedArgs: null,
      requesterMayApprove: true,
    });
    const wrong = { decision: "edit", args: { pages: ["", 5], more: true } };
    expect(await api.json(422, path, post(wrong))).toMatchObject({
      error: {
        code: "invalid_args",
        issues: [
          { path: "args.pages[0]", code: "invalid_input" },
          { path: "args.pages[1]", code: "invalid_input" },
          { path: "args", code: "unknown_field" },
        ],
      },
    });
    const edited = { pages: ["spare"] };
    expect(await api.json(200, path, post({ decision: "edit", args: edited }))).toMatchObject({
      state: "approved",
      args: edited,
      askedArgs: asked.args,
    });
    await untilIdle(session);
    const decided = await api.json(200, path);
    expect(answers().Approval.strict().safeParse(decided).error ?? null).toBeNull();
    const inbox = await api.json(200, `/api/approvals?state=approved&sessionId=${session}`);
    expect(answers().Approvals.safeParse(inbox).error ?? null).toBeNull();
    expect(inbox).toMatchObject({ items: [{ sessionId: session, state: "approved" }] });
  });
});

describe("a look at other arguments", () => {
  test("says what the call would do with them, or why they do not fit, and decides nothing", async () => {
    const session = "ses_preview";
    await api.say(session, `/call page_create {"name":"Other"}\n/then\n${gated()}`);
    const path = `${at(session)}/approvals/${await waiting(session)}`;
    const asked = await api.json<{ digest: string }>(200, path);
    const seen = await api.json<{ digest: string }>(
      200,
      `${path}/preview`,
      post({ args: { pages: ["other"] } }),
    );
    expect(answers().EditPreview.strict().safeParse(seen).error ?? null).toBeNull();
    expect(seen).toMatchObject({ summary: expect.stringContaining("Other"), args: { pages: ["other"] } });
    expect(await api.json(422, `${path}/preview`, post({ args: { pages: 5 } }))).toMatchObject({
      error: { code: "invalid_args", issues: [{ path: "args.pages" }] },
    });
    expect(await api.json(200, path)).toEqual(asked);
    // The edit gets the digest of its preview.
    const edit = { decision: "edit", args: { pages: ["other"] }, digest: asked.digest };
    expect(await api.json(200, path, post(edit))).toMatchObject({
      state: "approved",
      result: { digest: seen.digest },
    });
    await untilIdle(session);
    expect(await api.json(409, `${path}/preview`, post({ args: { pages: ["other"] } }))).toMatchObject({
      error: { code: "already_decided" },
    });
  });
});

describe("a remembered yes", () => {
  test("is listed, skips the next question, and asks again once it is taken back", async () => {
    const session = "ses_remember";
    await api.say(session, gated());
    const approval = await waiting(session);
    const shown = await api.json<{ remember: string[] }>(200, `${at(session)}/approvals/${approval}`);
    expect(shown.remember).toEqual(["args", "tool"]);
    const decided = await api.call(
      `${at(session)}/approvals/${approval}`,
      post({ decision: "approve", remember: HOUR }),
    );
    expect(decided.status).toBe(200);
    await untilIdle(session);
    const [policy] = (await detailOf(session)).policies;
    expect(policy).toMatchObject({ id: `${approval}p`, tool: "page_delete", match: "tool", by: "alice" });

    // Nobody is asked, and the reader of its stream gets the whole of it in one piece.
    const said = await api.call(`${at(session)}/messages`, {
      ...post({ text: gated() }, { accept: "text/event-stream" }),
    });
    const stream = await said.text();
    expect(stream).toContain("Done.");
    expect(stream).not.toContain("tool-approval-request");
    expect(stream).toContain('"via":"policy"');

    const path = `${at(session)}/policies/${policy?.id ?? ""}`;
    expect(await verdictOf(await api.call(path, { method: "DELETE", who: "bob" }))).toEqual([
      404,
      "not_found",
    ]);
    expect((await api.call(path, { method: "DELETE" })).status).toBe(204);
    expect(await verdictOf(await api.call(path, { method: "DELETE" }))).toEqual([404, "not_found"]);
    expect((await detailOf(session)).policies).toEqual([]);
    await api.say(session, gated());
    expect(await waiting(session)).toMatch(/^r3s\d+c0a1$/);
  });

  test("is not carried into a fork", async () => {
    const session = "ses_forked";
    await api.say(session, gated());
    const approval = await waiting(session);
    await api.json(200, `${at(session)}/approvals/${approval}`, post({ decision: "deny", remember: HOUR }));
    await untilIdle(session);
    expect((await detailOf(session)).policies).toHaveLength(1);
    const fork = await api.json<{ id: string }>(201, `${at(session)}/fork`, post({}));
    expect((await detailOf(fork.id)).policies).toEqual([]);
  });
});
