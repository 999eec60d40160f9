/** Whole files in the places that a fork has its own in, so that what a copy holds there does not matter. */

/** `fields`: the fields of the definition, as they stand in the source. */
export const agentSource = (fields: string): string =>
  `import { defineAgent } from "../cairn/agents/define.ts";\n\nexport const defaultAgent = defineAgent({ ${fields} });\n`;

/** `sources`: as they stand in the source. */
export const webhooksSource = (sources: string): string =>
  `import { defineWebhooks } from "./cairn/webhooks/rules.ts";\n\nexport const webhooks = defineWebhooks({ ${sources} });\n`;
