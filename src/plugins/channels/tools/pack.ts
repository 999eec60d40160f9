import { definePack } from "../../../cairn/tools/define.ts";
import { sendMessage } from "./send-message.ts";
import type { Messenger } from "./messenger.ts";

/** Messages to people besides the answer, in a deployment with channels. */
export const messagesPack = definePack<
  { readonly messenger: Messenger | null },
  { readonly messenger: Messenger }
>({
  name: "messages",
  tools: [sendMessage],
  prompts: ["messages"],
  services: ({ messenger }) =>
    messenger === null
      ? { unavailable: "No channel is set up: docs/channels.md of Cairn says how.", wanted: false }
      : { messenger },
});
