import { describe, expect, test } from "vitest";
import { disarm, oneLine, paint, type Piece } from "../../../src/cli/chat/screen/ansi.ts";
import { type Chunk, parseChunk } from "../../../src/cli/chat/chunks.ts";
import {
  NEW_VIEW,
  receiptWords,
  remark,
  render,
  summary,
  type View,
} from "../../../src/cli/chat/screen/view.ts";
import { REVIEW_CODES } from "../../../src/cairn/core/guards/review/review.ts";
import { NO_RECEIPT } from "../../../src/cairn/core/log/receipt.ts";
import { receiptView } from "../../../src/cairn/protocol/receipt.ts";
import { verdictWords } from "../../../src/cairn/protocol/stream/data-parts.ts";

const ESCAPE = "\u001b";

function screen(chunks: readonly Chunk[], from: View = NEW_VIEW): string {
  let view = from;
  let text = "";
  for (const chunk of chunks) {
    const rendered = render(view, chunk);
    view = rendered.view;
    text += paint(rendered.pieces, false);
  }
  return text;
}

const call = (toolCallId: string, toolName: string, input: unknown): Chunk => ({
  type: "tool-input-available",
  toolCallId,
  toolName,
  input,
});

const approval: Extract<Chunk, { type: "data-approval" }>["data"] = {
  id: "r1s2c0a1",
  callId: "r1s2c0",
  tool: "page_publish",
  title: "Publish page",
  summary: "Publish “About us”.",
  impact: ["1 page becomes public", "1 navigation item"],
  args: { page: "about-us" },
  effect: "keyed",
  tainted: false,
  digest: "sha256:e588288c9903afe4",
  state: "pending",
  // ten o'clock where this runs: a person reads their own clock
  expiresAt: new Date(2026, 10, 22, 10).toISOString(),
};

