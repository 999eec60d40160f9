import { describe, expect, test } from "vitest";
import { isQuestion, qualityOf } from "../../../src/plugins/plain-words/quality.ts";

const request = "Research the market for ferries";
const results = ["Harbor Lines runs 14 ferries; https://harbor.example/fleet"];
const of = (text: string, more: Partial<Parameters<typeof qualityOf>[1]> = {}): string =>
  qualityOf(text, { request, results, ...more });

describe("the quality of a message", () => {
  test.each([
    "On it!",
    "OK, working on it.",
    "Sure, let me check.",
    "Got it. One moment please.",
    "I'm looking into this now, thanks for your patience.".replace(", thanks for your patience", ""),
    "Alles klar, einen Moment.",
    "Bin schon dran!",
    "D'accord, un instant.",
    "Je m'en occupe tout de suite.",
    "Claro, un momento.",
    "Estoy en ello.",
  ])("%s is an acknowledgement", (text) => {
    expect(of(text)).toBe("ack");
  });

  test.each([
    "Done.",
    "OK, done.",
    "Sure: it runs 14.",
    "The hero is on it.",
    "Working on it failed.",
    "On it: https://harbor.example/fleet",
    "On it.\n- first\n- second",
    "Erledigt.",
    "I could not check it.",
  ])("%s is none", (text) => {
    expect(of(text)).not.toBe("ack");
  });

  test.each([
    "14.",
    "Fourteen? No: harbor lines runs them.",
    "See https://harbor.example/fleet",
    "Harbor Lines is the largest operator.",
    "I found nothing about prices of tickets.",
    "Die Reederei betreibt vierzehn Schiffe und ist damit die größte in der Stadt.",
  ])("%s says something of the results", (text) => {
    expect(of(text)).toBe("substantive");
  });

  test("a text that shares only the words of the request says nothing new", () => {
    expect(of("I did research on the market for ferries.")).toBe("neutral");
    expect(of("I did research on the market for ferries.", { results: [] })).toBe("substantive");
  });

  test("yes and no answer a question that can be answered so", () => {
    expect(of("Yes.", { request: "Is there a ferry?" })).toBe("substantive");
    expect(of("Yes.")).toBe("neutral");
    expect(isQuestion("Gibt es eine Fähre?")).toBe(true);
    expect(isQuestion("Publish the ferry page")).toBe(false);
  });

  test("what the person asked to be told word for word is the answer", () => {
    expect(of("Seen.", { request: 'Look at the ferries, then say "seen".' })).toBe("substantive");
    expect(of("Seen.", { request: "Look at what is unseen." })).toBe("neutral");
    expect(of("On it.", { request: "Get on it." })).toBe("ack");
  });

  test("a number in words is the number", () => {
    expect(of("There are three.", { results: ['{"total":3}'] })).toBe("substantive");
    expect(of("Es sind drei.", { results: ['{"total":3}'] })).toBe("substantive");
  });
});
