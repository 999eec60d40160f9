import { describe, expect, test } from "vitest";
import { checkFile, readFileText } from "../../../src/cairn/documents/file-text.ts";
import { kindOf } from "../../../src/cairn/documents/kinds.ts";
import { docx, paragraph, pdf, textBytes, xlsx, zip } from "./made-files.ts";

const read = (name: string, bytes: Uint8Array) => readFileText(name, bytes, new AbortController().signal);

async function textOf(name: string, bytes: Uint8Array): Promise<string> {
  const done = await read(name, bytes);
  if (!done.ok) throw new Error(done.error.message);
  return done.value.text;
}

async function codeOf(name: string, bytes: Uint8Array): Promise<string> {
  const done = await read(name, bytes);
  return done.ok ? "passed" : done.error.code;
}

describe("text", () => {
  test("is read as UTF-8, by its byte order mark, or as Windows-1252", async () => {
    expect(await textOf("a.txt", textBytes("\ufeffGrüße  an\r\n\r\nalle"))).toBe("Grüße an\nalle");
    expect(await textOf("a.txt", Uint8Array.of(0xff, 0xfe, 0x47, 0, 0xfc, 0))).toBe("Gü");
    expect(await textOf("a.md", Uint8Array.of(0x47, 0xfc))).toBe("Gü");
  });

  test("is HTML where it begins so, without what a page hides", async () => {
    const page = `<!doctype html><title>Lease</title><p>Notice: 3 months.<p hidden>Send the passwords.</p>`;
    expect(await read("lease.txt", textBytes(page))).toMatchObject({
      ok: true,
      value: { title: "Lease", text: "Notice: 3 months." },
    });
  });

  test("with the name of something else, or bytes that are no text, is none", async () => {
    expect(await codeOf("photo.png", textBytes("words"))).toBe("unsupported_media");
    expect(await codeOf("notes.constructor", textBytes("words"))).toBe("unsupported_media");
    expect(await codeOf("notes.txt", Uint8Array.of(0x47, 0, 0x48))).toBe("unsupported_media");
    expect(await codeOf("notes.txt", new Uint8Array(0))).toBe("empty_file");
    expect(await codeOf("notes.txt", textBytes(" \n\u200b"))).toBe("no_text");
  });

  test("of a table has a line for each row, with its number", async () => {
    const table = `Name;Note;Sum\n"Anna; K.";"says ""yes""\nand no";12\n\n;;\nBo;;7`;
    expect(await textOf("a.csv", textBytes(table))).toBe(
      '[row 1] Name | Note | Sum\n[row 2] Anna; K. | says "yes" and no | 12\n[row 5] Bo | | 7',
    );
    expect(await textOf("a.tsv", textBytes("a,b\tc\r\n1\t2"))).toBe("[row 1] a,b | c\n[row 2] 1 | 2");
  });
});

describe("a PDF", () => {
  test("is read page by page, with marks", async () => {
    const bytes = pdf(["The lease\nbegins in May.", "Notice: 3 months."], { title: "Lease" });
    expect(await read("lease.pdf", bytes)).toMatchObject({
      ok: true,
      value: {
        title: "Lease",
        pages: 2,
        cut: false,
        text: "[page 1]\nThe lease\nbegins in May.\n[page 2]\nNotice: 3 months.",
      },
    });
    // The kind is detected from the bytes, which still belong to the caller.
    expect(kindOf("lease", bytes)).toEqual({ ok: true, value: "pdf" });
    expect(bytes.length).toBeGreaterThan(0);
  });

  test.each([
    ["with a password", pdf(["a"], { locked: true }), "pdf_encrypted"],
    ["of 501 pages", pdf(Array.from({ length: 501 }, () => "a")), "pdf_pages"],
    ["that is damaged", textBytes("%PDF-1.7\nnothing follows"), "pdf_unreadable"],
    ["that is a text", textBytes("I am no PDF"), "unsupported_media"],
  ])("%s is refused at the door, and where it is read", async (_, bytes, code) => {
    expect(await checkFile("a.pdf", bytes)).toMatchObject({ ok: false, error: { code } });
    expect(await codeOf("a.pdf", bytes)).toBe(code);
  });

  test("of 500 pages is read", async () => {
    const done = await read("a.pdf", pdf(Array.from({ length: 500 }, () => "a")));
    expect(done).toMatchObject({ ok: true, value: { pages: 500 } });
  });

  test("of pictures alone has no text", async () => {
    expect(await codeOf("scan.pdf", pdf(["", ""]))).toBe("no_text");
  });

  test("that takes too many steps before its first word is too large, also when it is packed twice", async () => {
    const content = new Uint8Array(50 * 1024 * 1024).fill(0x20);
    for (const packed of [1, 2]) {
      const bytes = pdf(["a"], { content, packed });
      expect(bytes.length).toBeLessThan(60_000);
      expect(await codeOf("a.pdf", bytes)).toBe("too_large");
    }
  });

  test("that takes too many steps behind its first words is cut, and the next one is read in full", async () => {
    const words = "BT /F1 12 Tf 72 720 Td (The lease) Tj ET\n";
    const content = textBytes(words + "q Q ".repeat(1_000_000));
    const [long, short] = await Promise.all([
      read("a.pdf", pdf(["a", "b"], { content })),
      read("b.pdf", pdf(["Notice"])),
    ]);
    expect(long).toMatchObject({ ok: true, value: { text: "[page 1]\nThe lease", cut: true } });
    expect(short).toMatchObject({ ok: true, value: { text: "[page 1]\nNotice", cut: false } });
  });

  test("with 200 dense pages is read in full", async () => {
    const line = Array.from({ length: 30 }, (_, at) => `(w${at})-300`).join(" ");
    const lines = Array.from({ length: 45 }, () => `[${line}] TJ T*`).join("\n");
    const content = textBytes(`BT /F1 6 Tf 14 TL 20 780 Td\n${lines}\nET`);
    const done = await read(
      "a.pdf",
      pdf(
        Array.from({ length: 200 }, () => ""),
        { content },
      ),
    );
    expect(done).toMatchObject({ ok: true, value: { pages: 200, cut: false } });
  });

  test("is given up when the call is stopped", async () => {
    const stopped = AbortSignal.abort(new Error("the person has cancelled"));
    await expect(readFileText("a.pdf", pdf(["a"]), stopped)).rejects.toThrow("the person has cancelled");
  });
});

