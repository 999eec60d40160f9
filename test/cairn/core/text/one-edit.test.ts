import { describe, expect, test } from "vitest";
import { nearestWords } from "../../../../src/cairn/core/text/nearest.ts";
import { isOneEditApart } from "../../../../src/cairn/core/text/one-edit.ts";

describe("one typing mistake makes one word of the other", () => {
  test.each([
    ["swapped letters", "abuot", "about"],
    ["swapped at the beginning", "baout", "about"],
    ["swapped at the end", "contatc", "contact"],
    ["a missing letter", "contct", "contact"],
    ["a letter too many", "conntact", "contact"],
    ["a wrong letter", "contakt", "contact"],
    ["a letter outside of ASCII", "über", "ober"],
    ["a missing last letter of four", "new", "news"],
  ])("%s", (_, one, other) => {
    expect([isOneEditApart(one, other), isOneEditApart(other, one)]).toEqual([true, true]);
  });

  test.each([
    ["equal words", "about", "about"],
    ["two mistakes", "abuot", "abouts"],
    ["short words", "us", "is"],
    ["short words of three letters", "the", "she"],
    ["letters swapped over another", "abcde", "cbade"],
    ["words beyond the bound", "a".repeat(65), "a".repeat(66)],
  ])("not %s", (_, one, other) => {
    expect([isOneEditApart(one, other), isOneEditApart(other, one)]).toEqual([false, false]);
  });
});

test("a name with one mistake in a word is suggested first", () => {
  const names = ["about", "contact", "about-us", "boats", "news"];
  expect(nearestWords("abuot us", names)[0]).toBe("about-us");
  expect(nearestWords("contatc", names)[0]).toBe("contact");
  expect(nearestWords("enws", names)[0]).toBe("news");
});
