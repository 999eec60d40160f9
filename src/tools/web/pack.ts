import { definePack } from "../define.ts";
import { accessOf, type AccessBindings, type WebAccess } from "./access.ts";

/** What of the environment the tools of the web read. */
export interface WebBindings extends AccessBindings {
  readonly WEB?: unknown;
}

export interface WebServices {
  readonly access: WebAccess;
}

/** Tools that read the world. Off unless the deployment wants them: a prompt should not pay for what nobody asked for. */
export const webPack = definePack<WebBindings, WebServices>({
  name: "web",
  tools: [],
  prompts: [],
  services: (env) => (isOn(env.WEB) ? { access: accessOf(env) } : { unavailable: OFF, wanted: false }),
});

const OFF = "The web is off here: set WEB to on (docs/configuration.md).";

/** Text from the shell, or a value of TOML. Whatever is not plainly on is off. */
export const isOn = (value: unknown): boolean =>
  value === true || (typeof value === "string" && ["on", "1", "true"].includes(value.trim().toLowerCase()));
