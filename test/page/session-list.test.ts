import { describe, expect, test } from "vitest";
import {
  doingWords,
  groupSessions,
  refreshSeconds,
  titleOf,
  withSession,
  type Listed,
} from "../../src/page/session-list/list.ts";

const at = (days: number, hours = 0): string => new Date(2026, 5, 20 - days, 12 - hours).toISOString();
const NOW = Date.parse(at(0));

function session(id: string, change: Partial<Listed> = {}): Listed {
  return {
    id,
    title: id,
    titleSource: "auto",
    owner: "alice",
    agent: "default",
    targets: null,
    model: "rehearsal:",
    status: "idle",
    archived: false,
    messageCount: 1,
    runCount: 1,
    queued: 0,
    pendingApprovals: 0,
    lastSeq: 1,
    version: 1,
    createdAt: at(0),
    updatedAt: at(0),
    forkedFrom: null,
    imported: false,
    metadata: {},
    ...change,
  };
}
const ids = (sessions: readonly Listed[]): string[] => sessions.map(({ id }) => id);

describe("the list", () => {
  test("has what waits for a person first, then days as a person counts them", () => {
    const sessions = [
      session("now"),
      session("waits", { status: "waiting", updatedAt: at(40) }),
      session("early", { updatedAt: at(0, 11) }),
      session("late yesterday", { updatedAt: at(0, 13) }),
      session("yesterday", { updatedAt: at(1, 11) }),
      session("two days", { updatedAt: at(2, 11) }),
      session("a week", { updatedAt: at(7) }),
      session("eight days", { updatedAt: at(8) }),
      session("long ago", { updatedAt: at(400) }),
    ];
    expect(groupSessions(sessions, NOW).map(({ name, sessions }) => [name, ids(sessions)])).toEqual([
      ["Needs you", ["waits"]],
      ["Today", ["now", "early"]],
      ["Yesterday", ["late yesterday", "yesterday"]],
      ["Last 7 days", ["two days", "a week"]],
      ["Last 30 days", ["eight days"]],
      ["Older", ["long ago"]],
    ]);
    expect(groupSessions([], NOW)).toEqual([]);
  });

  test.each<[Partial<Listed>, string | null]>([
    [{}, null],
    [{ status: "running" }, "Working"],
    [{ status: "waiting" }, "Needs your answer"],
    [{ status: "waiting", pendingApprovals: 1 }, "Needs your approval"],
    [{ status: "waiting", pendingApprovals: 3 }, "3 approvals need you"],
  ])("%o is %s", (change, words) => {
    expect(doingWords(session("a", change))).toBe(words);
  });

  test("is looked at more often while something works, or something is searched that may be there soon", () => {
    const rests = refreshSeconds([session("a")], false);
    expect(refreshSeconds([session("a", { status: "running" })], false)).toBeLessThan(rests);
    expect(refreshSeconds([session("a")], true)).toBeLessThan(rests);
  });

  test("a session in which nothing was said has a name all the same", () => {
    expect([titleOf({ title: "" }), titleOf({ title: "Pages" })]).toEqual(["New session", "Pages"]);
  });
});

describe("a session that is known from elsewhere", () => {
  const list = [session("a"), session("b", { updatedAt: at(1) })];
  const all = { search: false, archived: false };

  test("is known better than the list, which lags", () => {
    const open = session("b", { title: "Renamed", status: "running" });
    const [, b] = withSession(list, open, all);
    expect(b).toEqual(session("b", { title: "Renamed", status: "running" }));
    expect(
      withSession([session("b", { snippet: "found" })], open, { ...all, search: true })[0],
    ).toMatchObject({
      title: "Renamed",
      snippet: "found",
    });
  });

  test("gives way to a list that is newer", () => {
    expect(withSession(list, session("a", { updatedAt: at(2), title: "old" }), all)).toBe(list);
  });

  test("stands on top while the list does not have it yet, but in no search", () => {
    expect(ids(withSession(list, session("new"), all))).toEqual(["new", "a", "b"]);
    expect(withSession(list, session("new"), { ...all, search: true })).toBe(list);
  });

  test("is in the archive or among the others, not in both", () => {
    expect(ids(withSession(list, session("a", { archived: true }), all))).toEqual(["b"]);
    expect(ids(withSession([], session("a", { archived: true }), { ...all, archived: true }))).toEqual(["a"]);
    expect(ids(withSession([], session("a"), { ...all, archived: true }))).toEqual([]);
  });
});
