import { describe, expect, test } from "vitest";
import { hrefOf, parseRoute, sharedToken, type Route } from "../../src/page/address.ts";

describe("the route of the page", () => {
  const routes: readonly (readonly [string, Route])[] = [
    ["#/", { at: "start" }],
    ["#/approvals", { at: "inbox" }],
    ["#/new-run", { at: "new-run" }],
    ["#/preferences", { at: "preferences" }],
    ["#/s/ses_1", { at: "session", session: "ses_1", panel: null }],
    ["#/s/ses_1/memory", { at: "session", session: "ses_1", panel: "memory" }],
    ["#/s/ses_1/trace", { at: "session", session: "ses_1", panel: "trace" }],
    ["#/s/ses_1/trace/r12", { at: "session", session: "ses_1", panel: "trace", step: "r12" }],
    ["#/s/ses_1/trace/r12s3", { at: "session", session: "ses_1", panel: "trace", step: "r12s3" }],
  ];

  test.each(routes)("%s is read and written", (href, route) => {
    expect(parseRoute(href)).toEqual(route);
    expect(hrefOf(route)).toBe(href);
  });

  test.each([
    "",
    "#/x",
    "#/s/",
    "#/s/a b",
    `#/s/${"x".repeat(65)}`,
    "#/s/ses_1/trace/",
    "#/s/ses_1/trace/r0",
    "#/s/ses_1/trace/r1s0",
    "#/s/ses_1/trace/r1s1c0",
    "#/s/ses_1/trace/r1s2/x",
    "#/s/ses_1/memory/r1s2",
    "#/s/ses_1/trace/%72",
  ])("%s is the start", (hash) => {
    expect(parseRoute(hash)).toEqual({ at: "start" });
  });

  test("a panel that nobody knows is none", () => {
    expect(parseRoute("#/s/ses_1/nothing")).toEqual({ at: "session", session: "ses_1", panel: null });
  });

  test("a read-only link is known by its token, and is no route", () => {
    expect(sharedToken("#/shared/eyJ.a-_1")).toBe("eyJ.a-_1");
    expect(parseRoute("#/shared/eyJ.a-_1")).toEqual({ at: "start" });
    for (const hash of ["", "#/shared/", "#/shared/eyJ", "#/shared/a.b/c", "#/s/shared"])
      expect(sharedToken(hash)).toBeNull();
  });
});
