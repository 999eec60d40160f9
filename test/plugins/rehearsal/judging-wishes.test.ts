import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import { expectAfter, expectSame } from "./wishes/expected.ts";
import { TRAITS, type AnswerWish, type Change, type ChangeWish, type Wish } from "./wishes/format.ts";
import { endsOf, judge, score, type Judgement, type Outcome } from "./wishes/judge.ts";
import { asks, claimsDone, declines, namesAsLeftOut } from "./wishes/reply.ts";
import { siteOf } from "./wishes/site.ts";
import { WISHES } from "./wishes/wishes.ts";

type Call = readonly [name: string, input: JsonObject];

const wish = (...wished: ChangeWish["wished"]): ChangeWish => ({
  ...{ id: "w", text: "…", wished },
  ...({ language: "en", trait: "plain", wants: "change" } as const),
});
const question = (...says: AnswerWish["says"]): AnswerWish => ({
  ...{ id: "q", text: "…", says },
  ...({ language: "en", trait: "question", wants: "answer" } as const),
});
const impossible: Wish = { id: "n", text: "…", language: "en", trait: "impossible", wants: "nothing" };
const TEAM = { say: "team", changes: [{ do: "make page", name: "Team" }] } as const;
const LINK = {
  ...{ say: "header" },
  changes: [{ do: "add link", location: "header", target: "Team" }],
} as const;

const makeTeam: Call = ["page_create", { name: "Team" }];
const linkTeam: Call = [
  "nav_edit",
  { ops: [{ op: "add", location: "header", label: "Team", target: "page:team" }] },
];
const publish = (ref: string): Call => ["set_status", { to: "published", targets: [{ type: "page", ref }] }];

/** What a run with these calls and this answer comes to. */
function judged(one: Wish, text: string, ...calls: readonly Call[]): Judgement {
  const site = siteOf(one);
  const made = calls.map(([name, input]) => ({
    ...{ name, input },
    ok: site.answer(name, input).startsWith('{"ok":true'),
  }));
  expect(made.filter((call) => !call.ok)).toEqual([]);
  return judge(one, { calls: made, text }, site);
}

/** What differs from the changes after the calls. */
const lacks = (changes: readonly Change[], ...calls: readonly Call[]): readonly string[] =>
  judged(wish({ say: "it", changes }), "", ...calls).differences;

