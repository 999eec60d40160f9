import type { Bindings } from "../../../../cairn/bindings.ts";
import { err, ok } from "../../../../cairn/core/log/result.ts";
import type { Environments } from "../../http/environments.ts";
import { ID_TAKEN, OWN_ENVIRONMENT_FIXED, UNKNOWN_SITE } from "../../http/refusals.ts";
import { NOT_FOUND } from "../../../../cairn/http/kit/responses.ts";
import { OWN_ENVIRONMENT, siteRoot } from "../../model/environment.ts";
import type { CmsServices } from "../../model/types.ts";
import { servicesOf } from "../../pack.ts";
import {
  changeMembers,
  findEnvironment,
  listEnvironments,
  type EnvironmentRow,
} from "../../storage/environments.ts";
import { createEnvironment, environmentId } from "./new-environment.ts";
import { NOT_CONFIGURED } from "./preview-link.ts";

type View = Extract<Awaited<ReturnType<Environments["create"]>>, { ok: true }>["value"];

/** The environments as the doors show, make and share them. */
export function createEnvironments(seed: (env: Bindings, now: number) => Promise<void>): Environments {
  const open = async (env: Bindings, at: number): Promise<CmsServices | null> => {
    await seed(env, at);
    return servicesOf(env);
  };
  return {
    list: async (env, visitor, at) => {
      const services = await open(env, at);
      if (services === null) return err(NOT_CONFIGURED);
      const rows = await listEnvironments(services.db, visitor);
      return ok(rows.map((row) => viewOf(row, visitor.isAdmin)));
    },
    create: async (env, visitor, { siteId: asked, name, members }, at) => {
      const services = await open(env, at);
      const assets = env.ASSETS;
      if (services === null || assets === undefined) return err(NOT_CONFIGURED);
      const own = await findEnvironment(services.db, OWN_ENVIRONMENT, visitor);
      if (own === null) return err(NOT_CONFIGURED);
      // A deployment has one site.
      const siteId = asked ?? own.siteId;
      if (siteId !== own.siteId) return err(UNKNOWN_SITE);
      const id = environmentId(name);
      const target = { ...services, assets, env: id };
      const made = await createEnvironment(target, { siteId, name, members }, visitor.subject, at);
      if (made === "taken") return err(ID_TAKEN);
      return ok(viewOf({ siteId, environmentId: id, name, members, isOwn: false }, true));
    },
    change: async (env, visitor, id, members, at) => {
      const services = await open(env, at);
      if (services === null) return err(NOT_CONFIGURED);
      const found = await findEnvironment(services.db, id, visitor);
      if (found === null) return err(NOT_FOUND);
      if (found.isOwn) return err(OWN_ENVIRONMENT_FIXED);
      await changeMembers(services.db, id, members);
      return ok(viewOf({ ...found, members }, true));
    },
  };
}

function viewOf({ members, ...row }: EnvironmentRow, isAdmin: boolean): View {
  return { ...row, path: siteRoot(row.environmentId), members: isAdmin ? [...members] : null };
}
