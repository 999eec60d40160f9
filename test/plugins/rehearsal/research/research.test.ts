import { describe, expect, test } from "vitest";
import { hearMessage } from "../../../../src/plugins/rehearsal/hear.ts";
import { parseQuestion } from "../../../../src/plugins/rehearsal/research/question.ts";
import { play, type Played } from "../run.ts";
import { TOOL_NAMES } from "../site.ts";
import { BERG, NEWS, ROAD, TABLE, WebSite, type WebPage } from "./web.ts";

/** What is found out on the web by rules: which wishes are heard, which tools are called, what is said and with which passages. */

const ask = (
  message: string,
  pages: readonly WebPage[],
  tools = [...TOOL_NAMES, "web_search", "visit"],
): Played => play(new WebSite(pages), message, { tools });
const toolsOf = ({ calls }: Played): string[] => calls.map(({ name }) => name);

describe("is heard", () => {
  test.each([
    ["Research which of the passes is open in May, with sources", "which of the passes is open in May"],
    ["Find out how high the Alp Pass is", "how high the Alp Pass is"],
    ["Please look up online when the Alp Pass opens and cite your sources.", "when the Alp Pass opens"],
    ["Research this, with sources: When does the last boat leave?", "When does the last boat leave"],
    ["Search the web for the toll of the Alp Pass, with links", "the toll of the Alp Pass"],
    ["What does the web say about the Alp Pass?", "the Alp Pass"],
    ["Could you look into who built the Alp Pass", "who built the Alp Pass"],
    ["Recherchiere wann der Alp Pass öffnet, mit Quellen", "wann der Alp Pass öffnet"],
  ])("%s", (message, value) => {
    const { wishes, left, unclear } = hearMessage(message);
    expect(wishes.map(({ intent, slots }) => [intent.name, slots.value])).toEqual([["look it up", value]]);
    expect({ left, unclear }).toEqual({ left: [], unclear: null });
  });

  test.each([
    ["Research the Alp Pass and write a page about it with its sources", undefined],
    ["Look up the Alp Pass online, then create a page about it called Alp with sources", "Alp"],
    ["Find out about the Alp Pass and make a new page from what you find, with links", undefined],
    ["Write a page about the Alp Pass from the web, with sources", undefined],
  ])("as a page: %s", (message, name) => {
    const { wishes, left, unclear } = hearMessage(message);
    expect(wishes.map(({ intent, slots }) => [intent.name, slots.names?.[0]])).toEqual([
      ["write a page of what is found", name],
    ]);
    expect({ left, unclear }).toEqual({ left: [], unclear: null });
  });

  test.each([
    "Research which passes are not open in May",
    "Research and publish the about page",
    "Create a page about the Alp Pass with a hero image",
  ])("as nothing of the web: %s", (message) => {
    const heard = hearMessage(message).wishes.map(({ intent }) => intent.name);
    expect(heard).not.toContain("write a page of what is found");
    expect(ask(message, [ROAD]).calls.filter(({ name }) => name === "visit")).toEqual([]);
  });
});

describe("the form of a question says what answers it", () => {
  test.each([
    ["How high is the Alp Pass?", "height"],
    ["How long is the Bear Trail?", "length"],
    ["How long does the Bear Trail take to walk?", "duration"],
    ["How much does a night in the Alp Hut cost?", "money"],
    ["How many beds does the Alp Hut have?", "count"],
    ["Who founded the museum?", "person"],
    ["What is the phone number of the Alp Hut?", "phone"],
    ["When does the last boat to Kerns leave?", "clock"],
    ["On which day is the museum closed?", "weekday"],
    ["In which year was the road built?", "year"],
    ["When does the Alp Pass open?", "date"],
    ["Is the Alp Pass open in May?", "date"],
    ["What you may do at the Alp Pass", "words"],
  ])("%s", (question, kind) => expect(parseQuestion(question).kind.name).toBe(kind));

  test("what is compared is two questions", () => {
    expect(parseQuestion("Which is higher, the Alp Pass or the Berg Pass?").compared).toEqual({
      things: ["Alp Pass", "Berg Pass"],
      larger: true,
    });
  });
});

