/** An image of the seed site with its bytes. */
export interface SeedFile extends SeedBytes {
  readonly filename: string;
  readonly ext: string;
  readonly mediaType: string;
  /** of the original's bytes, 64 hex digits */
  readonly sha256: string;
  readonly variants: readonly (SeedBytes & { readonly format: string })[];
}

export interface SeedBytes {
  /** pixels */
  readonly width: number;
  readonly height: number;
  readonly byteSize: number;
  readonly base64: string;
}
