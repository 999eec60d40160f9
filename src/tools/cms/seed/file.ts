/** An image of the seed site. Its bytes are a static file of the deployment, so that the worker does not carry them. */
export interface SeedFile extends SeedBytes {
  readonly filename: string;
  readonly ext: string;
  readonly mediaType: string;
  readonly variants: readonly (SeedBytes & { readonly format: string })[];
}

export interface SeedBytes {
  /** path among the static files */
  readonly asset: string;
  /** of the bytes, 64 hex digits */
  readonly sha256: string;
  /** pixels */
  readonly width: number;
  readonly height: number;
  readonly byteSize: number;
}
