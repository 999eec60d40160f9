import type { Transcriber } from "../../../src/plugins/channels/transcriber.ts";
import { SPOKEN } from "../../foreign/chats/brought.ts";

/** Says of a recording what its file is called by: the stand-ins of the vendors answer the name of each file. */
export const spokenWords: Transcriber = {
  transcribe: async ({ bytes }) => {
    const name = new TextDecoder().decode(bytes).replace(/^Words of (.*)\.$/, "$1");
    const text = SPOKEN[name] ?? "";
    return /\w/.test(text)
      ? { kind: "written", text }
      : { kind: "failed", message: "No words can be heard in it." };
  },
};
