import type { JsonObject } from "../../../cairn/core/log/json.ts";

/** Stock photos for the library: a provider to search, whose photos are imported one by one. */

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
  /** lower case, the prefix of a photo's ID */
  readonly name: string;
  search(
    request: { readonly query: string; readonly orientation?: string; readonly limit: number },
    signal: AbortSignal,
  ): Promise<readonly StockPhoto[]>;
  load(photoId: string, signal: AbortSignal): Promise<StockArrival>;
}
