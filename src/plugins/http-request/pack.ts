import { definePack } from "../../cairn/tools/define.ts";
import { HOST_NAME, isOn, textOf } from "../../cairn/outbound/bindings.ts";
import { httpAccessOf, type HttpAccessBindings } from "../../cairn/tools/requests/access.ts";
import { httpGet } from "./http-get.ts";
import { httpRequest } from "./http-request.ts";
import type { HttpServices } from "../../cairn/tools/requests/request.ts";
import { readSecrets } from "../../cairn/tools/requests/secrets.ts";

/** Environment of the API tools. */
export interface HttpBindings extends HttpAccessBindings {
  readonly HTTP?: unknown;
  readonly HTTP_READS?: unknown;
  readonly HTTP_SECRETS?: unknown;
}

const OFF = "Requests to APIs are off here: set HTTP to on (docs/configuration.md of Cairn).";

/** Requests to APIs over HTTP. Off unless the deployment wants them. */
export const httpPack = definePack<HttpBindings, HttpServices>({
  name: "http",
  tools: [httpGet, httpRequest],
  prompts: [],
  shortList: [],
  services: (env) => {
    if (!isOn(env.HTTP)) return { unavailable: OFF, wanted: false };
    const secrets = readSecrets(env.HTTP_SECRETS);
    if (secrets === null)
      return { unavailable: 'HTTP_SECRETS must be {"NAME":{"value":"…","hosts":["api.example.com"]}}.' };
    const readable = textOf(env.HTTP_READS)
      .split(",")
      .map((entry) => entry.trim().toLowerCase())
      .filter((entry) => entry !== "");
    const wrong = readable.find((entry) => !HOST_NAME.test(entry.replace(/^\*\./, "")));
    if (wrong !== undefined) return { unavailable: `HTTP_READS names ${wrong}, which is no host.` };
    const access = httpAccessOf(env);
    return "unavailable" in access ? access : { access, readable, secrets };
  },
});
