import { describe, expect, test } from "vitest";
import { parseMessage } from "../../../../src/plugins/rehearsal/requests.ts";
import { parseQuestion } from "../../../../src/plugins/rehearsal/research/question.ts";
import { play, type Played } from "../run.ts";
import { TOOL_NAMES } from "../site.ts";
import { BERG, NEWS, ROAD, TABLE, WebSite, type WebPage } from "./web.ts";

/** Research by rules: the requests, the calls, and the answers with their passages. */

const ask = (
  message: string,
  pages: readonly WebPage[],
  tools = [...TOOL_NAMES, "web_search", "visit"],
): Played => play(new WebSite(pages), message, { tools });
const toolsOf = ({ calls }: Played): string[] => calls.map(({ name }) => name);

describe("a request for research is understood", () => {
  test.each([
    ["Research which of the passes is open in May, with sources", "which of the passes is open in May"],
    ["Find out how high the Alp Pass is", "how high the Alp Pass is"],
    ["Please look up online when the Alp Pass opens and cite your sources.", "when the Alp Pass opens"],
    ["Research this, with sources: When does the last boat leave?", "When does the last boat leave"],
    ["Search the web for the toll of the Alp Pass, with sources", "the toll of the Alp Pass"],
    ["Could you look into who built the Alp Pass", "who built the Alp Pass"],
  ])("%s", (message, value) => {
    const { requests, unclear } = parseMessage(message);
    expect(requests.map(({ intent, slots }) => [intent.name, slots.value])).toEqual([["look it up", value]]);
    expect(unclear).toBeNull();
  });
});

test.each([
  "Research which passes are not open in May",
  "Research and publish the about page",
  "Create a page about the Alp Pass with a hero image",
])("%s: no page of the web is read", (message) => {
  expect(ask(message, [ROAD]).calls.filter(({ name }) => name === "visit")).toEqual([]);
});

describe("the form of a question determines the kind of its answer", () => {
  test.each([
    ["How high is the Alp Pass?", "meters"],
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
});

describe("an answer", () => {
  test("quotes the sentence of a page with its passage, and a contradicting older page after it", () => {
    const played = ask("Find out when the Alp Pass opens, with sources", [NEWS, ROAD]);
    expect(toolsOf(played)).toEqual(["web_search", "visit"]);
    expect(played.text).toContain('"The Alp Pass is open from 3 May to 31 October 2026." [e3]');
    expect(played.text).toContain('An older page says otherwise: "The Alp Pass is open from 9 June 2024');
    // The page and the terminal list what an answer cites.
    expect(played.text).not.toContain("Sources");
  });

  test("to a question for a list has everything whose season includes the month, by the newest page", () => {
    const { text } = ask("Research which of the passes are open in May, with sources", [NEWS, TABLE]);
    expect(text).toContain("2 of the 3 that the pages tell of:");
    expect(text).toContain("- The Alp Pass is open from 3 May to 31 October [e2]");
    expect(text).toContain("- The Cima Pass is open from 20 April to 30 November [e3]");
    expect(text).not.toContain("Berg Pass");
  });

  test("to a question for what is closed has the others", () => {
    const { text } = ask("Research which passes are closed in May", [TABLE]);
    expect(text).toMatch(/^1 of the 3 that the pages tell of: The Berg Pass is open from /);
    expect(text).not.toMatch(/Alp Pass|Cima Pass/);
  });

  test("from a row of a table has its cells", () => {
    const { text } = ask("Find out how high the Cima Pass is", [TABLE]);
    expect(text).toMatch(/^Cima Pass: 1,801 m, 20 April, 30 November \[e\d\]\n/);
  });

  test("to a question for a list leaves out other kinds of things", () => {
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

  test("to a question about a month says yes or no", () => {
    expect(ask("Find out whether the Alp Pass is open in May", [ROAD]).text).toMatch(/^Yes: "The Alp Pass/);
    expect(ask("Find out whether the Alp Pass is open in April", [ROAD]).text).toMatch(/^No: "The Alp Pass/);
    expect(ask("Find out whether the Alp Pass is closed in April", [ROAD]).text).toMatch(
      /^Yes: "The Alp Pass/,
    );
  });

  test("is not taken from a page about something with a similar name", () => {
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

  test("says that nothing was found where the pages are about something else", () => {
    const { text } = ask("Find out how high the Cima Pass is", [ROAD, BERG]);
    expect(text).toMatch(/^I did not find it: no page that I read answers "how high the Cima Pass is"/);
    expect(text).not.toContain(" m ");
  });

  test("does not follow instructions on a page", () => {
    const played = ask("Research the Alp Pass, with sources", [ROAD]);
    expect(played.text).toContain("2,104 m");
    expect(JSON.stringify([played.text, played.calls])).not.toContain("collect.example");
  });

  test("says how to set the web up where no web tool is offered", () => {
    const { calls, text } = ask("Find out how high the Alp Pass is", [ROAD], [...TOOL_NAMES]);
    expect(calls).toEqual([]);
    expect(text).toContain("web_search and visit are not offered here (docs/research.md of Cairn");
  });
});

test("the help names research only where web tools are offered", () => {
  expect(ask("What can you do?", []).text).toContain("Research which of the passes");
  expect(ask("What can you do?", [], [...TOOL_NAMES]).text).not.toMatch(/Research|\{web\}/);
});
