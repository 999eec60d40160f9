/** A refusal of the API: its code, its sentence, and what to do about it. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0 when nothing answered at all */
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly issues: readonly FieldIssue[];
  /** whole seconds, of a 429 */
  readonly retryAfter: number | null;
  /** all that came with the refusal, as what became of something meanwhile */
  readonly answer: unknown;

  constructor(
    status: number,
    error: Partial<ErrorBody>,
    retryAfter: number | null = null,
    answer: unknown = null,
  ) {
    super(error.message ?? "Something went wrong.");
    this.status = status;
    this.code = error.code ?? "unknown";
    this.hint = error.hint ?? null;
    this.issues = error.issues ?? [];
    this.retryAfter = retryAfter;
    this.answer = answer;
  }
}

/** the body of a refusal, as far as the page reads it */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly issues: readonly FieldIssue[];
}

/** An error in one field of the request. */
export interface FieldIssue {
  readonly path: string;
  readonly message: string;
  /** a similar valid value */
  readonly suggestion?: string;
}

const NOT_ACCEPTED = "Invalid input. Check your entries.";

/** The message for the person, whatever was thrown. */
export function sentenceOf(failure: unknown): string {
  if (!(failure instanceof ApiError))
    return failure instanceof Error ? failure.message : "Something went wrong.";
  // Issues of fields are worded for programs; so is a hint that names an address or a variable.
  if (failure.code === "invalid_request" || failure.code === "unknown_field") return NOT_ACCEPTED;
  const issues = failure.issues.map(({ message }) => message);
  const hints =
    failure.hint === null || /\/api\/|\b[A-Z]+_[A-Z_]+\b/.test(failure.hint) ? [] : [failure.hint];
  return [...new Set([failure.message, ...issues, ...hints])].filter((part) => part !== "").join(" ");
}