describe("an answer", () => {
  test("is the sentence of a page, with its passage and its source; an older page is told beside it", () => {
    const played = ask("Find out when the Alp Pass opens, with sources", [NEWS, ROAD]);
    expect(toolsOf(played)).toEqual(["web_search", "visit"]);
    expect(played.text).toContain('"The Alp Pass is open from 3 May to 31 October 2026." [e3]');
    expect(played.text).toContain('An older page says otherwise: "The Alp Pass is open from 9 June 2024');
    // The page and the terminal list what an answer cites.
    expect(played.text).not.toContain("Sources");
  });

  test("to which of them: all whose season holds the month, as the newest page has it", () => {
    const { text } = ask("Research which of the passes are open in May, with sources", [NEWS, TABLE]);
    expect(text).toContain("2 of the 3 that the pages tell of:");
    expect(text).toContain("- The Alp Pass is open from 3 May to 31 October [e2]");
    expect(text).toContain("- The Cima Pass is open from 20 April to 30 November [e3]");
    expect(text).not.toContain("Berg Pass");
  });

  test("to which of them are closed has the others", () => {
    const { text } = ask("Research which passes are closed in May", [TABLE]);
    expect(text).toMatch(/^1 of the 3 that the pages tell of: The Berg Pass is open from /);
    expect(text).not.toMatch(/Alp Pass|Cima Pass/);
  });

  test("that is a row of a table says what stands above its columns, where one row alone can be it", () => {
    const cima = (page: WebPage) => ask("Find out how high the Cima Pass is", [page]).text;
    expect(cima(TABLE)).toMatch(
      /^Cima Pass: height 1,801 m, open from 20 April, open to 30 November \[e\d\]\n/,
    );
    const two = { ...TABLE, quotes: [...TABLE.quotes, "Pass | Road | Closed in | Open in"] };
    expect(cima(two)).toMatch(/^Cima Pass: 1,801 m, 20 April, 30 November \[e\d\]\n/);
  });

  test("to which of them leaves out what is no such thing", () => {
    const huts = {
      ...TABLE,
      url: "https://huts.example/all",
      title: "All huts",
      quotes: ["Dorn Hut | 40 | 3 May | 4 October"],
    };
    const { text } = ask("Find out which of the mountain passes are open in May", [huts, TABLE]);
    expect(text).toContain("2 of the 3 that the pages tell of:");
    expect(text).not.toContain("Dorn Hut");
    expect(ask("Find out which huts are open in May", [huts, TABLE]).text).toMatch(
      /^1 of the 1 that the pages tell of: The Dorn Hut is open from 3 May to 4 October/,
    );
  });

  test("to whether it is open in a month says yes or no", () => {
    expect(ask("Find out whether the Alp Pass is open in May", [ROAD]).text).toMatch(/^Yes: "The Alp Pass/);
    expect(ask("Find out whether the Alp Pass is open in April", [ROAD]).text).toMatch(/^No: "The Alp Pass/);
    expect(ask("Find out whether the Alp Pass is closed in April", [ROAD]).text).toMatch(
      /^Yes: "The Alp Pass/,
    );
  });

  test("to which is higher names it", () => {
    const { text } = ask("Research which is higher, the Berg Pass or the Alp Pass", [ROAD, BERG]);
    expect(text).toMatch(/^It is the Alp Pass:/);
  });

  test("is not taken from a page of something with a like name", () => {
    const way = {
      ...BERG,
      url: "https://trails.example/way",
      title: "Bear Way: trail club",
      quotes: ["The Bear Way is 30 km long."],
    };
    const trail = {
      ...way,
      url: "https://trails.example/trail",
      title: "Bear Trail: trail club",
      date: "2025-01-01",
      quotes: ["It is 12 km long, and quiet."],
    };
    expect(ask("Find out how long the Bear Trail is", [way, trail]).text).toMatch(
      /^"It is 12 km long, and quiet\." \[e\d\]/,
    );
  });

  test("is none where the pages are about something else", () => {
    const { text } = ask("Find out how high the Cima Pass is", [ROAD, BERG]);
    expect(text).toMatch(/^I did not find it: no page that I read answers "how high the Cima Pass is"/);
    expect(text).not.toContain(" m ");
  });

  test("is not the orders of a page", () => {
    const played = ask("Research the Alp Pass, with sources", [ROAD]);
    expect(played.text).toContain("2,104 m");
    expect(JSON.stringify([played.text, played.calls])).not.toContain("collect.example");
  });

  test("that cannot be looked up says so, and how the web is set up", () => {
    const { calls, text } = ask("Find out how high the Alp Pass is", [ROAD], [...TOOL_NAMES]);
    expect(calls).toEqual([]);
    expect(text).toContain("web_search and visit are not offered here (docs/research.md of Cairn");
  });
});

test("what it can do names the web where there is one", () => {
  expect(ask("What can you do?", []).text).toContain("Research which of the passes");
  expect(ask("What can you do?", [], [...TOOL_NAMES]).text).not.toMatch(/Research|\{web\}/);
});

test("a page of what is found has each sentence with a link to its source, and is a draft", () => {
  const guide = {
    ...ROAD,
    url: "https://guide.example/alp",
    title: "Alp Pass: a guide",
    date: null,
    quotes: ["The Alp Pass was built in 1854."],
  };
  const played = ask("Research the Alp Pass and write a page about it with its sources", [ROAD, NEWS, guide]);
  expect(toolsOf(played)).toEqual(["site_overview", "web_search", "visit", "page_create"]);
  const made = played.calls.at(-1)?.input ?? {};
  expect(made["name"]).toBe("Alp Pass");
  const sections = made["sections"] as { content: Record<string, string> }[];
  expect(sections[1]?.content["description"]).toContain(
    "- The Alp Pass is 2,104 m high. ([Alp Pass: road office](https://roads.example/alp))",
  );
  expect(sections[2]?.content["description"]).toBe(
    "- [Alp Pass: road office](https://roads.example/alp) (2026-04-02)\n- [Alp Pass: a guide](https://guide.example/alp) (no date)",
  );
  // Neither the orders of a page, nor what was so two years ago.
  expect(JSON.stringify(made)).not.toMatch(/collect|2024/);
  expect(played.text).toContain(
    'The page "Alp Pass" is made as a draft, with what 2 pages say and links to them',
  );
});

test("a page that is there already is not made again, and nothing is looked up for it", () => {
  const site = new WebSite([ROAD]);
  site.addPage("Alp Pass", "alp-pass");
  const played = play(site, "Research the Alp Pass and write a page about it", {
    tools: [...TOOL_NAMES, "web_search", "visit"],
  });
  expect(toolsOf(played)).toEqual(["site_overview"]);
  expect(played.text).toContain('There is already a page "Alp Pass"');
});
