import { createElement, Fragment } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { OutlookView } from "../../src/page/approvals/change-list.tsx";
import { joined } from "../../src/page/approvals/read-through.ts";
import { ArgumentsText } from "../../src/page/approvals/whole-text.tsx";
import { messagesPack } from "../../src/plugins/channels/tools/pack.ts";
import { approvalOf, markedArgs, randomOf, toolsOf } from "../fixtures/decisions.ts";

// src/page/tsconfig.json checks this file, because its types are those of the page.

const [TOOL] = toolsOf(messagesPack);

test("on the page every scalar of the arguments is in the card, and so is each line and each change", () => {
  const random = randomOf(17);
  if (TOOL === undefined) throw new Error("there is a tool");
  for (let round = 0; round < 40; round += 1) {
    // A schema that leaves everything open: any value may be there.
    const { args, marks } = markedArgs({}, random);
    const items = Array.from({ length: 30 }, (_, at) => ({
      what: `Item${at}X`,
      becomes: "created" as const,
      changes: [{ what: `Item${at}X · Body`, before: `Old${at}X`, after: `New${at}X` }],
    }));
    const view = approvalOf(TOOL, args, {
      impact: Array.from({ length: 30 }, (_, at) => `Line${at}X`),
      batch: { id: "cs", name: "Spring", items },
    });
    const html = renderToStaticMarkup(
      createElement(
        Fragment,
        null,
        createElement(OutlookView, { outlook: view, tainted: true }),
        createElement(ArgumentsText, { approval: view, names: new Map() }),
      ),
    );
    const more = JSON.stringify([view.impact, view.batch]).match(/(?:Line|Item|Old|New)\d+X/g) ?? [];
    expect([...marks, ...more].filter((mark) => !html.includes(mark))).toEqual([]);
    // Nothing is folded.
    expect(html).not.toMatch(/<details(?! open)/);
  }
});

test("spans that touch are one, and a gap between them stays", () => {
  expect(joined([[0, 0.4]], [0.3, 0.6])).toEqual([[0, 0.6]]);
  expect(joined([[0, 0.4]], [0.5, 1])).toEqual([
    [0, 0.4],
    [0.5, 1],
  ]);
  expect(joined(joined([[0, 0.4]], [0.5, 1]), [0.35, 0.55])).toEqual([[0, 1]]);
});
