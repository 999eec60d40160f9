import { sliceText } from "../../src/cairn/core/prompt/observation.ts";
import { authorOf, titleOf } from "../../src/plugins/channels/email/subject.ts";
import { zipSync } from "fflate";
import { readMail } from "../../src/plugins/channels/email/incoming.ts";
import { partQuotes, textOfHtml } from "../../src/plugins/channels/email/quotes.ts";
import { isAuthentic } from "../../src/plugins/channels/email/trust.ts";
import { createReader } from "../../src/cairn/core/dialects/create-reader.ts";
import { canonicalJson, readJson } from "../../src/cairn/core/log/json.ts";
import { normalize } from "../../src/cairn/core/log/normalize.ts";
import { readLabel } from "../../src/cairn/core/loop/class-label.ts";
import { readMarker } from "../../src/cairn/core/text/markers.ts";
import { findPlaceholders } from "../../src/cairn/core/text/placeholders.ts";
import { findQuote, pageText } from "../../src/cairn/core/text/quotes.ts";
import { createRedactor } from "../../src/cairn/core/text/redact.ts";
import { sentencesOf } from "../../src/cairn/core/text/sentences.ts";
import { fence, removeHidden, unfence } from "../../src/cairn/core/text/untrusted.ts";
import { readFileText } from "../../src/cairn/documents/file-text.ts";
import { checkFile } from "../../src/cairn/documents/file-text.ts";
import { readDocument } from "../../src/cairn/tools/stored/document-text.ts";
import { readHtml } from "../../src/cairn/documents/html.ts";
import { needsScript } from "../../src/plugins/web/reading/needs-script.ts";
import { readMarkup } from "../../src/cairn/documents/markup.ts";
import { readPage } from "../../src/cairn/documents/page.ts";
import { bestPassages } from "../../src/cairn/documents/passages.ts";
import { calendar } from "../../src/cairn/session/background/cron.ts";
import { filled, filledBytes } from "./shapes.ts";

/** The parsers of bytes from outside, each with the largest input that its entry point accepts. */

export interface Parser {
  readonly name: string;
  readonly chars: number;
  /** Makes the input of one unit. It costs time and memory that are not the parser's. */
  readonly input: (unit: string) => Input;
}
/** Runs the parser on the input. */
export type Input = () => unknown;

const KIB = 1_024;
const MIB = 1_048_576;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const ofText = (name: string, chars: number, parse: (text: string) => unknown): Parser => ({
  name,
  chars,
  input: (unit) => {
    const text = filled(unit, chars);
    return () => parse(text);
  },
});

const ofBytes = (
  name: string,
  bytes: number,
  parse: (bytes: Uint8Array) => unknown,
  around: readonly [before: string, behind: string] = ["", ""],
): Parser => ({
  name,
  chars: bytes,
  input: (unit) => {
    const given = filledBytes(unit, bytes, around);
    return () => parse(given);
  },
});

const never = new AbortController().signal;

const mailOf = (head: string, bytes: Uint8Array, unread = false): Promise<unknown> => {
  const all = new Uint8Array([...encode(head)].length + bytes.length);
  all.set(encode(head));
  all.set(bytes, encode(head).length);
  const server = unread ? null : "mx.example";
  return readMail(
    {
      from: "a@example.com",
      to: "c@cairn.example",
      raw: new Response(all).body ?? new ReadableStream<Uint8Array>(),
      rawSize: all.length,
    },
    { address: "c@cairn.example", authServer: server },
    () => 0,
  ).catch((error: unknown) => error);
};
const HEAD =
  "Authentication-Results: mx.example; dkim=pass header.d=example.com\r\nDKIM-Signature: d=example.com; s=s; h=from:to:cc:date:subject; b=b\r\nFrom: a@example.com\r\nTo: c@cairn.example\r\n";

/** A file of one part that unpacks to so many bytes. */
const office = (name: string, part: string, bytes: number, before: string, behind: string): Parser => ({
  name,
  chars: bytes,
  input: (unit) => {
    const isSheet = part.startsWith("xl/");
    const file = zipSync({
      ...(isSheet ? WORKBOOK : {}),
      [part]: filledBytes(unit, bytes, [before, behind]),
    });
    return () => readFileText(isSheet ? "a.xlsx" : "a.docx", file, never);
  },
});
const WORKBOOK = {
  "xl/workbook.xml": encode('<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>'),
  "xl/_rels/workbook.xml.rels": encode(
    '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
  ),
};

/** A reply of a model, as it streams in. */
const reader = (dialect: "json" | "tags" | "native"): Parser =>
  ofText(`createReader, ${dialect}`, 256 * KIB, (text) => {
    const sink = { say: () => undefined, split: () => undefined, call: () => undefined };
    const read = createReader({ dialect, offers: [], takesWritten: true }, sink);
    for (let at = 0; at < text.length; at += 64) read.push(text.slice(at, at + 64));
    return read.end();
  });

