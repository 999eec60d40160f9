import { parseBlocks } from "../../../src/plugins/channels/text/read-markdown.ts";
import { toPlain } from "../../../src/plugins/channels/text/plain.ts";
import { pushPayload } from "../../../src/plugins/channels/webpush/payload.ts";
import { parseChunk } from "../../../src/cli/chat/chunks.ts";
import { paint } from "../../../src/cli/chat/screen/ansi.ts";
import { NEW_VIEW, receiptWords, render } from "../../../src/cli/chat/screen/view.ts";
import { WaitingText } from "../../../src/cli/chat/waiting-text.ts";
import { asKind, type Entry, type EntryKind } from "../../../src/cairn/core/log/entry.ts";
import { textResult } from "../../../src/plugins/mcp-server/tasks.ts";
import type { RunState } from "../../../src/plugins/mcp-server/run-state.ts";
import { channelNoticesOf } from "../../../src/plugins/channels/session/notices.ts";
import { uiMessages } from "../../../src/cairn/protocol/stream/messages.ts";
import { RunStream } from "../../../src/cairn/protocol/stream/stream.ts";
import { sharedMessage } from "../../../src/cairn/protocol/shared.ts";
import { runView } from "../../../src/cairn/protocol/views.ts";
import { noticesOf } from "../../../src/cairn/webhooks/notices.ts";
import { CHAT, messengerPlatform } from "../../sim/channels/messenger.ts";
import type { Line } from "../../sim/platform/fake-model.ts";
import type { FakePlatform } from "../../sim/platform/platform.ts";
import type { ClaimCase } from "./format.ts";
import { claimsPack } from "./tools.ts";

/** One case through the real loop: its calls, then its answer, as often as it is asked for. */
export interface PlayedClaim {
  readonly one: ClaimCase;
  /** reasons for which the review sent it back */
  readonly sentBack: readonly string[];
  readonly outcome: string;
  /** what each surface shows, from its beginning */
  readonly surfaces: Readonly<Record<string, string>>;
}

export const SESSION = "ses";

export async function playClaim(one: ClaimCase): Promise<PlayedClaim> {
  const { calls, answer, place, wish } = one;
  const script = ({ step }: { readonly step: string }): Line => {
    const call = calls[Number(/s(\d+)$/.exec(step)?.[1] ?? 1) - 1];
    return call === undefined ? { text: answer } : { calls: [[call.tool, { name: call.name }]] };
  };
  const { platform } = messengerPlatform(script);
  const withMessages = platform.own;
  platform.own = (tools) => {
    withMessages?.(tools);
    tools.add(claimsPack(calls), null);
  };
  platform.bare = true;
  platform.restart();
  platform.say(wish, { wanted: { limits: {} }, ...(place === "page" ? {} : { origin: CHAT }) });
  for (let approvals = 0; approvals <= calls.length; approvals++) {
    await platform.settle(3_600_000);
    const phase = platform.state.run?.phase;
    if (phase?.at !== "waiting_approval") break;
    const waiting = calls[Number(/s(\d+)c/.exec(phase.approval.call)?.[1]) - 1];
    platform.decide(waiting?.status === "denied" ? "deny" : "approve");
  }
  return {
    one,
    sentBack: bodies(platform, "review").flatMap(({ accept, codes }) => (accept ? [] : codes)),
    outcome: bodies(platform, "run_ended")[0]?.outcome ?? "none",
    surfaces: surfacesOf(platform, wish),
  };
}

function bodies<Kind extends EntryKind>(platform: FakePlatform, kind: Kind): Entry<Kind>["body"][] {
  return platform.log.flatMap((entry) => asKind(entry, kind)?.body ?? []);
}

