import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  QUEUE_MAX,
  RECEIPT_ITEMS_MAX,
  RECEIPT_REASON_CHARS_MAX,
  RECEIPT_STATE_CHARS_MAX,
  RECEIPT_TARGETS_MAX,
  RECEIPT_TARGET_CHARS_MAX,
} from "../../src/cairn/core/limits.ts";
import { nativeFrameSchema, stockFrameSchema } from "../../src/cairn/protocol/frames.ts";
import { MESSAGE_FIELD_NAMES } from "../../src/cairn/protocol/run-spec/message-fields.ts";
import { RUN_REQUEST } from "../../src/cairn/protocol/run-spec/shape.ts";
import { parseConfig } from "../fixtures/config.ts";
import { receiptSchema } from "../../src/cairn/protocol/receipt.ts";
import { sectionOf } from "./doc-pages.ts";
import { ROOT, readTexts } from "../house/source-tree.ts";

/** docs/protocol.md, docs/api.md and docs/configuration.md list what a client may rely on; each list is held against the code. */

const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
const section = (heading: string, page = "docs/protocol.md"): string => sectionOf(read(page), heading);
/** the first cells of the tables of a section, each name in backticks */
const firstCells = (text: string): string[] =>
  Array.from(text.matchAll(/^\| ([^|]*)\|/gm), ([, cell = ""]) => cell).flatMap((cell) =>
    Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = ""]) => name),
  );
const found = (text: string, pattern: RegExp): string[] => [
  ...new Set(Array.from(text.matchAll(pattern), ([, name = ""]) => name)),
];
const sources = (...folders: string[]): string =>
  readTexts("src")
    .filter((file) => folders.some((folder) => file.path.startsWith(`src/${folder}/`)))
    .map((file) => file.text)
    .join("\n");

