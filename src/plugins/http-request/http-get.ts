import * as z from "zod";
import { defineTool } from "../../cairn/tools/define.ts";
import { isAllowed } from "../../cairn/outbound/safe-url.ts";
import {
  checkRequest,
  headersField,
  linesOf,
  refuseBusy,
  send,
  requestAnswer,
  urlField,
  type HttpServices,
} from "../../cairn/tools/requests/request.ts";

const input = z.strictObject({
  url: urlField,
  method: z.enum(["GET", "HEAD"]).default("GET"),
  headers: headersField,
});

/** Reads an address. Hosts that the operator has named are read at once; a person is asked for any other. */
export const httpGet = defineTool({
  name: "http_get",
  title: "Read over HTTP",
  description:
    "Reads an address of an API over HTTP. Returns the status, some headers and the text, whatever the status. For pages that people read, another tool serves better.",
  input,
  effect: "read",
  tier: "open",
  reads: "outside",
  reach: "external",
  approval: "depends",
  shape: { target: ["url"] },
  preview: (asked, { services }: { readonly services: HttpServices }) => {
    checkRequest(asked, services);
    const { hostname, host } = new URL(asked.url);
    const isFree = services.readable.some((entry) => isAllowed(hostname, entry));
    return Promise.resolve({
      need: isFree
        ? ({ kind: "none" } as const)
        : ({ kind: "ask", reason: `${host} is not among the hosts that are read without asking.` } as const),
      title: `Read from ${host}`,
      summary: `Sends ${asked.method} to ${asked.url}.`,
      impact: linesOf(asked),
      basis: null,
    });
  },
  run: async (asked, { services, signal }) => {
    const response = await send(asked, services, signal);
    refuseBusy(response);
    return requestAnswer(response);
  },
});
