import { expect, test } from "vitest";
import { Chance } from "../platform/chance.ts";
import { HostileClients } from "./hostile-clients.ts";

const SEEDS = Array.from({ length: 40 }, (_, n) => n + 1);

test.each(SEEDS)(
  "of hostile clients, seed %i, nothing is half applied, applied twice or run unapproved",
  async (seed) => {
    const clients = new HostileClients(new Chance(seed));
    await clients.play(60);
    expect(clients.faults).toEqual([]);
  },
);
