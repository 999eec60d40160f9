import type { ErrorClass } from "../../cairn/core/log/tool.ts";

/** Result of running code. A program that fails is a result: its earlier output is useful. */
export interface CodeResult {
  readonly output: string;
  /** what it returned, as text; null where it returned nothing */
  readonly value: string | null;
  readonly failed: { readonly message: string; readonly line: number | null } | null;
  /** characters that are not shown */
  readonly left: number;
}

/** The machinery did not work, whatever the code is. */
export interface CodeFault {
  readonly class: ErrorClass;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** A file that the code may read. */
export interface CodeFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** characters of what it prints and returns, each */
export const OUTPUT_CHARS_MAX = 65_536;

export const TOO_LONG = "It ran for too long and was stopped.";
