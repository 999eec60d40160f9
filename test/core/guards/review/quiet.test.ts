import { expect, test } from "vitest";
import { isQuiet } from "../../../../src/core/guards/review/quiet.ts";
import { effect, read, run } from "./review-run.ts";

const LIST = read("page_list", "Home, About, Blog");

test.each([
  ["Which pages are on the site?", "There are three pages: Home, About and Blog."],
  ["Welche Seiten gibt es?", "Drei: Start, Blog und Team."],
  ["Hello!", "Hello! How can I help you?"],
])("a question, or a greeting, whose answer claims nothing needs no receipt: %s", (wish, said) => {
  expect(isQuiet(run(wish, [LIST], said, wish === "Hello!" ? { profile: "trivial" } : {}))).toBe(true);
});

test.each([
  ["Which pages are on the site?", "Home, About and Blog. I also published Moon."],
  ["Which pages are on the site?", "Home and Moon, which is live."],
  ["Can you publish Moon?", "There are three pages."],
  ["Publish Moon.", "There are three pages."],
  ["Thanks!", "You're welcome! I went ahead and fixed the footer."],
  ["Merci !", "Avec plaisir ! J'en ai profité pour corriger le pied de page."],
  ["¡Gracias!", "¡De nada! De paso arreglé el pie de página."],
  ["どのページがありますか？", "月のページを公開しました。"],
  ["Quali pagine ci sono?", "Ho pubblicato Luna."],
])("in any doubt it is shown: %s %s", (wish, said) => {
  expect(isQuiet(run(wish, [LIST], said, { profile: "trivial" }))).toBe(false);
});

test("after any effect it is shown", () => {
  expect(isQuiet(run("Which pages are there?", [effect("page_create", "create")], "Three."))).toBe(false);
});
