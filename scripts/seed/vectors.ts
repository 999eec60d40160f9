// The seed site's drawings, written by hand. Used by draw.ts only.

interface Vector {
  readonly width: number;
  readonly height: number;
  readonly svg: string;
}

const svg = (width: number, height: number, body: string): Vector => ({
  width,
  height,
  svg: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${body}</svg>\n`,
});

/** Five pairs of leaflets along a bent stem, in a disc. */
const leaflets = [0, 1, 2, 3, 4]
  .map((i) => {
    const y = 74 - i * 11;
    const reach = 23 - i * 4;
    const leaf = (side: 1 | -1) =>
      `M48 ${y}q${side * reach * 0.45} ${-reach * 0.75} ${side * reach} ${-reach * 0.55}q${-side * reach * 0.15} ${reach * 0.75} ${-side * reach} ${reach * 0.55}z`;
    return leaf(1) + leaf(-1);
  })
  .join("");

const rings = [34, 62, 92, 124, 160, 200]
  .map((r, i) => {
    const wobble = (k: number) => Math.round(r * (1 + 0.12 * Math.sin(k * 2.3 + i * 0.5)));
    const [a, b, c, d] = [wobble(1), wobble(2), wobble(3), wobble(4)] as const;
    return (
      `<path d="M${200 - a} 150C${200 - a} ${150 - b * 0.7} ${200 - c * 0.4} ${150 - b * 0.8} 200 ${150 - b * 0.75}` +
      `S${200 + c} ${150 - d * 0.5} ${200 + c} 150S${200 + d * 0.5} ${150 + a * 0.7} 200 ${150 + d * 0.72}S${200 - a} ${150 + c * 0.5} ${200 - a} 150z"/>`
    );
  })
  .join("");

const ticks = Array.from({ length: 24 }, (_, i) => {
  const angle = (i * Math.PI) / 12;
  const inner = i % 6 === 0 ? 96 : 104;
  const at = (r: number) =>
    `${(150 + r * Math.sin(angle)).toFixed(1)} ${(150 - r * Math.cos(angle)).toFixed(1)}`;
  return `M${at(inner)}L${at(114)}`;
}).join("");

export const VECTORS: Record<string, Vector> = {
  logo: svg(
    96,
    96,
    `<circle cx="48" cy="48" r="48" fill="#2f6b4f"/><path d="M48 86V18" stroke="#eef4e8" stroke-width="3" stroke-linecap="round"/><path d="${leaflets}" fill="#eef4e8"/>`,
  ),
  contours: svg(
    400,
    300,
    `<rect width="400" height="300" fill="#eef0e2"/><g fill="none" stroke="#7f9f7c" stroke-width="2">${rings}</g><path d="M40 262C96 236 92 196 140 190S196 214 214 172 262 128 322 120" fill="none" stroke="#b5562f" stroke-width="4" stroke-linecap="round" stroke-dasharray="2 10"/><path d="M322 120l-9-17 9-8 9 8z" fill="#b5562f"/>`,
  ),
  compass: svg(
    300,
    300,
    `<rect width="300" height="300" fill="#e9efe9"/><circle cx="150" cy="150" r="122" fill="#fbfaf4" stroke="#2f6b4f" stroke-width="6"/><path d="${ticks}" stroke="#6d8577" stroke-width="3" stroke-linecap="round"/><g transform="rotate(28 150 150)"><path d="M150 62l17 88h-34z" fill="#b5562f"/><path d="M150 238l17-88h-34z" fill="#33503f"/></g><circle cx="150" cy="150" r="8" fill="#fbfaf4"/>`,
  ),
};
