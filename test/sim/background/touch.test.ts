import { describe, expect, test } from "vitest";
import { FakePlatform } from "../platform/platform.ts";

/** A touch repairs the alarm, and nothing else. */

describe("a touch", () => {
  test("of a session that is at rest, or whose alarm stands, writes nothing", async () => {
    const idle = new FakePlatform([{ text: "Hello." }]);
    await idle.engine.restoreAlarm();
    expect(idle.store.loadCursor()).toBeNull();
    idle.say("hi");
    const armed = idle.disk.rowsWritten;
    await idle.engine.restoreAlarm();
    expect(idle.disk.rowsWritten).toBe(armed);
    await idle.settle();
    const { rowsWritten } = idle.disk;
    await idle.engine.restoreAlarm();
    expect([idle.disk.rowsWritten, idle.disk.alarm]).toEqual([rowsWritten, null]);
  });

  test("arms an alarm again that is two seconds late, and none that is less", async () => {
    const platform = new FakePlatform([{ text: "Hello." }]);
    platform.say("hi");
    const alarm = platform.disk.alarm ?? 0;
    platform.now = alarm + 1_999;
    await platform.engine.restoreAlarm();
    expect(platform.disk.alarm).toBe(alarm);
    platform.now = alarm + 2_000;
    await platform.engine.restoreAlarm();
    expect(platform.disk.alarm).toBe(platform.now + 1);
  });

  test("in the middle of an effect leaves its alarm", async () => {
    const platform = new FakePlatform([{ text: "Hello." }]);
    const seen: (number | null)[] = [];
    platform.onModel = async () => {
      platform.now += 60_000;
      seen.push(platform.disk.alarm);
      await platform.engine.restoreAlarm();
      seen.push(platform.disk.alarm);
    };
    platform.say("hi");
    await platform.settle();
    expect(seen[1]).toBe(seen[0]);
  });
});
