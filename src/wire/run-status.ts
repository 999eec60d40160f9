/** The status of a run that has ended, by the class of its outcome. */
export const RUN_STATUS = {
  answered: "completed",
  partial: "completed",
  failed: "failed",
  cancelled: "cancelled",
} as const;
