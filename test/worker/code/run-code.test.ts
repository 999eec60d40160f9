import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { tryTool, type Tried } from "../../../src/cairn/tools/define.ts";
import { runCode, type CodeServices } from "../../../src/plugins/code/run-code.ts";
import { dropFiles, keepFile } from "../../../src/cairn/uploads/store.ts";
import { textBytes } from "../../cairn/documents/made-files.ts";

/** JavaScript in a real dynamic worker. */

const services: CodeServices = {
  javascript: { loader: env.CODE_OF_TESTS, cpuMs: 300 },
  sandbox: null,
  bucket: env.MEDIA,
};
/** the session of `tryTool` */
const SESSION = "test";

beforeEach(() => dropFiles(env.MEDIA, SESSION));

async function run(code: string, files?: string[]): Promise<Tried> {
  const input = { language: "javascript" as const, code, ...(files === undefined ? {} : { files }) };
  return (await tryTool(runCode, { input, services })).result;
}
const done = (value: object) => ({ ok: true, value });

describe("JavaScript", () => {
  test("prints, returns and awaits", async () => {
    const code = `const a = [3, 1, 2];
      console.log("sorted", a.toSorted(), { big: 2n ** 64n });
      console.error("and this");
      await Promise.resolve();
      return { sum: a.reduce((x, y) => x + y), of: new Set(a) };`;
    expect(await run(code)).toEqual(
      done({
        output: 'sorted [1,2,3] {"big":"18446744073709551616"}\nand this\n',
        value: '{"sum":6,"of":[3,1,2]}',
      }),
    );
    expect(await run("const a = 1;")).toEqual(done({ output: "" }));
  });

  test("that fails says what and on which line, behind what it printed", async () => {
    expect(await run('console.log("begun");\n\nnull.foo;')).toEqual(
      done({
        output: "begun\n",
        failed: { message: "TypeError: Cannot read properties of null (reading 'foo')", line: 3 },
      }),
    );
    expect(await run("const a = 1;\nconst b = ;")).toEqual(
      done({ output: "", failed: { message: "SyntaxError: Unexpected token", line: 2 } }),
    );
    expect(await run("throw null")).toEqual(done({ output: "", failed: { message: "null", line: null } }));
  });

  test("reaches nothing: no network, no packages, no bindings, nothing of another call", async () => {
    const fetched = await run('return await (await fetch("https://example.com")).text()');
    expect(fetched).toMatchObject({
      value: {
        failed: { message: expect.stringContaining("not permitted to access the internet") as string },
      },
    });
    const connected = `const { connect } = await import("cloudflare:sockets");
      return await connect("example.com:80").opened;`;
    expect(await run(connected)).toMatchObject({ value: { failed: {} } });
    expect(await run('return await import("lodash")')).toMatchObject({ value: { failed: {} } });
    expect(await run("return typeof env + typeof require + typeof process?.env?.MODEL")).toMatchObject({
      value: { value: "undefinedundefinedundefined" },
    });
    await run("globalThis.kept = 1");
    expect(await run("return typeof globalThis.kept")).toMatchObject({ value: { value: "undefined" } });
  });

  test("that never ends is stopped, and the next one runs", async () => {
    const stopped = { value: { failed: { message: "It ran for too long and was stopped." } } };
    expect(await run('console.log("begun"); for (;;) {}')).toMatchObject({
      value: { output: "begun\n", ...stopped.value },
    });
    expect(await run("return 1")).toEqual(done({ output: "", value: "1" }));
  });

  test.each([
    ["buffers", "new Uint8Array(1_048_576).fill(1)"],
    ["lists", "new Array(131_072).fill(1.5)"],
    ["texts", 'Array.from({ length: 131_072 }, (_, n) => "text " + n)'],
  ])(
    "that holds on to %s and never ends is stopped as any other, and the next one runs",
    async (_name, more) => {
      // 240 MB each time: bounded, because the runtime of the tests limits no memory.
      const hog = `const held = []; for (;;) if (held.length < 240) held.push(${more});`;
      for (let time = 0; time < 3; time++) {
        expect(await run(hog)).toEqual(
          done({ output: "", failed: { message: "It ran for too long and was stopped.", line: 1 } }),
        );
        expect(await run("return 6 * 7")).toEqual(done({ output: "", value: "42" }));
      }
    },
  );

  test("that asks for more than there can be at once is told as code that failed", async () => {
    expect(await run('const all = "x".repeat(2 ** 29);\nreturn all.length')).toEqual(
      done({ output: "", failed: { message: "RangeError: Invalid string length", line: 1 } }),
    );
    expect(await run("return new Uint8Array(2 ** 53).length")).toMatchObject({
      value: { failed: { message: expect.stringContaining("RangeError") as string } },
    });
  });

  test("that prints a megabyte is cut, and says so", async () => {
    const result = await run('console.log("x".repeat(1_048_576)); return "y".repeat(100_000)');
    expect(result).toMatchObject({
      value: { cut: "1017505 characters more are left out; at most 65536 are kept. Print less." },
    });
    expect(result.ok && JSON.stringify(result.value).length).toBeLessThan(132_000);
  });

  test("that breaks what stands around it is told as code that failed", async () => {
    const broken = await run(
      'JSON.stringify = () => { throw new Error("no") }; globalThis.Response = null; return 1',
    );
    expect(broken).toEqual(done({ output: "", value: "1" }));
    expect(await run("Object.prototype.toJSON = () => 7; return 1")).toEqual(
      done({
        output: "",
        failed: { message: "It did not answer as code does that ends by itself.", line: null },
      }),
    );
  });

  test("reads the files that were sent here, and no others", async () => {
    const kept = await keepFile(env.MEDIA, {
      session: SESSION,
      subject: "alice",
      name: "sums.csv",
      bytes: textBytes("a;1\nb;2\n"),
      at: 0,
    });
    const id = kept.ok ? kept.value.file.id : "";
    const code = `const [file] = files;
      const rows = file.text().trim().split("\\n").map((row) => row.split(";"));
      return [file.name, file.type, file.bytes.length, rows.reduce((sum, [, n]) => sum + Number(n), 0)];`;
    expect(await run(code, [id])).toMatchObject({ value: { value: '["sums.csv","text/csv",8,3]' } });
    expect(await run(code, ["f_000000000000000000000000"])).toMatchObject({
      ok: false,
      error: { code: "file_not_found" },
    });
  });
});