const redact = createRedactor([{ name: "KEY", value: "a-secret-of-the-test" }]);
const response = (type: string) => (bytes: Uint8Array) =>
  readPage(
    { url: "https://a.example/b", status: 200, type, charset: "utf-8", bytes, headers: new Headers() },
    null,
    never,
  );

export const PARSERS: readonly Parser[] = [
  ofText("readHtml", 5 * MIB, (text) => readHtml(text, "https://a.example/")),
  ofText("needsScript", 5 * MIB, (text) => needsScript(text, "", readMarkup)),
  ofBytes("readPage, html", 5 * MIB, response("text/html")),
  ofText("readDocument, yaml", 4_000_000, (text) => readDocument(`a: ${text}`.slice(0, 4_000_000))),
  ofBytes("readPage, text", 5 * MIB, response("text/plain")),
  ofBytes("readFileText, csv", 20 * MIB, (bytes) => readFileText("a.csv", bytes, never)),
  ofBytes("readFileText, txt", 20 * MIB, (bytes) => readFileText("a.txt", bytes, never)),
  ofBytes("readFileText, html", 20 * MIB, (bytes) => readFileText("a.html", bytes, never)),
  office("readFileText, docx", "word/document.xml", 31 * MIB, "<w:p><w:r><w:t>", ""),
  office("readFileText, sheet", "xl/worksheets/sheet1.xml", 31 * MIB, "<row><c><v>", ""),
  office("readFileText, strings", "xl/sharedStrings.xml", 31 * MIB, "<si><t>", ""),
  ofBytes("readMail, text", 10 * MIB, (bytes) => mailOf(`${HEAD}\r\n`, bytes)),
  ofBytes("readMail, html", 10 * MIB, (bytes) => mailOf(`${HEAD}Content-Type: text/html\r\n\r\n`, bytes)),
  ofBytes("readMail, flowed", 10 * MIB, (bytes) =>
    mailOf(
      `${HEAD}Content-Type: text/plain; format=flowed\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`,
      bytes,
    ),
  ),
  ofBytes("readMail, parts", 10 * MIB, (bytes) =>
    mailOf(`${HEAD}Content-Type: multipart/mixed; boundary="--"\r\n\r\n----\r\n`, bytes),
  ),
  ofBytes("readMail, headers", 10 * MIB, (bytes) => mailOf(`${HEAD}X: `, bytes)),
  ofBytes("readMail, subject", 100 * KIB, (bytes) => mailOf(`${HEAD}Subject: `, bytes)),
  ofBytes("readMail, addresses", 100 * KIB, (bytes) => mailOf(`${HEAD}Cc: `, bytes)),
  ofBytes("readMail, stranger", 10 * MIB, (bytes) =>
    mailOf(`${HEAD}Content-Type: text/html\r\n\r\n`, bytes, true),
  ),
  ofText("isAuthentic", 16 * KIB, (text) =>
    isAuthentic([{ key: "authentication-results", value: `mx; dkim=pass ${text}` }], "a.b", "mx"),
  ),
  ofText("textOfHtml", MIB, (text) => textOfHtml(text, readMarkup)),
  ofText("partQuotes", MIB, partQuotes),
  ofText("partQuotes, subject", MIB, (text) => partQuotes("On 1.1.2026 a@b.example:\n> a", text)),
  ofText("authorOf", MIB, (text) => [authorOf(text, true), authorOf(text, false), titleOf(text)]),
  ofText("sliceText", MIB, (text) => [
    sliceText(text, 0, 8_000),
    sliceText(text, 8_000, 1),
    sliceText(text, text.length - 9, 1),
  ]),
  ofText("pageText", 2 * MIB, pageText),
  ofText("normalize", MIB, (text) => [normalize(text, "NFC"), normalize(text, "NFKD")]),
  ofText("canonicalJson", MIB, canonicalJson),
  ofText("readJson", MIB, readJson),
  ofText("removeHidden", MIB, removeHidden),
  ofText("fence", 256 * KIB, (text) => unfence(fence(text, "p1"))),
  ofText("findQuote", MIB, (text) => findQuote(text, text.slice(0, 64 * KIB))),
  ofText("bestPassages", MIB, (text) => bestPassages(text, "weather in paris", 5)),
  ofText("sentencesOf", 64 * KIB, sentencesOf),
  ofText("findPlaceholders", 256 * KIB, findPlaceholders),
  ofText("readMarker", 256 * KIB, readMarker),
  ofText("redact", MIB, redact),
  ofText("readLabel", 256 * KIB, (text) =>
    readLabel({ parts: [{ type: "text", text: `{"label":${text}` }] }),
  ),
  reader("json"),
  reader("tags"),
  reader("native"),
];

