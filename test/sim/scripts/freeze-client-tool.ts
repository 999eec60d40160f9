import { FakePlatform } from "../platform/platform.ts";
import { WHERE } from "../platform/client-tool.ts";
import { byStep, REPORT } from "../platform/fake-model.ts";
import { writeFrozen } from "./write-frozen.ts";

/**
 * `node test/sim/scripts/freeze-client-tool.ts v1-client`: a session whose run has had one answer of its client, and waits
 * for another.
 */
const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const platform = new FakePlatform(
  byStep({ calls: [["where", { name: "a" }]] }, { calls: [["where", { name: "b" }]] }, { text: REPORT }),
);
await platform.api.send(ADA, {
  id: "m1",
  parts: [{ type: "text", text: "Where am I?" }],
  mode: null,
  source: "web",
  request: null,
  ask: { clientTools: [WHERE] },
});
await platform.settle();
await platform.api.answerCall(ADA, { call: "r1s1c0", result: { kind: "output", value: "here" } });
await platform.settle();
writeFrozen(process.argv[2], platform);
