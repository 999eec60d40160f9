import { answer } from "../worker/bench.ts";
import { createScriptedModel } from "../worker/script.ts";
import { plain } from "./plain.ts";

const contender = plain(createScriptedModel());

export default {
  fetch: (request: Request): Promise<Response> => answer(request, async () => contender),
};
