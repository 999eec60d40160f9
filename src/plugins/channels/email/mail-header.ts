/** One header of a mail, unfolded. */
export interface MailHeader {
  /** in lower case */
  readonly key: string;
  readonly value: string;
}
