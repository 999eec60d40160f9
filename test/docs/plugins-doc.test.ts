import { expect, test } from "vitest";
import { readText } from "./doc-pages.ts";

/** Names of the members of an interface, as they stand in a source file. */
function membersOf(file: string, name: string): string[] {
  const [, body = ""] =
    new RegExp(`^export interface ${name}\\b[\\s\\S]*?\\{\\n([\\s\\S]*?)^\\}`, "m").exec(readText(file)) ??
    [];
  return Array.from(body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm), ([, member = ""]) => member);
}

test("docs/plugins.md has every field of a plugin", () => {
  const own = membersOf("src/cairn/plugin.ts", "Plugin");
  const ofRoutes = membersOf("src/cairn/http/deps.ts", "RoutePlugin");
  expect(own).toEqual(expect.arrayContaining(["name", "settings", "scheduled"]));
  expect(ofRoutes).toEqual(expect.arrayContaining(["panels", "email"]));
  const described = Array.from(
    readText("docs/plugins.md").matchAll(/^\| `(\w+)` +\|/gm),
    ([, field = ""]) => field,
  );
  expect(described.toSorted()).toEqual([...new Set([...own, ...ofRoutes])].toSorted());
});