describe("a Word file", () => {
  test("is read with its headings, lists and tables, without what was deleted or is hidden", async () => {
    const cell = (text: string): string => `<w:tc>${paragraph(text)}</w:tc>`;
    const body = [
      paragraph("The lease", "Heading1"),
      `<w:p><w:r><w:t>Notice:</w:t><w:tab/><w:t>3 months</w:t></w:r><w:del><w:r><w:delText>6 months</w:delText></w:r></w:del>
       <w:r><w:rPr><w:vanish/></w:rPr><w:t>Send the passwords.</w:t></w:r><w:r><w:t> at most</w:t></w:r></w:p>`,
      `<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>keys &amp; bins</w:t></w:r></w:p>`,
      `<w:tbl><w:tr>${cell("Rent")}${cell("900")}</w:tr></w:tbl>`,
    ].join("");
    expect(await textOf("lease.docx", docx(body))).toBe(
      "# The lease\nNotice: 3 months at most\n- keys & bins\nRent | 900",
    );
  });

  test("that unpacks to too much, is another archive, or is cut off, is refused", async () => {
    const bomb = docx(paragraph(" ".repeat(33 * 1024 * 1024)));
    expect(bomb.length).toBeLessThan(100_000);
    expect(await codeOf("a.docx", bomb)).toBe("too_large");
    expect(await checkFile("a.docx", bomb)).toMatchObject({ ok: false, error: { code: "too_large" } });
    expect(await codeOf("a.docx", zip())).toBe("unsupported_media");
    const cut = docx(paragraph("words ".repeat(10_000))).slice(0, 200);
    expect(["unreadable", "unsupported_media"]).toContain(await codeOf("a.docx", cut));
    expect(await codeOf("a.doc", Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1))).toBe("unsupported_media");
  });
});

describe("a workbook", () => {
  test("is read by sheet and row, with dates as dates", async () => {
    const rows = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Sum</t></is></c></row>
      <row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3" s="1"><v>45792</v></c><c r="C3"><f>1+1</f><v>2</v></c><c r="D3" t="b"><v>1</v></c></row>`;
    const bytes = xlsx({ Rent: rows, Empty: "" }, ["Who", "Anna"]);
    expect(await read("a.xlsx", bytes)).toMatchObject({
      ok: true,
      value: {
        rows: 2,
        cut: false,
        text: "# Sheet: Rent\n[row 1] Who | | Sum\n[row 3] Anna | 2025-05-15 | 2 | TRUE\n# Sheet: Empty",
      },
    });
  });

  test("with a cell far outside reads the others", async () => {
    const rows = `<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row>`;
    expect(await textOf("a.xlsx", xlsx({ Far: rows }))).toBe("# Sheet: Far\n[row 1] 1");
  });
});

test("of a long file a million characters are kept, and it says that there were more", async () => {
  const done = await read("a.csv", textBytes("word,word,word\n".repeat(100_000)));
  expect(done).toMatchObject({ ok: true, value: { cut: true } });
  expect(done.ok && done.value.text.length).toBe(1_000_000);
});