function surfacesOf(platform: FakePlatform, wish: string): Record<string, string> {
  const { log } = platform;
  const ended = log.find((entry) => entry.kind === "run_ended");
  const view = runView(SESSION, platform.state, log, wish);
  if (ended === undefined || view === null) throw new Error("the run has not ended");
  const [answer = null] = bodies(platform, "answer");
  const asked = bodies(platform, "run_queued")[0] ?? null;
  const around = { answer: () => answer, requestOf: () => asked, approval: () => null };
  const [webhook] = noticesOf(SESSION, ended, { ...around, links: () => null });
  // The channels take the same text wherever it goes; here it goes to one whatever the case says.
  const inChat = asked === null ? null : { ...asked, origin: CHAT };
  const [sent] = channelNoticesOf(SESSION, ended, {
    ...around,
    links: () => null,
    requestOf: () => inChat,
    deciders: () => [],
    owner: () => "ada",
    budgetQuestion: () => null,
    shownQuestions: () => [],
  });
  const text = sent?.note.type === "message" ? sent.note.text : "";
  const message = uiMessages(SESSION, log, 0).findLast(({ role }) => role === "assistant");
  const state: RunState = {
    runId: view.id,
    sessionId: SESSION,
    status: "completed",
    receipt: view.receipt,
    answer: view.answer,
    partial: view.partial,
    reason: view.reason,
    progress: null,
    waitingFor: null,
    steps: view.steps,
    createdAt: view.createdAt,
    updatedAt: view.createdAt,
  };
  const shared = message === undefined ? null : sharedMessage(message);
  return {
    terminal: terminalOf(log),
    page: linesOf(message?.metadata?.["receipt"]) + (shared?.text ?? ""),
    shared: linesOf(shared?.receipt) + (shared?.text ?? ""),
    run: inOrder({ ...view }),
    webhook: inOrder((JSON.parse(webhook?.body ?? "{}") as { readonly data?: object }).data ?? {}),
    mcp: textResult(state)
      .content.slice(0, 2)
      .map((part) => part.text)
      .join("\n"),
    chat: toPlain(parseBlocks(text)),
    push: pushPayload({ kind: "final", text }, parseBlocks(text), "t").body,
  };
}

const linesOf = (receipt: unknown): string => {
  const { lines = [] } = (receipt ?? {}) as { readonly lines?: readonly { readonly text: string }[] };
  return lines.map(({ text }) => `${text}\n`).join("");
};

/** The receipt and the answer of a record, in the order in which it has them. */
function inOrder(record: { readonly receipt?: unknown; readonly answer?: unknown }): string {
  return Object.entries(record)
    .map(([key, value]) =>
      key === "receipt" ? linesOf(value) : key === "answer" ? `${String(value)}\n` : "",
    )
    .join("");
}

function terminalOf(log: readonly Entry[]): string {
  const stream = new RunStream(SESSION, "r1");
  for (const entry of log) stream.accept(entry);
  const waiting = new WaitingText();
  let view = NEW_VIEW;
  let screen = "";
  for (const { chunk: raw } of stream.after(0)) {
    const chunk = parseChunk({ ...raw });
    if (chunk === null || waiting.takes(chunk)) continue;
    const receipt = receiptWords(chunk);
    if (receipt !== null) screen += `${receipt}\n`;
    for (const shown of [...waiting.release(chunk), chunk]) {
      const rendered = render(view, shown);
      view = rendered.view;
      screen += paint(rendered.pieces, false);
    }
  }
  return screen;
}

/** Faults of a case: its receipt is missing or late on some surface, or a true answer failed. */
export function faultsOf({ one, surfaces, outcome }: PlayedClaim): string[] {
  const faults: string[] = [];
  if (one.label === "true") {
    if (outcome !== "completed" && outcome !== "completed_partial") faults.push(`true, ended ${outcome}`);
    return faults;
  }
  for (const [name, shown] of Object.entries(surfaces)) {
    const plain = toPlain(parseBlocks(one.answer));
    // Start of the answer, with or without its Markdown marks.
    const places = [one.answer, plain].map((text) => shown.indexOf(text.slice(0, 20)));
    const at = Math.max(...places);
    for (const said of one.receipt) {
      const place = shown.indexOf(said);
      if (place < 0) faults.push(`${name}: the receipt does not say “${said}”`);
      else if (at >= 0 && at < place) faults.push(`${name}: the answer comes before “${said}”`);
    }
    if (at < 0) faults.push(`${name}: the answer is not shown`);
  }
  return faults;
}
