import type { MessageKind } from "../../../../cairn/core/address.ts";

/** The payload of a push to the page's service worker, as JSON. */
export interface PushPayload {
  readonly kind: MessageKind;
  readonly title: string;
  readonly body: string;
  /** what is opened when it is clicked, of this origin; null: the page */
  readonly url: string | null;
  /** a notification with the same one takes its place */
  readonly tag: string;
}
