import { readFileSync } from "node:fs";
import { characterEntities } from "character-entities";
import { decodeNamedCharacterReference as decodeByPackage } from "decode-named-character-reference";
import { find as findByPackage, html } from "property-information";
import { stringifyEntities } from "stringify-entities";
import { describe, expect, test } from "vitest";
import { SITE_SCHEMA } from "../../src/site/html/markdown.ts";
import { decodeNamedCharacterReference, withReferences } from "../../build/stubs/character-references.ts";
import { find, html as slimHtml } from "../../build/stubs/property-information.ts";
import structuredCloneSlim from "../../build/stubs/structured-clone.ts";
import { packSkills, SKILLS_FILE } from "../build/skills.ts";
import { packReferences, REFERENCES_FILE } from "../build/character-references.ts";

/** Each stand-in of the site against the package whose place it takes in the bundle. */

const FILE = readFileSync(REFERENCES_FILE, "utf8");

describe("named character references", () => {
  // First, because the table is read once.
  test("are read when the first is met, and what met it is done again; a text without any needs none", async () => {
    const asked: string[] = [];
    const load = async (answer: () => string): Promise<string> => {
      asked.push("table");
      return answer();
    };
    const refuse = (): string => {
      throw new Error("not there");
    };
    const render = (name: string) => async (): Promise<string> => {
      const decoded = name === "" ? "" : decodeNamedCharacterReference(name);
      asked.push(`${name} ${decoded}`);
      return decoded === false ? `&${name};` : decoded;
    };
    expect(await withReferences(render(""), () => load(refuse))).toBe("");
    await expect(withReferences(render("hearts"), () => load(refuse))).rejects.toThrow("not there");
    expect(await withReferences(render("hearts"), () => load(() => FILE))).toBe("♥");
    expect(await withReferences(render("copy"), () => load(refuse))).toBe("©");
    expect(asked).toEqual([" ", "hearts false", "table", "hearts false", "table", "hearts ♥", "copy ©"]);
  });

  test("stand for what they stand for in the package, every one", () => {
    const names = Object.keys(characterEntities);
    const decoded = names.map((name) => [name, decodeNamedCharacterReference(name)]);
    expect(names.length).toBeGreaterThan(2_000);
    expect(decoded).toEqual(names.map((name) => [name, decodeByPackage(name)]));
  });

  test("are none where HTML has none, and capitals count", () => {
    for (const name of ["", "nosuch", "HEARTS", "constructor", "__proto__", "1", "+", ","])
      expect([name, decodeNamedCharacterReference(name)]).toEqual([name, decodeByPackage(name)]);
  });

  test("come from a table that is as test/build/character-references.ts makes it", () => {
    expect(FILE).toBe(`${packReferences()}\n`);
  });

  test("are written as numbers by the settings of the site, so that names for writing are not needed", () => {
    // What `hast-util-to-html` asks for when it is given no settings.
    expect(stringifyEntities("a & b < c", { subset: ["<", "&"] })).toBe("a &#x26; b &#x3C; c");
  });
});

test("attributes that the sanitiser lets through are written as the package says", () => {
  const allowed = Object.values(SITE_SCHEMA.attributes ?? {}).flatMap((list) =>
    list.map((each) => (typeof each === "string" ? each : each[0])),
  );
  const fields = (each: ReturnType<typeof find>) => ({
    attribute: each.attribute,
    property: each.property,
    boolean: each.boolean,
    overloadedBoolean: each.overloadedBoolean,
    commaSeparated: each.commaSeparated,
  });
  expect(allowed).toContain("href");
  for (const property of allowed)
    expect(fields(find(slimHtml, property))).toEqual(fields(findByPackage(html, property)));
});

test("what reads skills is as test/build/skills.ts makes it of the packages", async () => {
  expect(readFileSync(SKILLS_FILE, "utf8")).toBe(await packSkills());
});

test("a clone is a deep copy", () => {
  const value = { list: [{ deep: 1 }] };
  const clone = structuredCloneSlim(value);
  expect(clone).toEqual(value);
  expect(clone.list[0]).not.toBe(value.list[0]);
});
