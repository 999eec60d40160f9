import * as z from "zod";
import { defineTool } from "../../cairn/tools/define.ts";
import {
  checkRequest,
  headersField,
  linesOf,
  sendEffect,
  urlField,
  type HttpServices,
} from "../../cairn/tools/requests/request.ts";

const BODY_CHARS_MAX = 32_768;

const input = z.strictObject({
  url: urlField,
  method: z.enum(["POST", "PUT", "PATCH", "DELETE"]),
  headers: headersField,
  body: z.string().max(BODY_CHARS_MAX).optional().describe("Name its type in the header content-type"),
});

/** Changes something elsewhere. A person approves the whole request; it is sent once, whatever its outcome. */
export const httpRequest = defineTool({
  name: "http_request",
  title: "Send over HTTP",
  description:
    "Sends a request that may change something to an API over HTTP. A person is asked each time. Returns the status, some headers and the text, whatever the status.",
  input,
  effect: "once",
  tier: "external",
  verbs: ["send"],
  repeatable: true,
  shape: { target: ["url"] },
  preview: (asked, { services }: { readonly services: HttpServices }) => {
    checkRequest(asked, services);
    const { host } = new URL(asked.url);
    const { body } = asked;
    return Promise.resolve({
      need: {
        kind: "ask",
        reason: "It may change something outside, and cannot be taken back from here.",
      } as const,
      title: `Send ${asked.method} to ${host}`,
      summary: `Sends ${asked.method} to ${asked.url}${body === undefined ? " without a body" : ` with ${body.length} characters`}.`,
      impact: [...linesOf(asked), ...(body === undefined ? [] : [body])],
      basis: null,
    });
  },
  run: (asked, { services, signal }) => sendEffect(asked, services, signal),
});