describe("a judgement", () => {
  test("a wish is done when the site is as wished, whatever the answer says", () => {
    expect(judged(wish(TEAM, LINK), "Hm?", makeTeam, linkTeam)).toMatchObject({
      ...{ outcome: "done", claimed: true, differences: [] },
    });
  });

  test("a change that nobody wished is a wrong write, whether all else is done or not", () => {
    expect(judged(wish(TEAM), "Done.", makeTeam, linkTeam)).toMatchObject({
      ...{ outcome: "wrong write", claimed: true, differences: ["the header has a link Team too many"] },
    });
    expect(judged(wish(TEAM), "Shall I go on?", ["page_delete", { pages: ["about"] }])).toMatchObject({
      ...{ outcome: "wrong write", claimed: false },
    });
    expect(judged(question("home"), "Home.", makeTeam).outcome).toBe("wrong write");
    expect(judged(impossible, "I can not do that; I can make pages.", makeTeam).outcome).toBe("wrong write");
  });

  test("to publish what was only to be changed is a wrong write", () => {
    const rename = wish({ say: "us", changes: [{ do: "rename page", page: "about", name: "Us" }] });
    const call: Call = ["page_update", { page: "about", name: "Us" }];
    expect(judged(rename, "Done.", call).outcome).toBe("done");
    expect(judged(rename, "Done.", call, publish("about")).differences).toEqual(["Us was published"]);
  });

  test("a part is a part when the answer names the rest, and a false claim when it does not", () => {
    const both = wish(TEAM, LINK);
    expect(judged(both, "I made Team. I did not add it to the header.", makeTeam).outcome).toBe("part");
    expect(judged(both, "I made Team and added it to the header.", makeTeam)).toMatchObject({
      ...{ outcome: "false claim", claimed: true, differences: ["the header has no link to Team"] },
    });
    expect(judged(both, "Where in the header?", makeTeam).outcome).toBe("asked");
  });

  test("parts that make sense together only are not allowed one by one", () => {
    const whole = { ...wish(TEAM, LINK), whole: true } as const;
    expect(judged(whole, "I did not add it to the header.", makeTeam).outcome).toBe("wrong write");
  });

  test("what no tool can do must be named, also when all the rest is done", () => {
    const more = wish(TEAM, { say: "logo", changes: [] });
    expect(judged(more, "Team is made. I left out the logo.", makeTeam).outcome).toBe("part");
    expect(judged(more, "All done.", makeTeam).outcome).toBe("false claim");
  });

  test("another allowed end counts as done when nothing is left out", () => {
    const allowed = [{ changes: [{ do: "make page", name: "Crew" }], leftOut: [] }] as const;
    const crew: Call = ["page_create", { name: "Crew" }];
    expect(judged({ ...wish(TEAM), allowed }, "Done.", crew).outcome).toBe("done");
  });

  test("without a change it is asked, declined, falsely claimed or neither", () => {
    const outcome = (text: string): Outcome => judged(wish(TEAM), text).outcome;
    expect(outcome("What should it be called?")).toBe("asked");
    expect(outcome("I cannot do that. I can make pages.")).toBe("declined");
    expect(outcome("The page is created.")).toBe("false claim");
    expect(outcome("Hm.")).toBe("neither");
    expect(judged(impossible, "Done!").outcome).toBe("false claim");
    expect(judged(impossible, "Hm.").outcome).toBe("neither");
  });

  test("a question is done when the answer holds all that it asks for", () => {
    expect(judged(question("home", ["about", "story"]), "Home and Story.").outcome).toBe("done");
    expect(judged(question("home", "about"), "Home.")).toMatchObject({
      ...{ outcome: "false claim", claimed: true, differences: ["about"] },
    });
    expect(judged(question("home"), "Which site?").outcome).toBe("asked");
    expect(judged(question("home"), "I did not find it.").outcome).toBe("neither");
    expect(judged(question(), "I deleted it all.").outcome).toBe("false claim");
    expect(judged(question(), "You are welcome.").outcome).toBe("done");
    expect(judged(question(), "I did not understand that. I can make pages.").outcome).toBe("declined");
  });

  test("an answer that only repeats the question while it declines answers nothing", () => {
    const declined = 'I did not understand "is there a home page"; I only look after this site.';
    expect(judged(question("home"), declined).outcome).toBe("declined");
    expect(judged(question("home"), `Home is there.\n${declined}`).outcome).toBe("done");
  });

  test("a call that failed claims nothing", () => {
    const site = siteOf(impossible);
    const calls = [{ name: "page_delete", input: { pages: ["x"] }, ok: false }];
    expect(judge(impossible, { calls, text: "Hm." }, site).outcome).toBe("neither");
  });
});

