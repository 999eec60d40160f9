import type { SkillSource } from "agents/skills";

export { formatSkillDiagnostic, loadSkillCatalog } from "agents/skills";

/** The methods of a bucket that it calls. */
export interface SkillBucket {
  list(options: { prefix: string; cursor?: string | undefined }): Promise<{
    readonly objects: readonly { readonly key: string; readonly size: number }[];
    readonly truncated: boolean;
    readonly cursor?: string;
  }>;
  get(key: string): Promise<{ text(): Promise<string>; arrayBuffer(): Promise<ArrayBuffer> } | null>;
}

export function r2(
  bucket: SkillBucket,
  options: { readonly prefix: string; readonly id: string; readonly refreshIntervalMs: number },
): SkillSource;
