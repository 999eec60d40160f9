import { SEED_FILES } from "./manifest.ts";
import type { SeedImage } from "../../src/plugins/cms/seed/sample.ts";

/** The six images of the seeded site, as a person would describe them. */

export const SEED_IMAGES: readonly SeedImage[] = [
  {
    id: "im_ridge",
    file: SEED_FILES.ridge,
    alt: "Ridges fading into the haze of a pale dawn, with dark pines in front",
    caption: "Half past five on the long ridge",
    description:
      "A chain of hazy ridges one behind another at dawn, a low pale sun in a cream sky, and pines along the front.",
    tags: ["ridge", "dawn", "landscape", "mountains", "pines", "mist"],
    colors: ["green", "cream", "teal"],
  },
  {
    id: "im_valley",
    file: SEED_FILES.valley,
    alt: "A river winding through a green valley below blue hills",
    caption: "The valley path follows the river the whole way",
    description:
      "A wide green valley in daylight with a bright river bending through it, blue hills behind and pines on both sides.",
    tags: ["valley", "river", "landscape", "meadow", "summer"],
    colors: ["green", "blue"],
  },
  {
    id: "im_shelter",
    file: SEED_FILES.shelter,
    alt: "A small hut with a lit window among pines at dusk, under stars and a crescent moon",
    caption: "The lamp is lit for whoever comes last",
    description:
      "A mountain hut on a dark meadow after sunset, one window glowing yellow, with stars and a thin moon over the ridges.",
    tags: ["shelter", "hut", "dusk", "night", "stars", "winter"],
    colors: ["blue", "purple", "yellow"],
  },
  {
    id: "im_logo",
    file: SEED_FILES.logo,
    alt: "Fern & Fell: a pale fern leaf in a green disc",
    caption: "",
    description: "The mark of Fern & Fell, a pale fern leaf standing upright in a dark green disc.",
    tags: ["logo", "fern", "brand"],
    colors: ["green"],
  },
  {
    id: "im_contours",
    file: SEED_FILES.contours,
    alt: "Contour lines of a hill with a dotted route leading to its side",
    caption: "",
    description:
      "A drawn map: green contour lines around a summit and a dotted red route that ends at a marker.",
    tags: ["map", "contours", "route", "drawing"],
    colors: ["green", "red"],
  },
  {
    id: "im_compass",
    file: SEED_FILES.compass,
    alt: "A compass with a red and green needle pointing north-east",
    caption: "",
    description: "A drawn compass with a green rim, fine marks around its face and a red and green needle.",
    tags: ["compass", "navigation", "drawing"],
    colors: ["green", "red"],
  },
];