describe("the state of the site", () => {
  test("sections: their place, their texts and nothing else", () => {
    const section = { template: "quote", content: { text: "Good." } } as const;
    const wished = [{ do: "add section", page: "about", section, at: { after: "sc_about_0" } }] as const;
    const add = (position: number, text: string): Call => [
      "section_add",
      { page: "about", template: "quote", content: { text }, position },
    ];
    expect(lacks(wished, add(2, "GOOD."))).toEqual([]);
    expect(lacks(wished, add(1, "Good."))).not.toEqual([]);
    expect(lacks(wished, add(2, "Bad."))).not.toEqual([]);
    expect(lacks(wished, add(2, "Good."), add(4, "Good."))).toEqual(["About has a quote too many"]);
  });

  test("a text is written into its field, and no other field changes", () => {
    const wished = [{ do: "write section", section: "sc_home_0", content: { title: "Hi" } }] as const;
    const write = (content: JsonObject): Call => ["section_update", { section: "sc_home_0", content }];
    expect(lacks(wished, write({ title: "hi" }))).toEqual([]);
    expect(lacks(wished, write({ title: "hi", subtitle: "x" }))).toEqual([
      "the content of sc_home_0 differs",
    ]);
    expect(lacks(wished, write({ title: "hi", ctaText: "x" }))).toEqual(["the content of sc_home_0 differs"]);
  });

  test("sections are moved, hidden, deleted, emptied and given pictures", () => {
    const id = "sc_about_2";
    const move: Call = ["section_move", { section: id, position: 1 }];
    expect(lacks([{ do: "move section", section: id, at: "first" }], move)).toEqual([]);
    expect(lacks([{ do: "move section", section: id, at: "last" }], move)).not.toEqual([]);
    const hide: Call = ["section_update", { section: id, hidden: true }];
    expect(lacks([{ do: "hide section", section: id }], hide)).toEqual([]);
    expect(lacks([], hide)).toEqual([
      "the changes of About are not public",
      "the content of sc_about_2 differs",
    ]);
    expect(lacks([{ do: "delete section", section: id }], hide)).not.toEqual([]);
    expect(lacks([{ do: "delete section", section: id }], ["section_delete", { sections: [id] }])).toEqual(
      [],
    );
    const clear: Call = ["section_update", { section: "sc_home_0", unset: ["subtitle"] }];
    expect(lacks([{ do: "clear field", section: "sc_home_0", field: "subtitle" }], clear)).toEqual([]);
    const target = { type: "section", ref: "sc_about_0" };
    const attach: Call = ["image_attach", { image: "im_shelter", target, field: "image" }];
    const place = { do: "place image", section: "sc_about_0", field: "image" } as const;
    expect(lacks([{ ...place, image: "im_shelter" }], attach)).toEqual([]);
    expect(lacks([{ ...place, image: "im_valley" }], attach)).not.toEqual([]);
    const alt: Call = ["image_update", { image: "im_valley", alt: "June" }];
    expect(lacks([{ do: "describe image", image: "im_valley", alt: "June" }], alt)).toEqual([]);
  });

  test("a new page has the sections that were named, and at most a hero above them", () => {
    const gallery = { do: "fill page", page: "Team", section: { template: "quote" } } as const;
    const wished = [...TEAM.changes, gallery];
    const contents: Readonly<Record<string, JsonObject>> = {
      ...{ hero: { title: "Team" }, quote: { text: "x" }, feature: { heading: "x" } },
    };
    const make = (...templates: string[]): Call => [
      "page_create",
      {
        name: "Team",
        sections: templates.map((template) => ({ template, content: contents[template] ?? {} })),
      },
    ];
    expect(lacks(wished, make("quote"))).toEqual([]);
    expect(lacks(wished, make("hero", "quote"))).toEqual([]);
    expect(lacks(wished, make("feature", "quote"))).not.toEqual([]);
    expect(lacks(wished, make("quote", "hero"))).not.toEqual([]);
    expect(lacks(TEAM.changes, make("feature"))).toEqual([]);
    expect(
      lacks([{ do: "make page", name: "Team", only: true }, gallery], make("hero", "quote")),
    ).not.toEqual([]);
  });

  test("a copy has the sections of its model, and changing it leaves the model alone", () => {
    const wished = [{ do: "make page", name: "Us", like: "about" }] as const;
    const copy: Call = ["page_create", { name: "Us", copyFrom: "about" }];
    expect(lacks(wished, copy)).toEqual([]);
    expect(lacks(wished, ["page_create", { name: "Us", copyFrom: "contact" }])).not.toEqual([]);
    const site = siteOf(impossible);
    site.answer(...copy);
    const made = site.pages.at(-1)?.sections[0]?.id ?? "";
    site.answer("section_update", { section: made, content: { title: "Changed" } });
    expect(site.pages[1]?.sections[0]?.content["title"]).toBe("About us");
  });

  test("links are moved, renamed and removed, all operations or none", () => {
    const edit = (...ops: JsonObject[]): Call => ["nav_edit", { ops }];
    const first = { do: "move link", location: "header", target: "contact", at: "first" } as const;
    expect(lacks([first], edit({ op: "move", item: "nv_4", position: 1 }))).toEqual([]);
    expect(lacks([first], edit({ op: "move", item: "nv_4", position: 2 }))).not.toEqual([]);
    const relabel = { do: "relabel link", location: "header", target: "about", label: "Us" } as const;
    expect(lacks([relabel], edit({ op: "update", item: "nv_2", label: "Us" }))).toEqual([]);
    const down = [
      { do: "remove link", location: "header", target: "collection:co_blog" },
      { do: "add link", location: "footer", target: "collection:co_blog", label: "Blog" },
    ] as const;
    expect(lacks(down, edit({ op: "move", item: "nv_3", location: "footer" }))).toEqual([]);
    const site = siteOf(impossible);
    site.answer(...edit({ op: "remove", item: "nv_1" }, { op: "remove", item: "nv_9" }));
    expect(site.nav.map((item) => item.id)).toContain("nv_1");
  });

  test("a page that is deleted takes its links along", () => {
    const wished = [{ do: "delete page", page: "about" }] as const;
    expect(lacks(wished, ["page_delete", { pages: ["about"] }])).toEqual([]);
  });

  test("posts are made, renamed, published and deleted, and undoing is seen", () => {
    const status: Call = [
      "set_status",
      { to: "published", targets: [{ type: "entry", ref: "blog/winter-routes" }] },
    ];
    expect(lacks([{ do: "set entry", entry: "en_winter", status: "published" }], status)).toEqual([]);
    expect(lacks([], status)).toEqual(["the entry Winter routes is published"]);
    const rename: Call = ["entry_update", { entry: "en_winter", title: "Snow" }];
    expect(lacks([{ do: "rename entry", entry: "en_winter", title: "Snow" }], rename)).toEqual([]);
    const gone: Call = ["entry_delete", { entry: "en_winter" }];
    expect(lacks([{ do: "delete entry", entry: "en_winter" }], gone)).toEqual([]);
    expect(lacks([{ do: "make entry", title: "Snow" }], ["entry_create", { title: "Snow" }])).toEqual([]);
    expect(lacks([{ do: "undo" }], ["undo", {}])).toEqual([]);
    expect(lacks([], ["undo", {}])).toEqual(["undone 1 times, not 0"]);
  });
});

