import { describe, expect, test } from "vitest";
import { claimsOf, requestedVerbs } from "../../../src/plugins/plain-words/claims.ts";
import { promisesLater } from "../../../src/plugins/plain-words/promises.ts";
import { bearsOut, verbOf, verbsOf } from "../../../src/plugins/plain-words/verbs.ts";

const claimed = (text: string, request = "Do what is needed"): readonly string[] =>
  claimsOf(text, request).map(({ verb }) => verb);

describe("what a text claims as its own act", () => {
  test.each<[string, readonly string[]]>([
    ["Published the page.", ["publish"]],
    ["I published it.", ["publish"]],
    ["I've now published the “About” page.", ["publish"]],
    ["The page has been published.", ["publish"]],
    ["I created the page, added a hero and published it.", ["create", "add", "publish"]],
    ["The page has been created and published.", ["create", "publish"]],
    ["Successfully deleted 3 pages.", ["delete"]],
    ["Done: Sent the mail to Ana.", ["send"]],
    ["- Renamed `home` to `start`", ["rename"]],
    ["Ich habe die Seite erstellt und veröffentlicht.", ["create", "publish"]],
    ["Die Seite wurde gelöscht.", ["delete"]],
    ["Die Mail ist verschickt worden.", ["send"]],
    ["J'ai supprimé la page et envoyé le message.", ["delete", "send"]],
    ["Les pages ont été publiées.", ["publish"]],
    ["He eliminado la página.", ["delete"]],
    ["Se ha publicado la página.", ["publish"]],
  ])("%s", (text, verbs) => {
    expect(new Set(claimed(text))).toEqual(new Set(verbs));
  });

  test.each([
    "Published pages: Home, About.",
    "Updated on 3 May by Anna.",
    "The page was created by Anna.",
    "It has been published since March.",
    "It has already been published.",
    "Once I have published it, visitors see it.",
    "If it has been deleted, it can be restored.",
    "I have not published it.",
    "I could not publish the page.",
    "No page has been deleted.",
    "Have I published it?",
    "Should I have published it?",
    "The page that I created last week is gone.",
    "The button says “I published the page”.",
    "> I published the page.",
    "```\nI published the page.\n```",
    "The published page is short.",
    "I created a short summary of it.",
    "Es wurde nichts gelöscht.",
    "Ich habe die Seite nicht veröffentlicht.",
    "Die Seite ist seit Mai veröffentlicht.",
    "Die Seite wurde von Anna veröffentlicht.",
    "Je n'ai pas publié la page.",
    "La page est publiée depuis mai.",
    "No he publicado la página.",
    "La página fue publicada por Ana.",
  ])("%s claims nothing", (text) => {
    expect(claimed(text)).toEqual([]);
  });

  test("how things are is claimed only where it was asked to be so", () => {
    expect(claimed("The page is now live.", "Publish the page")).toEqual(["publish"]);
    expect(claimed("The page is now live.", "Change the title")).toEqual([]);
    expect(claimed("The page is already live.", "Publish the page")).toEqual([]);
    expect(claimed("The page is live.", "Publish the page if it is not live")).toEqual([]);
    expect(claimed("Page deleted.", "Delete the page")).toEqual(["delete"]);
    expect(claimed("Pages deleted", "Rename the page")).toEqual([]);
  });

  test("a bare done claims what the request wished for, and nothing where it wished for no effect", () => {
    expect(claimed("Done!", "Delete the page")).toEqual(["done"]);
    expect(claimed("Alles erledigt.", "Lösche die Seite")).toEqual(["done"]);
    expect(claimed("Done!", "Check the links")).toEqual([]);
    expect(claimed("Done, but the mail could not be sent.", "Delete the page")).toEqual([]);
  });

  test("a text that was asked for is not the speaker's own", () => {
    expect(claimed("Dear Ana, we have refunded your order.", "Draft a reply to Ana")).toEqual([]);
    expect(claimed("- Added the search\n- Fixed the cache", "Write a release note")).toEqual([]);
    expect(claimed("Ich habe die Datei gelöscht.", "Translate “I deleted the file”")).toEqual([]);
    expect(claimed("I sent the reply.", "Draft a reply to Ana and send it")).toEqual(["send"]);
    expect(claimed("Here it is:\n---\nI refunded it.\n---\nShall I send it?", "Answer Ana")).toEqual([]);
  });

  test("a question about earlier acts may be answered by them", () => {
    expect(claimed("Yes, I published it.", "Did you publish the page?")).toEqual([]);
  });

  test("a request wishes for effects, a question does not", () => {
    expect([...requestedVerbs("Please publish the page and delete the draft")]).toEqual([
      "delete",
      "publish",
    ]);
    expect([...requestedVerbs("How do I publish a page?")]).toEqual([]);
    expect([...requestedVerbs("Send me a list of the pages")]).toEqual([]);
    expect([...requestedVerbs("Do not delete anything")]).toEqual([]);
    expect([...requestedVerbs("Lösche die Seite")]).toEqual(["delete"]);
  });

  test("a long text is read in time that grows with it", () => {
    const text = "I have looked at the page and found that it is fine, and ".repeat(2_000);
    const began = performance.now();
    claimed(text);
    promisesLater(text);
    // A pattern that backtracks without bound would take minutes.
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

describe("verbs", () => {
  test("a declared word is one of them, or a synonym of one", () => {
    expect(verbOf("Publish")).toBe("publish");
    expect(verbOf("edit")).toBe("update");
    expect(verbOf("search")).toBeNull();
  });

  test("each bears out itself, and what it is a kind of", () => {
    for (const verb of verbsOf("en")) expect(bearsOut(verb, [verb])).toBe(true);
    expect(bearsOut("create", ["add"])).toBe(true);
    expect(bearsOut("publish", ["update"])).toBe(false);
    expect(bearsOut("send", ["update", "publish"])).toBe(false);
  });
});

describe("a promise at the end", () => {
  test.each([
    "I'll get back to you soon.",
    "Let me create the page now.",
    "Next, I will publish the page.",
    "I'm working on the report. Thanks for waiting!",
    "The report will be ready in 10 minutes.",
    "I will do that. Let me know if you need anything else.",
    "Ich melde mich morgen.",
    "Ich kümmere mich gleich darum. Viele Grüße",
    "Je vous tiens au courant.",
    "Je publierai la page demain.",
    "Voy a publicar la página.",
    "Te aviso cuando termine.",
  ])("%s", (text) => {
    expect(promisesLater(text)).toBe(true);
  });

  test.each([
    "Let me know if you need anything else.",
    "If you like, I will publish it.",
    "I will publish it once you approve.",
    "Shall I publish it? Then I'll do it at once.",
    "I won't publish it without your word.",
    "I will remember that.",
    "I'll be here if you need me.",
    "The sale will end in May.",
    "The page will be shown to visitors.",
    "Wenn du willst, veröffentliche ich sie gleich.",
    "Ich kann sie gerne später veröffentlichen.",
    "Si vous voulez, je la publierai.",
    "N'hésitez pas à me le dire.",
    "Si quieres, la publicaré.",
    "Avísame si falta algo.",
    "She wrote “I will get back to you”.",
    "I will publish it, you said. The page is published.",
  ])("%s is none", (text) => {
    expect(promisesLater(text)).toBe(false);
  });
});