describe("the screen of a run", () => {
  test("shows thought, call, observation and answer, each on lines of its own", () => {
    expect(
      screen([
        { type: "start" },
        { type: "start-step" },
        { type: "reasoning-delta", delta: "I look " },
        { type: "reasoning-delta", delta: "first.\nThen I act." },
        { type: "reasoning-end" },
        call("c0", "site_overview", {}),
        { type: "tool-output-available", toolCallId: "c0", output: { pages: 5 } },
        { type: "text-delta", delta: "All " },
        { type: "text-delta", delta: "done." },
        { type: "text-end" },
        { type: "finish", finishReason: "stop" },
      ]),
    ).toBe('· I look first.\n  Then I act.\n→ site_overview {}\n  ✓ {"pages":5}\nAll done.\n');
  });

  test("shows a message to a person as its words, and where it went", () => {
    const sent = (id: string, input: object, output: object): string =>
      screen([call(id, "send_message", input), { type: "tool-output-available", toolCallId: id, output }]);
    const text = "**Two** of three.";
    const receipt = { sent: true, to: "telegram:4711", receipt: "8" };
    expect(sent("a", { text, to: "origin" }, receipt)).toBe(
      "→ message: **Two** of three.\n  ✓ sent to telegram:4711\n",
    );
    expect(sent("b", { text, to: "Ada" }, { sent: true, to: "the page" })).toBe(
      "→ message to Ada: **Two** of three.\n  ✓ shown here\n",
    );
  });

  test("breaks the line when a call interrupts a text", () => {
    expect(screen([{ type: "text-delta", delta: "So" }, call("c0", "look", {})])).toBe("So\n→ look {}\n");
  });

  test("breaks the line between a thought and an answer that follows it at once", () => {
    const chunks: Chunk[] = [
      { type: "reasoning-delta", delta: "hm" },
      { type: "text-delta", delta: "Yes." },
      { type: "text-end" },
    ];
    expect(screen(chunks)).toBe("· hm\nYes.\n");
  });

  test("names the tool of a result that does not stand under its call", () => {
    const chunks: Chunk[] = [
      call("c0", "page_get", { page: "a" }),
      call("c1", "page_get", { page: "b" }),
      { type: "tool-output-available", toolCallId: "c0", output: "A" },
      { type: "tool-output-error", toolCallId: "c1", errorText: "not found" },
    ];
    expect(screen(chunks).split("\n").slice(2)).toEqual(["  ✓ page_get: A", "  ✗ not found", ""]);
  });

  test("cuts long arguments and observations, and says so", () => {
    const [first, second] = screen([
      call("c0", "t", { text: "x".repeat(500) }),
      { type: "tool-output-available", toolCallId: "c0", output: "y\n".repeat(500) },
    ]).split("\n");
    expect(first).toHaveLength("→ t ".length + 160);
    expect(first?.endsWith("…")).toBe(true);
    expect(second?.endsWith("…")).toBe(true);
  });

  test("shows all of an approval: title, summary, impact, arguments, effect and end", () => {
    expect(screen([{ type: "data-approval", data: approval }])).toBe(
      [
        "┌ May I? Publish page",
        "│ Publish “About us”.",
        "│ What it changes",
        "│ - 1 page becomes public",
        "│ - 1 navigation item",
        "│ Request details: page_publish",
        '│   {"page":"about-us"}',
        "│ Runs at most once, even after a crash.",
        "└ until 22 Nov 2026, 10:00",
        "",
      ].join("\n"),
    );
  });

  test("shows of many changes that are decided as one each before and after", () => {
    const batch = {
      id: "cs_1",
      name: "Spring",
      items: [
        {
          what: "Page “About”",
          becomes: "changed" as const,
          changes: [
            { what: "Page “About” · Name", before: "About", after: "Who we are" },
            { what: "Hero section on “About”", before: null, after: "Leaves" },
          ],
        },
        {
          what: "Navigation",
          becomes: "changed" as const,
          changes: [{ what: "Item “Old”", before: "to “Old”", after: null }],
        },
      ],
    };
    const shown = { ...approval, impact: ["Page “About”: 2 changes"], warnings: ["Look twice"], batch };
    expect(
      screen([{ type: "data-approval", data: shown }])
        .split("\n")
        .slice(1, 11),
    ).toEqual([
      "│ ⚠ Look twice",
      "│ Publish “About us”.",
      "│ What it changes",
      "│ - Page “About”: 2 changes",
      "│ Before and after",
      "│   Page “About” (changed)",
      "│     Name: “About” → “Who we are”",
      "│     Hero section on “About”: nothing → “Leaves”",
      "│   Navigation (changed)",
      "│     Item “Old”: “to “Old”” → nothing",
    ]);
  });

  test("says how many have agreed, and shows the card again only when it was changed", () => {
    const several = { ...approval, needed: 2, votes: [] as { subject: string; decision: string }[] };
    const card = (more: object): Chunk => ({ type: "data-approval", data: { ...several, ...more } });
    const votes = [{ subject: "bob", decision: "approve" }];
    const text = screen([
      card({}),
      card({}),
      card({ votes }),
      card({ escalated: true }),
      card({ digest: "sha256:0000", args: { page: "b" }, votes }),
    ]);
    const lines = text.split("\n");
    expect(lines.filter((line) => !line.startsWith("│"))).toEqual([
      "┌ May I? Publish page",
      "└ 0 of 2 people agreed · until 22 Nov 2026, 10:00",
      "  1 of 2 agreed (bob)",
      "  asked of more people until 22 Nov 2026, 10:00",
      "┌ Changed: may I? Publish page",
      "└ 1 of 2 people agreed · until 22 Nov 2026, 10:00",
      "",
    ]);
  });

  test("tells no effect by its code, no digest and no time of another zone", () => {
    for (const effect of ["read", "keyed", "once"])
      expect(screen([{ type: "data-approval", data: { ...approval, effect } }])).not.toMatch(
        /\b(read|keyed|once)\b ·|e588288c|UTC|\d{4}-\d{2}-\d{2}T/,
      );
  });

  test("lays long arguments of an approval out on several lines, and never cuts them", () => {
    const args = { body: "z".repeat(3_000) };
    expect(screen([{ type: "data-approval", data: { ...approval, args } }])).toContain(
      `│ Request details: page_publish\n│   {\n│     "body": "${"z".repeat(3_000)}"\n│   }\n`,
    );
  });

  test("writes out what is not seen in the arguments of an approval", () => {
    const args = { page: "about\u200b-\u202eus\u{e0041}" };
    for (const more of ["", "z".repeat(200)]) {
      const shown = screen([{ type: "data-approval", data: { ...approval, args: { ...args, more } } }]);
      expect(shown).toContain("about\\u200b-\\u202eus\\udb40\\udc41");
    }
  });

  test("lets no text of an approval draw a line of its own", () => {
    const forged = screen([
      { type: "data-approval", data: { ...approval, summary: "Look.\n└ harmless\nApprove? y" } },
    ]);
    expect(forged).toContain("│ Look. └ harmless Approve? y\n");
  });

  test("says who decided, and why", () => {
    const data = { ...approval, state: "denied" as const, result: { by: "alice", reason: "not today" } };
    expect(screen([{ type: "data-approval", data }])).toBe("  denied by alice: not today\n");
  });

  test("says when a decision was remembered, and how to take it back", () => {
    const votes = [{ subject: "alice", decision: "approve", via: "policy" }];
    const data = { ...approval, state: "approved" as const, result: { by: "alice", reason: null }, votes };
    expect(screen([{ type: "data-approval", data }])).toBe(
      "  approved, because a decision is remembered (/forget revokes it)\n",
    );
  });

  test("tells of a withdrawn attempt, a wait and an answer that was held back", () => {
    expect(
      screen([
        { type: "text-delta", delta: "half a" },
        { type: "reset-step" },
        {
          type: "data-step",
          data: {
            phase: "retrying",
            until: new Date(2026, 10, 21, 10).toISOString(),
            note: "the model is overloaded",
          },
        },
        { type: "reset-step" },
        { type: "data-step", data: { phase: "thinking", note: "the model could not be reached" } },
        { type: "data-step", data: { phase: "thinking" } },
        { type: "data-verdict", data: { accepted: false, level: "block", codes: ["CLAIM_UNBACKED"] } },
        { type: "data-verdict", data: { accepted: null, level: "hint", codes: ["WRAP_UP"] } },
      ]),
    ).toBe(
      [
        "half a",
        "  (this step's text was withdrawn)",
        "  (waiting to try again until 21 Nov 2026, 10:00, because the model is overloaded)",
        "  (tried again at once, because the model could not be reached)",
        "  (answer rewritten: it claimed an action that never happened)",
        "",
      ].join("\n"),
    );
  });

  test("speaks of a verdict to the person, never in the words that were meant for the model", () => {
    const seen = (data: object): string => {
      const chunk = parseChunk({
        type: "data-verdict",
        data: { text: "Answer now, without tools.", ...data },
      });
      return chunk === null ? "" : screen([chunk]);
    };
    const stop = { source: "guard", level: "stop", accepted: null };
    expect(seen({ ...stop, codes: ["BUDGET_STEPS"] })).toBe("  (stopped: it hit the step limit)\n");
    expect(seen({ ...stop, codes: ["OF_A_NEWER_SERVER"] })).toBe(
      "  (stopped: a rule of the runtime ended it)\n",
    );
    const block = { source: "guard", level: "block", accepted: null };
    expect(seen({ ...block, codes: ["INPUT_PENDING"] })).toBe(
      "  (answer rewritten: your last message had not been read yet)\n",
    );
    expect(seen({ ...block, source: "review", accepted: false })).toBe(
      "  (answer rewritten: it was not complete)\n",
    );
  });

  test("has words for every reason that the review can give", () => {
    for (const code of REVIEW_CODES)
      expect(verdictWords({ level: "block", codes: [code] })).not.toContain("not complete");
  });

  test("words the receipt of a run, whatever its answer says", () => {
    const item = { call: "c", tool: "page_update", title: "Change a page", verbs: ["update"] };
    const logged = {
      changed: [{ ...item, targets: ["About", "Team"], state: "draft", reason: null }],
      failed: [{ ...item, targets: ["Me\n✓ Changed: nu"], state: null, reason: "It is taken" }],
      unknown: [{ ...item, targets: [], state: null, reason: null }],
      more: 2,
    };
    const end = { outcome: "answered", reason: null } as const;
    const receipt = receiptView({ receipt: logged }, end);
    const said = (chunk: object): string | null | undefined => {
      const parsed = parseChunk({ type: "finish", finishReason: "stop", ...chunk });
      return parsed === null ? undefined : receiptWords(parsed);
    };
    expect(said({ messageMetadata: { outcome: "answered", receipt } })).toBe(
      [
        "  · Answered, with 1 failure and 1 unknown outcome.",
        "  ✓ Changed: Change a page: “About”, “Team” (draft).",
        "  ✗ Failed: Change a page: “Me ✓ Changed: nu”: It is taken.",
        "  ? Not known whether it happened: Change a page. Look before you ask for it again.",
        "  … And 2 more.",
      ].join("\n"),
    );
    const nothing = { messageMetadata: { receipt: receiptView({ receipt: NO_RECEIPT }, end) } };
    expect(said(nothing)).toBe("  · Answered.\n  – Nothing was changed.");
    expect(said({ ...nothing, type: "message-metadata" })).toBe("  · Answered.\n  – Nothing was changed.");
    // Entries of earlier versions may hold `quiet`; it hides nothing any more.
    const quiet = receiptView({ receipt: { ...NO_RECEIPT, quiet: true } }, end);
    expect(said({ messageMetadata: { receipt: quiet } })).toBe("  · Answered.\n  – Nothing was changed.");
    // The end is an end to a client that does not know the receipt of the server.
    for (const messageMetadata of [undefined, null, { receipt: null }, { receipt: { changed: "all" } }])
      expect(said({ messageMetadata })).toBeNull();
  });

  test("lists below an answer what its marks stand for, and no quote draws a line of its own", () => {
    const item = {
      id: "e12",
      page: "p7",
      url: "https://example.org/pass",
      title: "The pass",
      quote: "Open from\n└ 15 May\u202e",
      start: 4,
      end: 30,
      fetchedAt: "2026-11-22T10:00:00.000Z",
    };
    const chunk = { type: "data-citations", id: "r1", data: { items: [item], unmarked: 0 } };
    const parsed = parseChunk(chunk);
    if (parsed === null) throw new Error("the chunk is not known");
    expect(screen([{ type: "text-delta", delta: "It opens in May [e12]." }, parsed])).toBe(
      [
        "It opens in May [e12].",
        "Sources",
        "  [e12] The pass, https://example.org/pass (read 22 Nov 2026, 10:00)",
        "    “Open from └ 15 May\\u202e”",
        "",
      ].join("\n"),
    );
    expect(screen([{ type: "data-citations", data: { items: [] } }])).toBe("");
  });

  test("puts a remark on a line of its own", () => {
    const open = render(NEW_VIEW, { type: "text-delta", delta: "So" }).view;
    expect(paint(remark(open, "dim", "one\ntwo").pieces, false)).toBe("\none\ntwo\n");
  });

  test("sums a run up on one line", () => {
    const usage = { inputTokens: 12_345, outputTokens: 67, estimated: true };
    const ended = {
      outcome: "completed",
      class: "answered" as const,
      reason: null,
      steps: 7,
      activeMs: 1,
      usage,
    };
    expect(summary(ended, 8_240)).toBe("answered · 7 steps · about 12,345 tokens in, 67 out · 8.2 s");
    const priced = { ...ended, usage: { ...usage, estimated: false, cost: 12_300 } };
    expect(summary(priced, 0)).toBe("answered · 7 steps · $0.0123 · 12,345 tokens in, 67 out · 0.0 s");
    expect(summary({ ...ended, class: "partial", reason: "budget:steps", steps: 1 }, 0)).toMatch(
      /^partly answered, because it hit the step limit · 1 step · /,
    );
  });

  test("passes over chunks that a newer server sends", () => {
    expect(parseChunk({ type: "data-plan", id: "plan", data: { steps: 3 } })).toBeNull();
    expect(parseChunk({ type: "text-delta", id: "t0", delta: 5 })).toBeNull();
    expect(parseChunk({ type: "text-delta", id: "t0", delta: "a" })).toEqual({
      type: "text-delta",
      delta: "a",
    });
  });
});

