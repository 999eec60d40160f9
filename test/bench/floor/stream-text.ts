import { createScriptedModel } from "../worker/script.ts";
import { plainWorker } from "./plain.ts";

export default plainWorker(createScriptedModel());
