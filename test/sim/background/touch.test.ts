import { describe, expect, test } from "vitest";
import { World } from "../platform/platform.ts";

/** Whoever comes by sees to the alarm, and to nothing else. */

describe("a touch", () => {
  test("of a session that is at rest, or whose alarm stands, writes nothing", async () => {
    const idle = new World([{ text: "Hello." }]);
    await idle.engine.touch();
    expect(idle.store.loadCursor()).toBeNull();
    idle.say("hi");
    const armed = idle.disk.rowsWritten;
    await idle.engine.touch();
    expect(idle.disk.rowsWritten).toBe(armed);
    await idle.settle();
    const { rowsWritten } = idle.disk;
    await idle.engine.touch();
    expect([idle.disk.rowsWritten, idle.disk.alarm]).toEqual([rowsWritten, null]);
  });

  test("arms an alarm again that is two seconds late, and none that is less", async () => {
    const world = new World([{ text: "Hello." }]);
    world.say("hi");
    const alarm = world.disk.alarm ?? 0;
    world.now = alarm + 1_999;
    await world.engine.touch();
    expect(world.disk.alarm).toBe(alarm);
    world.now = alarm + 2_000;
    await world.engine.touch();
    expect(world.disk.alarm).toBe(world.now + 1);
  });

  test("in the middle of an effect leaves its alarm", async () => {
    const world = new World([{ text: "Hello." }]);
    const seen: (number | null)[] = [];
    world.onModel = async () => {
      world.now += 60_000;
      seen.push(world.disk.alarm);
      await world.engine.touch();
      seen.push(world.disk.alarm);
    };
    world.say("hi");
    await world.settle();
    expect(seen[1]).toBe(seen[0]);
  });
});
