import { expect, test } from "vitest";
import { mayUseTarget } from "../../../../src/cairn/core/guards/target-access.ts";

/** Everybody may work on the deployment's own target; members and admins may work on another one. */

test.each<readonly [string, boolean, readonly string[], string, boolean, boolean]>([
  ["anybody on the deployment's own", true, [], "ann", false, true],
  ["a member", false, ["ann"], "ann", false, true],
  ["one of several members", false, ["bob", "ann"], "ann", false, true],
  ["everybody where it says so", false, ["*"], "ann", false, true],
  ["an admin who is not named", false, [], "root", true, true],
  ["nobody else", false, ["bob"], "ann", false, false],
  ["nobody where nobody is named", false, [], "ann", false, false],
  ["nobody whose name is a part of a member's", false, ["ann-marie", "joann"], "ann", false, false],
  ["nobody who is called like everybody", false, ["ann"], "*", false, false],
  ["nobody without a name", false, ["ann"], "", false, false],
])("%s", (_name, isOwn, members, subject, isAdmin, may) => {
  expect(mayUseTarget({ isOwn, members }, { subject, isAdmin })).toBe(may);
});
