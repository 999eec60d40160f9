import { ownValue } from "./core/log/json.ts";
import agents from "../../prompts/cairn/agents.xml";
import approvals from "../../prompts/cairn/approvals.xml";
import base from "../../prompts/cairn/base.xml";
import finalAnswer from "../../prompts/cairn/final-answer.xml";
import memory from "../../prompts/cairn/memory.xml";
import plan from "../../prompts/cairn/plan.xml";
import questions from "../../prompts/cairn/questions.xml";
import react from "../../prompts/cairn/react.xml";
import schedules from "../../prompts/cairn/schedules.xml";

/** Texts by their names, which packs name (tools/define.ts). */
export type PromptTexts = Readonly<Record<string, string>>;

/** Prompts of the kernel. The first three are in every prompt. */
const KERNEL: PromptTexts = {
  base,
  react,
  approvals,
  questions,
  memory,
  plan,
  agents,
  schedules,
  "final-answer": finalAnswer,
};
const ALWAYS = ["base", "react", "approvals"];

/** The prompts of a deployment: those of the kernel, and those of its plugins. */
export class Prompts {
  readonly texts: PromptTexts;

  /** Throws a sentence where two have one name. */
  constructor(plugins: readonly { readonly name: string; readonly prompts?: PromptTexts }[]) {
    const texts = { ...KERNEL };
    const owners = new Map(Object.keys(KERNEL).map((name) => [name, "Cairn itself"]));
    for (const plugin of plugins)
      for (const [name, text] of Object.entries(plugin.prompts ?? {})) {
        const owner = `the plugin ${plugin.name}`;
        const other = owners.get(name);
        if (other !== undefined)
          throw new Error(
            `createCairn: two prompts are named ${name}: one of ${other}, one of ${owner}. Rename one of them.`,
          );
        owners.set(name, owner);
        texts[name] = text;
      }
    this.texts = texts;
  }

  /** The static prefix: the same text for the same names, so that providers can cache it. Throws on a name that is not there. */
  instructions(names: readonly string[]): string {
    return [...ALWAYS, ...names]
      .map((name) => {
        const text = ownValue(this.texts, name);
        if (text === undefined) throw new Error(`there is no prompt ${name}`);
        return text.trim();
      })
      .join("\n\n");
  }

  /** These prompts, the texts of plugins, then the words of the run: its agent's, and its caller's. */
  prefix(names: readonly string[], own: string, pluginTexts: readonly string[] = []): string {
    return [this.instructions(names), ...pluginTexts, own].filter((text) => text !== "").join("\n\n");
  }
}
