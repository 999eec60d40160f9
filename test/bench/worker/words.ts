/** Instructions for the peers; Cairn has its own. */
export const INSTRUCTIONS = "You are an assistant that works with tools.";

/** Text of a message of a seeded history: 200 characters, as a short paragraph has. */
export function seededText(index: number): string {
  return `message ${index} `.padEnd(200, "lorem ipsum dolor sit amet ");
}

/** Roles take turns, and a person begins. */
export function seededRole(index: number): "user" | "assistant" {
  return index % 2 === 0 ? "user" : "assistant";
}
