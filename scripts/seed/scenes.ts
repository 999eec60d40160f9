// Three landscapes in 16 colours each: layers of hills, seen from the farthest to the nearest. Used by draw.ts only.

type Rgb = readonly [number, number, number];

/** `prepare` gets the horizontal place of every column, in heights of the picture (0 … 16/9), and gives the painter. */
export interface Scene {
  readonly palette: readonly Rgb[];
  prepare(columns: readonly number[]): (column: number, v: number) => number;
}

const rgb = (hex: string): Rgb => [
  Number.parseInt(hex.slice(0, 2), 16),
  Number.parseInt(hex.slice(2, 4), 16),
  Number.parseInt(hex.slice(4, 6), 16),
];
const colors = (text: string) => text.split(" ").map(rgb);

/** A number in [0, 1) from an integer: chance that is the same on every machine. */
function chance(n: number): number {
  let x = Math.imul(n ^ 0x9e3779b9, 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0) / 0x1_0000_0000;
}

/** Smooth value noise in [-1, 1]. */
function noise(seed: number, x: number): number {
  const cell = Math.floor(x);
  const t = x - cell;
  const eased = t * t * (3 - 2 * t);
  const a = chance(seed * 7919 + cell);
  const b = chance(seed * 7919 + cell + 1);
  return (a + (b - a) * eased) * 2 - 1;
}

interface Hills {
  seed: number;
  /** height of the crest line, 0 top … 1 bottom */
  base: number;
  rise: number;
  /** bumps per picture height */
  pace: number;
  /** 0 rolling … 1 craggy */
  crag?: number;
}

function crest({ seed, base, rise, pace, crag = 0.4 }: Hills, u: number): number {
  let sum = 0;
  let share = 1;
  let total = 0;
  for (let octave = 0; octave < 5; octave++) {
    const n = noise(seed + octave * 31, u * pace * 2 ** octave + seed * 3.7);
    // Craggy ridges fold the noise, so that crests are sharp and hollows are round.
    sum += share * ((1 - crag) * n + crag * (1 - 2 * Math.abs(n)));
    total += share;
    share *= octave === 0 ? 0.42 : 0.46;
  }
  return base - (rise * sum) / total;
}

/** A row of pines standing on a line: the top of the treetops for each column. */
function pines(
  seed: number,
  columns: readonly number[],
  ground: (u: number) => number,
  size: number,
  gap: number,
) {
  const trees = Array.from({ length: Math.ceil(2 / gap) }, (_, i) => ({
    u: (i + 0.2 + 0.6 * chance(seed + i)) * gap - 0.1,
    tall: size * (0.45 + 0.75 * chance(seed + 500 + i)) * (0.55 + 0.45 * Math.abs(noise(seed + 9, i * 0.35))),
  }));
  const near = columns.map((u) => trees.filter((tree) => Math.abs(tree.u - u) < tree.tall * 0.24));
  return (column: number, v: number): boolean => {
    const u = columns[column]!;
    return near[column]!.some((tree) => {
      const top = ground(tree.u) - tree.tall;
      const down = (v - top) / tree.tall;
      if (down < 0 || down > 1.15) return false;
      const tier = (down * 5) % 1;
      return Math.abs(u - tree.u) < tree.tall * (0.015 + 0.19 * down * (0.62 + 0.38 * tier));
    });
  };
}

const inDisc = (u: number, v: number, x: number, y: number, radius: number) =>
  (u - x) ** 2 + (v - y) ** 2 < radius ** 2;

