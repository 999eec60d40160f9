/** Ref of an element that has just unfolded: scrolls it into view. */
export function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
