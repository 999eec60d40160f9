import { describe, expect, test } from "vitest";
import { cutObservation, sliceText } from "../../../src/cairn/core/prompt/observation.ts";
import { REPORT } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** The observation of each settled call, by name. */
const observed = (platform: FakePlatform): Map<string, string> =>
  new Map(
    platform.log.flatMap((entry) =>
      entry.kind === "call_settled" ? [[entry.body.call, entry.body.observation]] : [],
    ),
  );

describe("a long result", () => {
  test("of 5 MB is shown short, kept whole, and read on by any slice", async () => {
    const whole = JSON.stringify({ ok: true, text: "é1€😀".repeat(1_000_000) });
    const slices: string[] = [];
    let offset = 0;
    const platform = new FakePlatform((request) => {
      if (request.step === "r1s1") return { calls: [["bulk", { name: "x" }]] };
      if (request.step === "r1s12") return { text: REPORT };
      const input = { id: "r1s1c0", offset, limit: 16_000 };
      offset += 16_000;
      return { calls: [["read_observation", input]] };
    });
    platform.effects.bulk = whole;
    platform.say("go");
    await platform.settle();
    const shown = observed(platform).get("r1s1c0") ?? "";
    expect(shown.length).toBeLessThanOrEqual(8_192);
    expect(JSON.parse(shown)).toMatchObject({
      ok: true,
      _cut: expect.stringContaining('read_observation("r1s1c0")'),
    });
    for (const [call, text] of observed(platform)) {
      if (call === "r1s1c0") continue;
      slices.push((JSON.parse(text) as { text: string }).text);
    }
    expect(whole.startsWith(slices.join(""))).toBe(true);
    expect(slices).toHaveLength(10);
    // No entry is larger than the platform takes.
    const entries = platform.disk.exec("SELECT max(length(CAST(body AS BLOB))) AS bytes FROM blobs");
    expect(Number(entries[0]?.["bytes"])).toBeLessThan(1_900_000);
  });

  test("is found by its words, and says where it ends", async () => {
    const platform = new FakePlatform((request) => {
      if (request.step === "r1s1") return { calls: [["bulk", { name: "x" }]] };
      if (request.step === "r1s2")
        return { calls: [["read_observation", { id: "r1s1c0", find: "NEEDLE", limit: 20 }]] };
      if (request.step === "r1s3")
        return { calls: [["read_observation", { id: "r1s1c0", offset: 999_999_999 }]] };
      if (request.step === "r1s4") return { calls: [["read_observation", { id: "r9s1c0" }]] };
      return { text: "Read." };
    });
    platform.effects.bulk = `${"hay ".repeat(50_000)}needle in it`;
    platform.say("go");
    await platform.settle();
    expect(JSON.parse(observed(platform).get("r1s2c0") ?? "")).toMatchObject({
      text: 'needle in it"',
      next: null,
    });
    expect(observed(platform).get("r1s3c0")).toContain('"range"');
    expect(observed(platform).get("r1s4c0")).toContain('"not_found"');
  });

  test("of another session is not there", async () => {
    const one = new FakePlatform([{ calls: [["bulk", { name: "x" }]] }, { text: "Done." }]);
    one.effects.bulk = "secret ".repeat(10_000);
    one.say("go");
    await one.settle();
    const other = new FakePlatform([{ calls: [["read_observation", { id: "r1s1c0" }]] }, { text: "Done." }]);
    other.say("go");
    await other.settle();
    expect(observed(other).get("r1s1c0")).not.toContain("secret");
  });

  test("shares what one reply may show with its neighbours", async () => {
    const names = ["a", "b", "c", "d"];
    const platform = new FakePlatform([
      { calls: names.map((name) => ["bulk", { name }]) },
      { text: "Done." },
    ]);
    platform.effects.bulk = "x y ".repeat(20_000);
    platform.say("go");
    await platform.settle();
    const lengths = [...observed(platform).values()].map((text) => text.length);
    expect(lengths).toHaveLength(4);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(24_576);
  });
});

describe("cutting", () => {
  test("keeps JSON whole in shape: first items, ends of strings, no base64", () => {
    const value = {
      items: Array.from({ length: 40 }, (_, n) => ({ n })),
      long: "word ".repeat(400),
      image: "A".repeat(9_000),
    };
    const cut = JSON.parse(cutObservation(JSON.stringify(value), 2_000, "r1s1c0")) as Record<string, unknown>;
    expect(cut["items"]).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, "… 35 more"]);
    expect(cut["image"]).toBe("[9000 characters of base64]");
    expect(String(cut["long"])).toContain(" characters … ");
  });

  test("of plain text names exactly what is missing, and never splits a pair", () => {
    for (let max = 200; max < 260; max++) {
      const text = "😀".repeat(500);
      const cut = cutObservation(text, max, "r1s1c0");
      expect(cut.length).toBeLessThanOrEqual(max + 1);
      const [, from, to] =
        /\[cut (\d+)\.\.(\d+) of 1000; read_observation\("r1s1c0", \d+\)\]/.exec(cut) ?? [];
      expect(cut.startsWith(text.slice(0, Number(from)))).toBe(true);
      expect(cut.endsWith(text.slice(Number(to)))).toBe(true);
      expect(cut.isWellFormed()).toBe(true);
    }
  });

  test("into slices of any size gives the text back", () => {
    const marked = `e${"\u0301".repeat(400)}`;
    const text = `${"a😀é👨‍👩‍👧🇯🇵नि1️⃣".repeat(100)}${marked}${"b🏳️‍🌈".repeat(50)}${"😀".repeat(70)}${"\u0300".repeat(261)}`;
    const whole = new Set(Array.from(new Intl.Segmenter("en").segment(text), ({ index }) => index));
    for (const limit of [1, 2, 3, 7, 100, 129, 130, 131, 5_000]) {
      let offset = 0;
      let joined = "";
      for (;;) {
        const slice = sliceText(text, offset, limit);
        if (slice === null) break;
        joined += slice.text;
        if (slice.next === null) break;
        offset = slice.next;
        // A letter under hundreds of marks is shown in parts.
        const isInLong = offset > text.indexOf(marked) && offset < text.indexOf(marked) + marked.length;
        expect(whole.has(offset) || isInLong || offset > text.length - 264).toBe(true);
      }
      expect(joined).toBe(text);
    }
    expect(sliceText("abc", 3, 1)).toBeNull();
    expect(sliceText("", 0, 1)).toEqual({ text: "", next: null });
  });
});

test("what a person said is read back by the name that a shortened input has", async () => {
  const said = `begin ${"word ".repeat(3_000)}end`;
  const platform = new FakePlatform((request) => {
    if (request.step === "r1s3") return { text: "Read." };
    const id = request.step === "r1s1" ? "input-1-0" : "input-2-0";
    return { calls: [["read_observation", { id, offset: 14_990, limit: 100 }]] };
  });
  platform.say(said);
  await platform.settle();
  expect(JSON.parse(observed(platform).get("r1s1c0") ?? "")).toMatchObject({
    text: said.slice(14_990),
    next: null,
  });
  // An entry that holds no words of a person is none of them.
  expect(observed(platform).get("r1s2c0")).toContain("not_found");
});
