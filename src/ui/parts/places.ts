import { useAnswer } from "../api.ts";
import type { KnownPlace } from "./channel-words.ts";

/** Where somebody is to be asked, and when not: `GET /api/me/notify`. */
export const NOTIFY = "/api/me/notify";

export interface Place extends KnownPlace {
  readonly channel: string;
  /** it takes no messages any more */
  readonly blocked: boolean;
}

export interface NotifySettings {
  /** of the IANA list; null while nobody has said */
  readonly zone: string | null;
  /** `22:00`, in `zone` */
  readonly quiet: { readonly from: string; readonly to: string } | null;
  /** the id of a place, or one of these two */
  readonly ask: string;
  readonly places: readonly Place[];
}

const NONE: readonly Place[] = [];

/** The places at which this person is written to; none while nobody knows them. */
export const usePlaces = (): readonly Place[] => useAnswer<NotifySettings>(NOTIFY).data?.places ?? NONE;
