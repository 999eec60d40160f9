/**
 * One input as another program writes it, and what Cairn must make of it.
 *
 * @example
 * { name: "a list that ends with a null cursor", source: "https://…", input: { tools: [], nextCursor: null }, value: [] }
 */
export interface ForeignRow<Input, Value> {
  /** the input in a few words: the name of its test */
  readonly name: string;
  /** address of the page, package or report that documents or shows this shape */
  readonly source: string;
  readonly input: Input;
  /** the right value, written by hand and never copied from what Cairn answers */
  readonly value: Value;
}
