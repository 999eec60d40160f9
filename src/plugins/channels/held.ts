import type { ChannelName } from "../../cairn/core/address.ts";

/** Messages that are held until they are complete: an album comes as one request for each of its files. */

/** A message, or a part of one, as the object that holds it is given it. */
export interface HeldPart {
  readonly channel: ChannelName;
  /** `deliveryId` of the message that the parts are together */
  readonly whole: string;
  /** the same in every edit of the part */
  readonly position: number;
  /** of this version of the part */
  readonly deliveryId: string;
  /** of this version, milliseconds since 1970 */
  readonly at: number;
  readonly isEdit: boolean;
  /** as in `AlbumPart` */
  readonly files: string;
  /** of the request, as JSON */
  readonly body: string;
  /** milliseconds without a further part after which the message is complete */
  readonly quietMs: number;
}

/** The parts of one message, complete. */
export interface HeldMessage {
  readonly channel: ChannelName;
  /** of the message that they are */
  readonly deliveryId: string;
  /** `deliveryId` of the message to which they belong; null: they are that message */
  readonly follows: string | null;
  readonly parts: readonly HeldVersion[];
}

export interface HeldVersion {
  readonly body: string;
  readonly isEdit: boolean;
  /** an earlier version had the same files */
  readonly hasSentFiles: boolean;
}

/** Puts the part into the object of this name, durably. */
export type Hold = (name: string, part: HeldPart) => Promise<void>;

/** The object that holds parts, as the worker calls it. */
export interface IntakeStub {
  take(part: HeldPart): Promise<void>;
}
