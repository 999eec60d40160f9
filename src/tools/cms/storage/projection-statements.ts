import { boundJson } from "./changes.ts";
import type { CmsServices, Projection } from "../model/types.ts";

/** The projections of the owners touched: the old ones go, the new ones come. */
export function projectionStatements(
  { db, env }: CmsServices,
  projection: Projection,
  at: number,
): D1PreparedStatement[] {
  const { clearOwners, clearRoots, refs, clearDocuments, documents } = projection;
  const statements: D1PreparedStatement[] = [];
  const add = (sql: string, rows: readonly unknown[], ...values: (string | number)[]) => {
    if (rows.length > 0) statements.push(db.prepare(sql).bind(boundJson(rows), ...values));
  };
  add(
    `DELETE FROM asset_refs WHERE (owner_type,owner_id,state) IN
      (SELECT value->>'type', value->>'id', value->>'state' FROM json_each(?1)) AND env_id=?2`,
    clearOwners,
    env,
  );
  add(
    `DELETE FROM asset_refs WHERE (root_type,root_id,state) IN
      (SELECT value->>'type', value->>'id', value->>'state' FROM json_each(?1)) AND env_id=?2`,
    clearRoots,
    env,
  );
  add(
    `INSERT INTO asset_refs(target_type,target_id,owner_type,owner_id,root_type,root_id,state,locale,path,env_id)
     SELECT value->>'targetType', value->>'targetId', value->>'ownerType', value->>'ownerId', value->>'rootType',
       value->>'rootId', value->>'state', value->>'locale', value->>'path', ?2 FROM json_each(?1)
     WHERE true ON CONFLICT DO NOTHING`,
    refs,
    env,
  );
  // Only what is not written again is deleted: the others are updated in place and keep their row id.
  const kept = documents.map((one) => documentKey(one.kind, one.refId, one.locale));
  const cleared = clearDocuments.map((one) => ({
    ...one,
    kept: kept.filter((key) => key.startsWith(`${one.kind}:${one.id}:`)),
  }));
  add(
    `DELETE FROM search_docs WHERE env_id=?2 AND id IN (SELECT d.id FROM json_each(?1) j
       JOIN search_docs d ON d.doc_key>=(j.value->>'kind')||':'||(j.value->>'id')||':'
         AND d.doc_key<(j.value->>'kind')||':'||(j.value->>'id')||';'
      WHERE d.doc_key NOT IN (SELECT value FROM json_each(j.value,'$.kept')))`,
    cleared,
    env,
  );
  add(
    `INSERT INTO search_docs(doc_key,env_id,kind,ref_id,locale,status,title,slug,body,parent_id,updated_at)
     SELECT value->>'key', ?2, value->>'kind', value->>'refId', value->>'locale', value->>'status', value->>'title',
       value->>'slug', value->>'body', value->>'parentId', ?3 FROM json_each(?1) WHERE true
     ON CONFLICT(doc_key) DO UPDATE SET status=excluded.status, title=excluded.title, slug=excluded.slug, body=excluded.body,
       parent_id=excluded.parent_id, embedded_at=NULL, updated_at=excluded.updated_at`,
    documents.map((one) => ({ key: documentKey(one.kind, one.refId, one.locale), ...one })),
    env,
    at,
  );
  return statements;
}

function documentKey(kind: string, id: string, locale: string): string {
  return `${kind}:${id}:${locale}`;
}
