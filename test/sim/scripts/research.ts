import type { Deed, Script } from "../play.ts";
import type { Line } from "../platform/fake-model.ts";
import { FOUND, MIRROR, readWeb, searchWeb, webPlatform } from "../platform/web.ts";

/** Runs that search, read and cite, with the tools that ship. */

const asks: Deed = {
  when: "rest",
  act: (platform) =>
    platform.api.send(
      { subject: "ada", scopes: ["read", "send", "approve"], via: "http" },
      {
        id: "m1",
        digest: "m1",
        parts: [{ type: "text", text: "When do the passes open?" }],
        mode: "queue",
        source: "api",
        request: null,
        ask: { citations: "check" },
      },
    ),
};

const researched = (lines: readonly Line[], faults = 0): Pick<Script, "platform" | "deeds"> => ({
  platform: () => webPlatform(lines, { faults }).platform,
  deeds: [asks],
});

export const RESEARCH: readonly Script[] = [
  {
    name: "a question that is searched for, read about, and answered with what bears it out",
    ...researched([
      { calls: [searchWeb("passes")] },
      { calls: [readWeb(FOUND)] },
      { calls: [readWeb(`${FOUND}pass`)] },
      { text: "The Grimsel opens on 28 May 2026 [e1], the Gotthard on 15 May [e2]." },
    ]),
  },
  {
    name: "a search that is refused at first, and an answer with a mark of nothing",
    ...researched(
      [
        { calls: [searchWeb("passes")] },
        { calls: [readWeb(FOUND, MIRROR)] },
        { text: "The Grimsel opens on 28 May 2026 [e1], and it snows [e7]." },
        { text: "The Grimsel opens on 28 May 2026 [e1], and it may snow [e7]." },
      ],
      1,
    ),
    most: 1,
  },
];
