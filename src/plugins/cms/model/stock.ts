import type { JsonObject } from "../../../cairn/core/log/json.ts";

/** Stock photos as the library takes them: a provider is searched, and its photos are brought in one by one. */

export interface StockPhoto {
  readonly photoId: string;
  readonly thumb: string;
  readonly photographer: string;
  readonly alt: string;
  readonly width: number;
  readonly height: number;
}

export interface StockArrival {
  /** such as `pexels:2014422` */
  readonly sourceRef: string;
  readonly filename: string;
  readonly alt: string;
  readonly attribution: JsonObject;
  download(): Promise<Uint8Array>;
}

export interface StockProvider {
  /** lower case, as it stands before the id of a photo */
  readonly name: string;
  search(
    request: { readonly query: string; readonly orientation?: string; readonly limit: number },
    signal: AbortSignal,
  ): Promise<readonly StockPhoto[]>;
  load(photoId: string, signal: AbortSignal): Promise<StockArrival>;
}