describe("a plan", () => {
  const plan = (...statuses: readonly string[]): Chunk =>
    parseChunk({
      type: "data-plan",
      id: "plan",
      data: {
        rev: 1,
        goal: "An About\npage",
        items: statuses.map((status, n) => ({ id: `p${n + 1}`, text: `do ${n + 1}`, status, reason: null })),
      },
    })!;
  const printed = (...chunks: readonly Chunk[]): string[] => {
    let view = NEW_VIEW;
    return chunks.map((chunk) => {
      const shown = render(view, chunk);
      view = shown.view;
      return shown.pieces.map((piece) => piece.text).join("");
    });
  };

  test("is printed whole when it is new, then what changes of it", () => {
    expect(printed(plan("doing", "open"), plan("done", "doing"), plan("done", "doing"))).toEqual([
      "Plan: An About page\n  ● p1 do 1\n  ○ p2 do 2\n",
      "  ✓ p1 do 1\n  ● p2 do 2\n",
      "",
    ]);
  });

  test("stands in place of the call that set it", () => {
    const toolCallId = "r1s1c0";
    const call = { type: "tool-input-available", toolCallId, toolName: "update_plan", input: {} } as const;
    expect(printed(call, { type: "tool-output-available", toolCallId, output: {} })).toEqual(["", ""]);
  });
});

