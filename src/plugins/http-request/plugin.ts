import { offered, type Plugin } from "../../cairn/plugin.ts";
import { httpPack } from "./pack.ts";

/** Requests to APIs, and the secrets that they carry. */
export const httpRequest = (): Plugin => ({
  name: "http-request",
  tools: ({ env }) => [offered(httpPack, env)],
});
