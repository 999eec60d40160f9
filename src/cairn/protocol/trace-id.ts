import * as z from "zod";

/** The id of a request, which its sender may choose (`x-request-id`): it follows the request into the run, the trace and the notices. */

const TRACE_ID = /^[A-Za-z0-9_-]{8,64}$/;

export const isTraceId = (text: string): boolean => TRACE_ID.test(text);

/** The field of a frame or of a chat body. A header that does not fit is replaced, a field is refused. */
export const traceIdSchema = z.string().regex(TRACE_ID, "It must be 8 to 64 of A-Z a-z 0-9 _ -.");
