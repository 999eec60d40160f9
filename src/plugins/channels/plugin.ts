import { offered, type Plugin } from "../../cairn/plugin.ts";
import { messagesPack } from "./tools/pack.ts";

/** Messages to people in chats and by mail. */
export const channels = (): Plugin => ({
  name: "channels",
  tools: ({ services: { messenger = null } }) => [offered(messagesPack, { messenger })],
});