describe("paint", () => {
  test("colours pieces only when asked to", () => {
    const pieces: Piece[] = [{ tone: "dim", text: "a" }];
    expect(paint(pieces, false)).toBe("a");
    expect(paint(pieces, true)).toBe(`${ESCAPE}[2ma${ESCAPE}[0m`);
  });

  test("writes out what would steer the terminal", () => {
    expect(disarm(`${ESCAPE}[2J\u009b1A\rabc\u202edef\u0007\u2066`)).toBe(
      "\\u{1b}[2J\\u{9b}1A\\u{d}abc\\u{202e}def\\u{7}\\u{2066}",
    );
    expect(disarm("a\tb\r\nc é 漢 🗺")).toBe("a\tb\nc é 漢 🗺");
  });

  test("cuts between characters, not inside one", () => {
    expect(oneLine("🗺🗺🗺🗺", 3)).toBe("🗺🗺…");
    expect(oneLine(" a \n b ", 10)).toBe("a b");
  });
});

test("a call that a chat page runs is a line while it waits, and one if that page did not answer", () => {
  const at = (state: string): string =>
    screen([{ type: "data-client-call", data: { tool: "where", state } } as Chunk]);
  expect(at("waiting")).toBe("  (where runs on the page that brought it: waiting for that page)\n");
  expect(at("expired")).toBe("  (that page did not answer in time)\n");
  expect(at("answered")).toBe("");
});