/** Dawn over a chain of ridges: 0–5 sky, 6 sun, 7 its halo, 8–13 ridges, 14 and 15 pines. */
const ridge: Scene = {
  palette: colors(
    "8fb4c4 a9c3c8 c6d2c8 e0dcc4 f0e0bf f6e3c0 fff6dc fbecc9 b9c9c4 9bb5b3 7b9f9d 5b8683 3f6c66 2a524b 1b3c36 122b27",
  ),
  prepare(columns) {
    const ridges = [
      { seed: 11, base: 0.46, rise: 0.13, pace: 1.5, crag: 0.75 },
      { seed: 23, base: 0.545, rise: 0.12, pace: 1.7, crag: 0.7 },
      { seed: 5, base: 0.63, rise: 0.1, pace: 1.9, crag: 0.6 },
      { seed: 41, base: 0.715, rise: 0.09, pace: 1.7, crag: 0.45 },
      { seed: 17, base: 0.8, rise: 0.075, pace: 1.5, crag: 0.3 },
      { seed: 29, base: 0.885, rise: 0.06, pace: 1.3, crag: 0.15 },
    ].map((hills) => columns.map((u) => crest(hills, u)));
    const far = pines(
      300,
      columns,
      (u) => crest({ seed: 29, base: 0.885, rise: 0.06, pace: 1.3, crag: 0.15 }, u),
      0.1,
      0.026,
    );
    const ground = (u: number) => 1.02 - 0.05 * Math.cos(u * 2.1);
    const close = pines(77, columns, ground, 0.26, 0.062);
    return (column, v) => {
      const u = columns[column]!;
      if (v > ground(u) || close(column, v)) return 15;
      if (far(column, v) && v < ridges[5]![column]! + 0.02) return 13;
      for (let i = ridges.length - 1; i >= 0; i--) if (v > ridges[i]![column]!) return 8 + i;
      if (inDisc(u, v, 1.22, 0.33, 0.06)) return 6;
      if (inDisc(u, v, 1.22, 0.33, 0.105)) return 7;
      return Math.max(0, Math.min(5, Math.floor((v + 0.012 * noise(3, u * 2)) * 13)));
    };
  },
};

/** A green valley with a river: 0–3 sky, 4 cloud, 5–7 far hills, 8–11 slopes, 12 and 13 water, 14 and 15 pines. */
const valley: Scene = {
  palette: colors(
    "a8cfdd bddae0 d2e4e1 e6ede0 f7f6ea a9c6c3 8db5ab 74a38f a9bf74 8dad62 709a55 55844b cfe6e6 9ccbd2 37683f 234d31",
  ),
  prepare(columns) {
    const far = [
      { seed: 51, base: 0.37, rise: 0.15, pace: 1.3, crag: 0.8 },
      { seed: 62, base: 0.44, rise: 0.1, pace: 1.6, crag: 0.6 },
      { seed: 73, base: 0.5, rise: 0.06, pace: 1.8, crag: 0.3 },
    ].map((hills) => columns.map((u) => crest(hills, u)));
    const rolling = { crag: 0, pace: 1.4 };
    const fold = (u: number, middle: number, top: number, reach: number) =>
      top + reach * (1 - Math.min(1, Math.abs(u - middle) / 0.95)) ** 1.5;
    const slopes = [
      columns.map((u) => fold(u, 0.95, 0.47, 0.12) + 0.02 * noise(8, u * 3)),
      columns.map(
        (u) =>
          (u < 0.95 ? fold(u, 1.02, 0.5, 0.26) : 0.9) +
          crest({ ...rolling, seed: 6, base: 0, rise: 0.02 }, u),
      ),
      columns.map(
        (u) =>
          (u > 0.8 ? fold(u, 0.72, 0.56, 0.34) : 2) + crest({ ...rolling, seed: 7, base: 0, rise: 0.025 }, u),
      ),
      columns.map(
        (u) =>
          0.98 - 0.3 * Math.max(0, 0.62 - u) ** 1.3 + crest({ ...rolling, seed: 9, base: 0, rise: 0.015 }, u),
      ),
    ];
    const line = (layer: readonly number[]) => (u: number) =>
      layer[
        Math.max(
          0,
          columns.findIndex((place) => place >= u),
        )
      ] ?? 1;
    const left = pines(130, columns, line(slopes[1]!), 0.075, 0.05);
    const close = pines(
      210,
      columns,
      (u) => 1.04 - 0.12 * Math.max(0, 0.7 - u) - 0.16 * Math.max(0, u - 1.35),
      0.25,
      0.07,
    );
    return (column, v) => {
      const u = columns[column]!;
      if ((u < 0.55 || u > 1.36) && close(column, v)) return 15;
      if (v > slopes[3]![column]!) return 11;
      const depth = (v - 0.585) / 0.415;
      const middle = 0.95 + 0.13 * Math.sin(4.4 * Math.sqrt(Math.max(0, depth)) + 0.3) * (0.35 + depth);
      const half = 0.006 + 0.085 * depth ** 1.5;
      if (depth > 0 && Math.abs(u - middle) < half)
        return Math.abs(u - middle - half * 0.25) < half * 0.4 ? 12 : 13;
      if (u > 0.8 && v > slopes[2]![column]!) return 10;
      if (u < 0.62 && left(column, v) && v < slopes[1]![column]! + 0.01) return 14;
      if (u < 0.95 && v > slopes[1]![column]!) return 9;
      if (v > slopes[0]![column]!) return 8;
      for (let i = far.length - 1; i >= 0; i--) if (v > far[i]![column]!) return 5 + i;
      const cloud = (x: number, y: number, wide: number) =>
        ((u - x) / wide) ** 2 + ((v - y) / 0.022) ** 2 < 1 + 0.5 * noise(14, u * 14);
      if (cloud(0.42, 0.13, 0.2) || cloud(0.56, 0.155, 0.16) || cloud(1.34, 0.2, 0.17)) return 4;
      return Math.min(3, Math.floor(v * 9));
    };
  },
};

