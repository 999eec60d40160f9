/** The part of agents/skills that reads skills. test/build/skills.ts makes build/modules/skills.mjs of it. */
export { formatSkillDiagnostic, loadSkillCatalog, r2 } from "agents/skills";
