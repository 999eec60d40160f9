/** What has just unfolded is seen whole: the ref of its element. */
export function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