/** Lines of quotes and of their headers, whole, wrapped and almost whole. */
const QUOTING: readonly string[] = [
  "Von: a@b.example\n",
  "Von: a\nGesendet: 1.1.2026 10:00\nAn: b\n",
  "Von: a\nGesendet: 1.1.2026 10:00\nAn: b\n\n",
  "差出人：a@b.example\n送信日時：\n",
  `Von: ${"a ".repeat(30)}\n${"b ".repeat(30)}\n${"c ".repeat(30)}\n`,
  "On 1.1.2026 10:00\n",
  `On 1.1.2026 ${"a ".repeat(30)}a@b.example\n`,
  "1.1.2026 a@b.example:\n",
  "a@b.example\n\n:\n",
  "----- a -----\n",
  "-----\nVon: a\n",
  "-- \n",
  `${"*".repeat(900)}a: b\n`,
  `${"\u200f".repeat(900)}:\n`,
  `a: ${"<a@".repeat(300)}\n`,
  `a: ${"10:0".repeat(200)}\n`,
  `a: ${"1.1.".repeat(200)}\n`,
  "a : a : a : <a@b.example> 1.1.2026 10:00\n",
];

/** Inputs that are no repetition of one unit. */
export const SINGLE: readonly (readonly [name: string, make: () => Input])[] = [
  ["a row that repeats a string of 1 MB", repeatedString],
  ["100,000 nested elements", () => docx("<w:tbl>".repeat(100_000))],
  ["100,000 nested rows of tables", () => docx("<w:tbl><w:tr><w:tc>".repeat(33_000))],
  ["a comment without an end", () => docx(`<!--${"a".repeat(30 * MIB)}`)],
  ["one cell of 31 MB", () => xlsx(`<row><c t="str"><v>${"a".repeat(31 * MIB)}</v></c></row>`)],
  [
    "a cell in the last column of each row",
    () => xlsx('<row r="1"><c r="ALL1"><v>1</v></c></row>'.repeat(300_000)),
  ],
  ["rows without cells", () => xlsx("<row/>".repeat(4_000_000))],
  ["5,001 parts", manyParts],
  ["a list nested 500,000 deep", () => () => readJson("[".repeat(500_000) + "]".repeat(500_000))],
  [
    "an object nested 100,000 deep",
    () => () => readJson('{"a":'.repeat(100_000) + "1" + "}".repeat(100_000)),
  ],
  [
    "a table with a row of a million cells",
    () => () => readFileText("a.csv", encode(`${"a,".repeat(10 * MIB)}\n`), never),
  ],
  [
    "a table with a million empty rows",
    () => () => readFileText("a.csv", encode(`a,b\n${"\n".repeat(10 * MIB)}c,d`), never),
  ],
  [
    "a mail of folded lines, then of others",
    () => () => mailOf(HEAD, encode(`X: a\r\n${" a\r\n".repeat(10_000)}${"b\r\n".repeat(10_000)}`)),
  ],
  [
    "a mail of a million parts",
    () => () =>
      mailOf(
        `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n`,
        encode("--b\n\na\n".repeat(1_000_000)),
      ),
  ],
  [
    "a mail of boundaries that are almost one",
    () => () =>
      mailOf(
        `${HEAD}Content-Type: multipart/mixed; boundary=${"a".repeat(69)}b\r\n\r\n`,
        encode(`--${"a".repeat(70)}\n`.repeat(130_000)),
      ),
  ],
  ...QUOTING.map((unit): readonly [string, () => Input] => [
    `a mail of lines that may begin a quote: ${JSON.stringify(unit.slice(0, 60))}`,
    () => {
      const bytes = encode(unit.repeat(Math.floor((200 * KIB) / unit.length)));
      return () => mailOf(`${HEAD}In-Reply-To: <a@b.example>\r\nSubject: Re: a\r\n\r\n`, bytes);
    },
  ]),
  ["a schedule of commas", () => () => calendar.isCron(`${"1,".repeat(2_000)}1 * * * *`)],
  [
    "a page whose head is one meta of 5 MB",
    () => () => readHtml(`<meta name="${"a".repeat(5 * MIB)}`, "https://a.example/"),
  ],
];

function docx(xml: string): Input {
  const file = zipSync({ "word/document.xml": encode(xml) });
  return async () => [await checkFile("a.docx", file), await readFileText("a.docx", file, never)];
}

function xlsx(xml: string): Input {
  const file = zipSync({ ...WORKBOOK, "xl/worksheets/sheet1.xml": encode(xml) });
  return async () => [await checkFile("a.xlsx", file), await readFileText("a.xlsx", file, never)];
}

function repeatedString(): Input {
  const file = zipSync({
    ...WORKBOOK,
    "xl/sharedStrings.xml": encode(`<sst><si><t>${"x".repeat(MIB)}</t></si></sst>`),
    "xl/worksheets/sheet1.xml": encode(
      `<row r="1">${'<c t="s"><v>0</v></c>'.repeat(1_000)}</row>`.repeat(50),
    ),
  });
  return () => readFileText("a.xlsx", file, never);
}

function manyParts(): Input {
  const file = zipSync(
    Object.fromEntries(Array.from({ length: 5_001 }, (_, at) => [`word/${at}.xml`, new Uint8Array()])),
  );
  return () => checkFile("a.docx", file);
}