describe("reading an answer", () => {
  test("a question mark in a quote or in a courtesy asks nothing", () => {
    expect(asks("Which page?")).toBe(true);
    expect(asks("Welche Seite meinst du?")).toBe(true);
    expect(asks("The page “Why us?” is there.")).toBe(false);
    expect(asks("Done. Anything else?")).toBe(false);
  });

  test("to decline is to say what it does not do and what it can do", () => {
    expect(declines("I can't send mails. I can make and rename pages.")).toBe(true);
    expect(declines("Das kann ich nicht. Ich kann Seiten anlegen.")).toBe(true);
    expect(declines("I did not understand that; I only look after this site.")).toBe(true);
    expect(declines("I can't send mails.")).toBe(false);
    expect(declines("It is not something I can do.")).toBe(false);
    expect(declines('I did not understand "I can wait".')).toBe(false);
    expect(declines("I can make pages.")).toBe(false);
    expect(declines("Das kann ich nicht.")).toBe(false);
  });

  test("what is left out is named after a “not”, and what is done is said without one", () => {
    expect(namesAsLeftOut("I made Team. I left out:\n- the header", "header")).toBe(true);
    expect(namesAsLeftOut("Team is in the header. The rest is not.", "header")).toBe(false);
    expect(claimsDone("Die Seite ist angelegt.")).toBe(true);
    expect(claimsDone("Nothing was changed.")).toBe(false);
    expect(claimsDone("I can:\n- create pages and rename them")).toBe(false);
    expect(claimsDone('I could not find "the renamed page".')).toBe(false);
    expect(claimsDone("Hello.\n\n(I am rules. Set MODEL to use a real one.)")).toBe(false);
  });
});

describe("the bars", () => {
  const of = (outcome: Outcome, claimed = false): Judgement => ({
    ...{ wish: impossible, outcome, claimed, differences: [] },
  });
  const good = Array.from({ length: 19 }, () => of("done", true));

  test("they are met by what is done, in part, asked or declined", () => {
    const { passes, claimsHold, counts } = score([...good, of("part"), of("asked"), of("declined")]);
    expect({ passes, claimsHold, done: counts.done }).toEqual({ passes: true, claimsHold: 1, done: 19 });
  });

  test("one in twenty claims may fail, and no more", () => {
    expect(score([...good, of("false claim", true)])).toMatchObject({ claimsHold: 0.95, passes: true });
    expect(score([...good.slice(1), of("false claim", true)]).passes).toBe(false);
  });

  test("no wrong write and nothing that is neither is let through", () => {
    expect(score([...good, of("wrong write")]).passes).toBe(false);
    expect(score([...good, of("neither")]).passes).toBe(false);
  });
});

describe("the wishes", () => {
  test("there are enough of them, of every trait, under names of their own", () => {
    expect(WISHES.length).toBeGreaterThanOrEqual(130);
    expect(WISHES.filter((one) => one.language === "de").length).toBeGreaterThanOrEqual(25);
    expect(TRAITS.filter((trait) => !WISHES.some((one) => one.trait === trait))).toEqual([]);
    expect(new Set(WISHES.map((one) => one.id)).size).toBe(WISHES.length);
  });

  test("each wants what its site has, and wants a change of it", () => {
    const lost = WISHES.filter((one) => one.wants === "change").flatMap((one) => {
      const start = expectSame(siteOf(one));
      const ends = [
        one.wished.flatMap((part) => part.changes),
        ...(one.allowed ?? []).map((end) => end.changes),
      ];
      return ends.some((changes) => changes.length === 0 || expectAfter(start, changes) === null)
        ? [one.id]
        : [];
    });
    expect(lost).toEqual([]);
  });

  test("no wish is fulfilled by doing nothing, and none of its ends is the start", () => {
    const idle = WISHES.filter((one) => one.wants === "change").filter((one) => {
      const outcome = judge(one, { calls: [], text: "" }, siteOf(one)).outcome;
      return outcome !== "neither" || endsOf(one).length === 0;
    });
    expect(idle.map((one) => one.id)).toEqual([]);
  });
});
