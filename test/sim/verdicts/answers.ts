import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import { CHAT, messengerPlatform } from "../channels/messenger.ts";
import { REPORT, type Line } from "../platform/fake-model.ts";
import type { FakePlatform } from "../platform/platform.ts";
import { readWeb, webPlatform } from "../platform/web.ts";
import {
  broken,
  calls,
  exactly,
  look,
  put,
  run,
  saysBy,
  withMore,
  type Called,
  type Scenarios,
} from "./scenario.ts";

const message = (text: string, more: object = {}): Called => ["send_message", { text, ...more }];
const plan: Called = [
  "update_plan",
  {
    goal: "An About page",
    items: [{ id: "p1", text: "publish the About page", kind: "do", status: "open" }],
  },
];

/** In a chat: one line a step. */
const inChat = (deliver: "reply" | "tool", ...lines: readonly Line[]): Promise<FakePlatform> => {
  const { platform } = messengerPlatform(
    ({ step }) =>
      lines[Number(/s(\d+)$/.exec(step)?.[1] ?? 1) - 1] ?? { text: "Everything is done as you asked." },
  );
  return run(platform, { origin: CHAT, spec: { ...PLAIN_SPEC, deliver } }, "Research the huts and report");
};

const researched = (citations: "check" | "require", ...texts: readonly string[]): Promise<FakePlatform> =>
  run(
    webPlatform([calls(readWeb("https://passes.example/pass")), ...texts.map((text) => ({ text }))]).platform,
    { spec: { ...PLAIN_SPEC, citations } },
    "When does it open?",
  );

/** Why an answer is sent back, or not. */
export const ANSWERS: Scenarios = {
  NO_SEND: () =>
    inChat(
      "tool",
      calls(look("a")),
      { text: "The look at a shows that it is there." },
      calls(message(REPORT, { kind: "final" })),
      { text: "" },
    ),
  UNSENT_RESULTS: () =>
    inChat(
      "tool",
      calls(message("I look at a and then at b.", { kind: "ack" })),
      calls(look("b")),
      { text: "" },
      calls(message("The look at b shows what it is: there.", { kind: "final" })),
      { text: "" },
    ),
  ACK_ONLY: () =>
    inChat(
      "tool",
      calls(message("On it, working on it.", { kind: "ack" })),
      { text: "" },
      { text: "" },
      { text: "" },
    ),
  EMPTY_PROMISE: () =>
    run(
      exactly(
        calls(look("a")),
        { text: "a is there. I will get back to you later with the rest." },
        { text: REPORT },
      ),
    ),
  ERROR_UNRESOLVED: () => {
    const platform = exactly(
      calls(put("a")),
      { text: "The page is there now." },
      { text: "The put of a failed." },
    );
    platform.effects.broken.set("put", broken("conflict"));
    return run(platform, {}, "Put a there.");
  },
  PLAN_ITEMS_OPEN: () =>
    run(
      exactly(
        calls(plan, look("a")),
        { text: REPORT },
        { text: "I did not publish the About page; that is not done yet." },
      ),
    ),
  CLAIM_UNBACKED: () =>
    run(
      exactly({ text: "I have published the page." }, { text: "I have not published the page." }),
      {},
      "Publish the page.",
    ),
  NOTHING_CHANGED: () =>
    run(
      exactly(
        calls(put("a")),
        { text: "Everything is in place for your visitors." },
        { text: "Nothing was changed." },
      ),
      { role: "guest" },
      "Put a there.",
    ),
  BAD_CITATION: () => researched("check", "On 15 May [e7].", "On 15 May [e1]."),
  NO_CITATION: () => researched("require", "It opens on 15 May 2026.", "It opens on 15 May 2026 [e1]."),
  REVIEW_CAP: () =>
    inChat(
      "tool",
      calls(message("On it, working on it.", { kind: "ack" })),
      { text: "" },
      { text: "" },
      { text: "" },
    ),
  REVIEW_NO_STEP: () =>
    run(exactly({ text: "I have published the page." }), { limits: { steps: 2 } }, "Publish the page."),
};

/** Scenarios of messages during a run. */
export const MESSAGES: Scenarios = {
  CHANNEL_DENY: () =>
    inChat("reply", calls(message("Hello.", { to: "telegram:99" })), {
      text: "I do not know where to write to.",
    }),
  SEND_DUPLICATE: () =>
    inChat("reply", calls(message("Found three huts.")), calls(message("Found three huts.")), {
      text: "Three huts.",
    }),
  SEND_SIMILAR: () =>
    inChat(
      "reply",
      calls(message("Please wait while the northern huts are counted carefully.")),
      calls(message("Please wait while the northern huts are counted again carefully.")),
    ),
  SEND_ONE_PER_STEP: () =>
    inChat("reply", calls(message("The first hut is open."), message("So is the second one up there."))),
  SEND_COOLDOWN: () =>
    inChat(
      "reply",
      calls(message("Two of five pages are looked through already.")),
      calls(message("Meanwhile the others follow soon enough.")),
    ),
  PLACEHOLDER: () => inChat("reply", calls(message("Hello {{name}}, the hut is open."))),
  NUDGE_SOFT: () => run(silent()),
  NUDGE_HARD: () => run(silent()),
};

const silent = (): FakePlatform =>
  withMore(
    saysBy((step) => (step <= 9 ? calls(look(`p${step}`)) : { text: REPORT })),
    { tells: true },
  );
