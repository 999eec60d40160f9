import * as z from "zod";
import { addressName, MESSAGE_KINDS, ORIGIN, SEND_MESSAGE } from "../../../cairn/core/address.ts";
import { digestOf } from "../../../cairn/core/log/digest.ts";
import { defineTool, ToolError } from "../../../cairn/tools/define.ts";
import type { Messenger } from "./messenger.ts";

const TEXT_CHARS_MAX = 12_000;
const NAME_CHARS_MAX = 200;

const input = z.strictObject({
  text: z.string().trim().min(1).max(TEXT_CHARS_MAX).describe("Markdown, in the person's language"),
  to: z
    .string()
    .min(1)
    .max(NAME_CHARS_MAX)
    .default(ORIGIN)
    .describe("A name of the address book; without it, whoever asked"),
  kind: z
    .enum(MESSAGE_KINDS)
    .default("progress")
    .describe(
      "ack: you have begun; progress: what is done so far; final: the answer; failure: what cannot be done",
    ),
});

/** Sends a message to a person during a run, to the chat of the request or to a named address. */
export const sendMessage = defineTool({
  name: SEND_MESSAGE,
  version: 1,
  title: "Send a message",
  description:
    "Sends a message to the person who asked, or to a name of the address book, while you work. Your answer reaches whoever asked by itself.",
  input,
  effect: "once",
  kind: "send",
  tier: "external",
  // The recipient decides whether approval is needed, not the tool.
  approval: "never",
  reads: "none",
  verbs: ["send"],
  shape: { target: ["to"], value: ["text"], query: null, message: true },
  sendTo: ({ to }, { messenger }: { readonly messenger: Messenger }) => {
    if (to === ORIGIN) return { name: ORIGIN, known: true, configured: true };
    const address = messenger.find(to);
    return {
      name: address === null ? to : addressName(address),
      known: address !== null,
      configured: address !== null && messenger.has(address),
    };
  },
  preview: ({ to, text }, { services: { messenger } }) => {
    const address = recipientOf(messenger, to);
    const named = to === ORIGIN ? "whoever asked" : `“${to}”`;
    const target = address === null ? "the page" : addressName(address);
    return Promise.resolve({
      // The recipient decides whether a person is asked: a message to the requester needs no approval.
      need: { kind: "none" } as const,
      title: `Send a message to ${to === ORIGIN ? "whoever asked" : to}`,
      summary: `Sends ${text.length} characters to ${named}.`,
      impact: [`Recipient: ${target}`],
      basis: digestOf({ place: target }),
    });
  },
  run: async ({ text, to, kind }, { services: { messenger }, approved, key, signal }) => {
    const address = recipientOf(messenger, to);
    const target = address === null ? "the page" : addressName(address);
    if (approved !== null && approved.basis !== null && approved.basis !== digestOf({ place: target }))
      throw new ToolError("conflict", "approval_stale", "The recipient is not the one that was approved.", {
        hint: "Call the tool again: a person is asked about the recipient as it is now.",
      });
    // On the page the call itself is in the conversation.
    if (address === null) return { sent: true, to: "the page" };
    const sent = await messenger.send({ kind, text }, address, key, signal);
    if (sent.heldUntil !== undefined)
      return {
        sent: false,
        to: sent.to,
        heldUntil: sent.heldUntil,
        note: "The person is left alone in these hours: it goes out at their end, by itself. Do not send it again.",
      };
    if (sent.restAt !== undefined)
      return {
        sent: true,
        to: sent.to,
        arrivedParts: sent.arrived,
        restAt: sent.restAt,
        note: "Its first parts have arrived; the rest goes out by itself. Do not send it again.",
      };
    return { sent: true, to: sent.to, receipt: sent.receipt };
  },
});

const recipientOf = (messenger: Messenger, to: string): ReturnType<Messenger["find"]> =>
  to === ORIGIN ? messenger.origin() : messenger.find(to);
