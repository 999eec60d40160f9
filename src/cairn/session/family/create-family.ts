import { mapCommands } from "../commands/commands.ts";
import type { Disk } from "../storage/store.ts";
import { SessionFamily, type FamilyDeps } from "./family.ts";
import type { FamilyApi } from "./reach.ts";
import { FamilyMembers } from "./family-members.ts";

/** The RPC of a session object, as far as relatives need it. */
interface Stub {
  command(name: string, actor: unknown, args: readonly unknown[]): Promise<unknown>;
}

/** The Session object of this name. Each call takes a new stub: one that saw a reset stays broken. */
export function memberIn(namespace: DurableObjectNamespace, name: string): FamilyApi {
  // The type of a namespace does not know the class behind it.
  const stub = () => namespace.get(namespace.idFromName(name)) as DurableObjectStub & Stub;
  return mapCommands(
    (command) =>
      (actor, ...args) =>
        stub().command(command, actor, args),
  );
}

/** Creates the messaging between a session and its parent and children, with the rows of pending messages. */
export function createFamily(
  disk: Disk,
  deps: Omit<FamilyDeps, "members">,
): { readonly family: SessionFamily; readonly members: FamilyMembers } {
  const members = new FamilyMembers(disk, deps);
  return { family: new SessionFamily({ ...deps, members }), members };
}
