import { expect, test } from "vitest";
import { withLoaded } from "../../src/page/site/frames.tsx";

const frame = (key: string) => ({ key, address: `/site/${key}` });
const keysOf = ({ frames }: { readonly frames: readonly { readonly key: string }[] }) =>
  frames.map(({ key }) => key);

test("a frame that is there takes the place of all older ones, and newer ones go on loading", () => {
  const loads = withLoaded({ frames: [frame("a"), frame("b"), frame("c")], shown: "a" }, "b");
  expect(loads.shown).toBe("b");
  expect(keysOf(loads)).toEqual(["b", "c"]);
});

test("two that load in one moment, the newer one first: the newer one stays and is shown", () => {
  const newer = withLoaded({ frames: [frame("a"), frame("b")], shown: null }, "b");
  const both = withLoaded(newer, "a");
  expect(both.shown).toBe("b");
  expect(keysOf(both)).toEqual(["b"]);
});
