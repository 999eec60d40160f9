import { loadRehearsalModel } from "../../../build/modules/rehearsal.ts";
import type { Plugin } from "../../cairn/plugin.ts";

/** The model that needs no key: rules, not a language model. `MODEL = "rehearsal:"`, which is also the default. */
export const rehearsal = (): Plugin => ({
  name: "rehearsal",
  models: {
    "rehearsal:": async () => {
      const { createRehearsalModel } = await loadRehearsalModel();
      return createRehearsalModel();
    },
  },
});
