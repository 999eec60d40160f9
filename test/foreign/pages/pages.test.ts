import { expect, test } from "vitest";
import { readHtml } from "../../../src/cairn/documents/html.ts";
import { SHADOW_PAGES } from "./rows.ts";

test.each(SHADOW_PAGES)("shadow roots: $name", ({ input, value }) => {
  expect(readHtml(input, "https://page.example/").text).toBe(value);
});

test("hosts inside of hosts cost no more than the length of the page", () => {
  const depth = 400;
  const begin = "<x-a><template shadowrootmode=open><slot></slot></template>";
  const { text, cut } = readHtml(`${begin.repeat(depth)}<p>Deep</p>`, "https://page.example/");
  expect([text, cut]).toEqual(["Deep", false]);
  const many = readHtml(`${begin}<p>w</p></x-a>`.repeat(20_000), "https://page.example/");
  expect(many.text.split("\n")).toHaveLength(20_000);
});
