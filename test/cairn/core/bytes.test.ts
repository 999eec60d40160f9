import { describe, expect, test } from "vitest";
import { concatBytes, readBytes, readFirstBytes } from "../../../src/cairn/core/bytes.ts";

/** A body of these pieces, which then ends, breaks off or goes on without an end. */
function bodyOf(pieces: readonly Uint8Array[], then: "ends" | "breaks" | "goes on" = "ends") {
  const was = { asked: 0, cancelled: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[was.asked++];
        if (piece !== undefined) controller.enqueue(piece);
        else if (then === "ends") controller.close();
        else if (then === "breaks") controller.error(new Error("broken off"));
        else controller.enqueue(Uint8Array.of(0));
      },
      cancel() {
        was.cancelled++;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, was };
}

const numbers = (from: number, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => (from + at) % 256);

describe("readBytes", () => {
  test("joins the pieces of a body as long as the bound, and leaves it unlocked", async () => {
    const { body, was } = bodyOf([numbers(0, 3), new Uint8Array(), numbers(3, 5), numbers(8, 2)]);
    expect(await readBytes(body, 10)).toEqual(numbers(0, 10));
    expect([was, body.locked]).toEqual([{ asked: 5, cancelled: 0 }, false]);
  });

  test("gives no bytes for no body and for an empty one", async () => {
    expect([await readBytes(null, 0), await readBytes(bodyOf([]).body, 0)]).toEqual([
      new Uint8Array(),
      new Uint8Array(),
    ]);
  });

  test("gives an array that is the whole of its buffer, and not the buffer of a piece", async () => {
    const piece = numbers(0, 64).subarray(10, 20);
    const one = await readBytes(bodyOf([piece]).body, 100);
    const several = await readBytes(bodyOf([piece, piece, piece, numbers(0, 1)]).body, 100);
    expect([one?.buffer.byteLength, several?.buffer.byteLength]).toEqual([10, 31]);
    piece.fill(0);
    expect([one?.[9], several?.[29]]).toEqual([19, 19]);
  });

  test("gives up a body of one byte more, reads no further, and cancels the rest", async () => {
    const { body, was } = bodyOf([numbers(0, 10), numbers(0, 1)], "goes on");
    expect(await readBytes(body, 10)).toBeNull();
    expect([was, body.locked]).toEqual([{ asked: 2, cancelled: 1 }, false]);
  });

  test("leaves the rest to somebody else where that is asked for", async () => {
    const { body, was } = bodyOf([numbers(0, 11), numbers(20, 2)]);
    expect(await readBytes(body, 10, "leave")).toBeNull();
    expect([was, body.locked]).toEqual([{ asked: 1, cancelled: 0 }, false]);
    expect(await readBytes(body, 10)).toEqual(numbers(20, 2));
  });

  test("throws the error of a body that breaks off, and leaves it unlocked", async () => {
    const { body } = bodyOf([numbers(0, 3)], "breaks");
    await expect(readBytes(body, 10)).rejects.toThrow("broken off");
    expect(body.locked).toBe(false);
  });

  test("answers the same when the rest cannot be cancelled", async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(numbers(0, 11)),
      cancel: () => Promise.reject(new Error("not cancelled")),
    });
    expect([await readBytes(body, 10), body.locked]).toEqual([null, false]);
  });
});

test("readFirstBytes gives the first bytes of a body that is longer, and cancels the rest", async () => {
  const { body, was } = bodyOf([numbers(0, 7), numbers(7, 7)], "goes on");
  expect(await readFirstBytes(body, 10)).toEqual(numbers(0, 10));
  expect([was, body.locked]).toEqual([{ asked: 2, cancelled: 1 }, false]);
  expect(await readFirstBytes(bodyOf([numbers(0, 7)]).body, 10)).toEqual(numbers(0, 7));
});

test("concatBytes gives the piece itself where there is one", () => {
  const piece = numbers(0, 3);
  expect(concatBytes([piece])).toBe(piece);
  expect(concatBytes([piece, numbers(3, 2), new Uint8Array()])).toEqual(numbers(0, 5));
  expect(concatBytes([])).toEqual(new Uint8Array());
});
