import type { FakeD1 } from "./d1.ts";

/** The smallest site on which every kind of edit can be made: three public pages of two sections each, and a navigation. */

const T0 = Date.UTC(2026, 0, 1);
const FIELDS = JSON.stringify([
  { key: "title", label: "Title", type: "text", max: 120, required: true },
  { key: "subtitle", label: "Subtitle", type: "text", max: 240 },
]);

export function makeSmallSite(db: FakeD1): void {
  db.exec(`
    INSERT INTO sites(id,name,created_at,updated_at) VALUES('site_main','Fern & Fell',${T0},${T0});
    INSERT INTO environments(id,site_id,name) VALUES('env_main','site_main','main');
    INSERT INTO locales(env_id,code,name,is_default) VALUES('env_main','en','English',1);
    INSERT INTO section_templates(key,name,description,region,fields,variants)
      VALUES('hero','Hero','','main','${FIELDS}','["default"]');
    INSERT INTO pages(id,env_id,kind,slug,name,status,created_at,updated_at)
      VALUES('pg_layout','env_main','layout','_layout','Layout','published',${T0},${T0});
    INSERT INTO collections(id,env_id,slug,name,fields,updated_at)
      VALUES('co_blog','env_main','blog','Blog','[{"key":"body","label":"Body","type":"markdown"}]',${T0});`);
}
