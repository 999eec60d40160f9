import { expect, test } from "vitest";
import { Death, FakeD1 } from "./d1.ts";
import { liveSiteDay } from "./days.ts";

/** Some of the random days of a site, which `npm run sim` lives through in numbers. */

test("what must hold of a site and its change sets holds, whoever writes and whenever the worker dies", async () => {
  let [deaths, published] = [0, 0];
  for (let seed = 1; seed <= 20; seed++) {
    const day = await liveSiteDay(seed);
    expect([seed, day.faults]).toEqual([seed, []]);
    deaths += day.deaths;
    published += day.published;
  }
  expect(deaths).toBeGreaterThan(20);
  expect(published).toBeGreaterThan(5);
});

test("a batch is all or nothing, and a death before it leaves nothing of it", async () => {
  const db = new FakeD1();
  const { binding } = db;
  const write = (id: string) =>
    binding.prepare("INSERT INTO sites(id,name,created_at,updated_at) VALUES(?1,'A',1,1)").bind(id);
  await expect(binding.batch([write("one"), write("one")])).rejects.toThrow("UNIQUE");
  expect(db.rows("SELECT id FROM sites")).toEqual([]);
  db.crossing = async (when) => {
    if (when === "before") throw new Death("the worker died");
  };
  await expect(binding.batch([write("one")])).rejects.toThrow(Death);
  expect(db.rows("SELECT id FROM sites")).toEqual([]);
  db.close();
});