/** Dusk, and a hut with a lit window: 0–5 sky, 6 stars and moon, 7–10 ridges, 11 meadow, 12 pines, 13 hut, 14 roof, 15 light. */
const shelter: Scene = {
  palette: colors(
    "22304f 2f3f61 454f72 695f7f 97707f c98d7d f4e8d2 5a587b 474b6c 353f5b 27344c 1d2b3c 121d2a 0d1620 33313f ffd07a",
  ),
  prepare(columns) {
    const ridges = [
      { seed: 81, base: 0.53, rise: 0.15, pace: 1.2, crag: 0.8 },
      { seed: 92, base: 0.6, rise: 0.12, pace: 1.5, crag: 0.7 },
      { seed: 33, base: 0.68, rise: 0.08, pace: 1.7, crag: 0.5 },
      { seed: 44, base: 0.75, rise: 0.05, pace: 1.6, crag: 0.3 },
    ].map((hills) => columns.map((u) => crest(hills, u)));
    const meadow = (u: number) =>
      0.86 - 0.07 * Math.exp(-(((u - 1.08) / 0.42) ** 2)) + 0.008 * noise(4, u * 5);
    const trees = pines(610, columns, (u) => meadow(u) + 0.03, 0.25, 0.058);
    const stars = Array.from({ length: 70 }, (_, i) => ({
      x: chance(i * 3 + 1) * 1.78,
      y: chance(i * 3 + 2) ** 1.4 * 0.38,
      size: 0.0011 + 0.0016 * chance(i * 3 + 3) ** 3,
    }));
    return (column, v) => {
      const u = columns[column]!;
      const x = u - 1.08;
      const floor = 0.808;
      if (Math.abs(x) < 0.085 && v > floor - 0.085 && v < floor) {
        const pane = Math.abs(Math.abs(x - 0.03) - 0.0) < 0.021 && Math.abs(v - (floor - 0.047)) < 0.02;
        const bar = Math.abs(x - 0.03) < 0.002 || Math.abs(v - (floor - 0.047)) < 0.002;
        if (pane && !bar) return 15;
        return x > -0.056 && x < -0.024 && v > floor - 0.066 ? 12 : 13;
      }
      const eaves = floor - 0.08;
      if (v < eaves && v > eaves - 0.085 && Math.abs(x) < 0.112 * (1 - (eaves - v) / 0.085)) return 14;
      if (x > 0.03 && x < 0.048 && v < eaves - 0.03 && v > eaves - 0.09) return 14;
      const inClearing = u > 0.86 && u < 1.3;
      if (!inClearing && trees(column, v)) return 12;
      if (v > meadow(u) + 0.1 + 0.03 * Math.sin(u * 3)) return 12;
      if (v > meadow(u)) return 11;
      for (let i = ridges.length - 1; i >= 0; i--) if (v > ridges[i]![column]!) return 7 + i;
      if (inDisc(u, v, 0.46, 0.2, 0.045) && !inDisc(u, v, 0.482, 0.188, 0.04)) return 6;
      if (v < 0.42 && stars.some((star) => inDisc(u, v, star.x, star.y, star.size))) return 6;
      return Math.min(5, Math.floor((v + 0.01 * noise(2, u * 2)) * 11.5));
    };
  },
};

export const SCENES: Record<string, Scene> = { ridge, valley, shelter };
