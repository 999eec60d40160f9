/** A promise, and the other end of it. */
export interface Signal {
  readonly came: Promise<void>;
  readonly fire: () => void;
}

export function signal(): Signal {
  let fire = () => {};
  const came = new Promise<void>((resolve) => (fire = resolve));
  return { came, fire };
}
