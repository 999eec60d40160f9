export * from "unpdf/pdfjs";
/** Sets how many steps all documents together may take from now on. */
export function limitSteps(steps: number): void;
export function addSteps(steps: number): void;
/** True once a document has taken more steps than were left. */
export function areStepsSpent(): boolean;