describe("the frames", () => {
  const fromClients = [...stockFrameSchema.options, ...nativeFrameSchema.options].map(
    ({ shape }) => shape.type.value,
  );
  const written = read("src/cairn/protocol/frames.ts");
  const serverTypes = written.slice(written.indexOf("export type ServerFrame"));
  const fromSession = [
    ...found(serverTypes, /type: "([a-z_:-]+)"/g),
    ...found(serverTypes, /type: "[a-z_]+" \| "([a-z_]+)"/g),
  ];

  test("are all listed, those of clients and those of the session, and no other", () => {
    expect(fromClients.length).toBeGreaterThan(15);
    expect(fromSession.length).toBeGreaterThan(15);
    const cells = [
      ...firstCells(section("### Frames of the stock chat")),
      ...firstCells(section("### Cairn's frames")),
    ];
    expect([...new Set(cells)].toSorted()).toEqual([...new Set([...fromClients, ...fromSession])].toSorted());
  });

  test("of Cairn have the fields that are listed", () => {
    const text = section("### Cairn's frames");
    for (const { shape } of nativeFrameSchema.options) {
      const entry = text.split("\n").find((line) => line.startsWith(`| \`${shape.type.value}\``)) ?? "";
      const fields = entry.split("|")[3] ?? "";
      const named = [
        ...found(fields, /`([a-zA-Z_]+)\??`/g),
        ...(fields.includes("[run fields](api.md#run-fields-in-a-message)") ? MESSAGE_FIELD_NAMES : []),
      ];
      expect(named.toSorted()).toEqual(
        Object.keys(shape)
          .filter((key) => key !== "type" && key !== "eventId")
          .toSorted(),
      );
    }
  });

  test("have the run fields that a message may have: all but those that are listed", () => {
    const [, left = ""] =
      /every field of a \[run\]\(#runs-as-data\) except ([^.]*)\./.exec(read("docs/api.md")) ?? [];
    const others = Object.keys(RUN_REQUEST.shape).filter((name) => !MESSAGE_FIELD_NAMES.includes(name));
    expect(found(left, /`([a-z_]+)`/g).toSorted()).toEqual(others.toSorted());
  });
});

test("the close codes are those with which sockets are closed", () => {
  const code = sources("cairn/http", "cairn/session");
  const used = found(code, /(?:close\(|: |\[)(4[0-9]{3}|10[0-9]{2}),/g);
  const listed = Array.from(section("## Sockets").matchAll(/^\| (\d{4}) /gm), ([, each = ""]) => each);
  expect(listed.length).toBeGreaterThan(6);
  expect(listed.filter((each) => !used.includes(each))).toEqual([]);
  expect(used.filter((each) => !listed.includes(each))).toEqual([]);
});

test("the data parts and the chunks are those that are made", () => {
  const parts = found(sources("cairn/protocol"), /type: "(data-[a-z]+(?:-[a-z]+)*)"/g);
  expect(firstCells(section("### Data parts")).toSorted()).toEqual(parts.toSorted());
  const mapping = section("## From entries to chunks");
  const declared = read("src/cairn/protocol/stream/ui-chunk.ts");
  const chunks = found(declared.slice(0, declared.indexOf("/** A data part")), /"([a-z]+(?:-[a-z]+)*)"/g);
  expect(chunks.length).toBeGreaterThan(15);
  const unnamed = chunks.filter(
    (chunk) => !["stop", "tool-calls"].includes(chunk) && !mapping.includes(`\`${chunk}\``),
  );
  expect(unnamed).toEqual([]);
});

test("the entries that make chunks are those that the mapping reads", () => {
  const mapping = read("src/cairn/protocol/stream/chunks.ts");
  const cases = found(mapping, /case "([a-z_]+)":/g).filter(
    (kind) => !["run_queued", "user_message"].includes(kind),
  );
  const listed = firstCells(section("## From entries to chunks")).filter((name) =>
    /^[a-z]+(_[a-z]+)*$/.test(name),
  );
  const elsewhere = ["memory_changed", "plan_changed", "budget_asked", "budget_answered"];
  expect(listed.filter((kind) => !elsewhere.includes(kind)).toSorted()).toEqual(cases.toSorted());
});

test("the limits are those of the configuration, with their numbers", () => {
  const { limits } = parseConfig({});
  const listed = section("## Limits", "docs/configuration.md");
  const entries = Array.from(listed.matchAll(/^\| `([a-zA-Z]+)` .*\| (\d+) +\|$/gm), ([, name, value]) => [
    name,
    Number(value),
  ]);
  expect(Object.fromEntries(entries)).toEqual(limits);
  expect(listed).toContain(`A session holds ${QUEUE_MAX} waiting runs.`);
});

describe("the error codes", () => {
  const front = read("src/cli/start/local-proxy.ts");
  const code = [
    sources(
      "cairn/http",
      "cairn/session",
      "plugins/channels",
      "plugins/mcp-client",
      "plugins/mcp-server",
      "plugins/cms",
      "cairn/protocol",
      "cairn/core",
    ),
    front,
  ]
    .join(" ")
    .replaceAll(/\s+/g, " ");
  const doors = [
    sources(
      "cairn/http",
      "cairn/session",
      "plugins/channels",
      "plugins/mcp-client",
      "plugins/mcp-server",
      "plugins/cms/http",
      "plugins/cms/renderer/api",
    ),
    front,
  ]
    .join(" ")
    .replaceAll(/\s+/g, " ");
  const listed = found(section("## Error codes", "docs/api.md"), /`([a-z]+(?:_[a-z]+)*)`/g);

  test("of every door are listed", () => {
    const given = [
      ...found(doors, /refus(?:al|e)\( ?\d{3}, "([a-z_]+)"/g),
      ...found(doors, /status: \d{3}, code: "([a-z_]+)"/g),
    ];
    expect(given.length).toBeGreaterThan(25);
    // A run that names one as its previous run is refused with the issue `previous_run_active`.
    const inside = ["run_active"];
    expect([...new Set(given)].filter((each) => !listed.includes(each) && !inside.includes(each))).toEqual(
      [],
    );
  });

  test("that are listed exist", () => {
    expect(listed.filter((each) => !code.includes(`"${each}"`))).toEqual([]);
  });
});

test("the receipt that is shown is one, and its limits are those of the code", () => {
  const text = section("### Receipts");
  const [, example = ""] = /```json\n([\s\S]*?)```/.exec(text) ?? [];
  const shown = receiptSchema.parse(JSON.parse(example));
  expect(JSON.parse(example)).toEqual(shown);
  expect(shown.changed.length + shown.failed.length).toBe(2);
  expect(text.replaceAll("\n  ", " ")).toContain(
    `At most ${RECEIPT_ITEMS_MAX} items in each list and ${RECEIPT_TARGETS_MAX} \`targets\` in each item; \`more\` counts the items and targets that were left out. A target has at most ${RECEIPT_TARGET_CHARS_MAX} characters, a state ${RECEIPT_STATE_CHARS_MAX}, a reason ${RECEIPT_REASON_CHARS_MAX};`,
  );
});
