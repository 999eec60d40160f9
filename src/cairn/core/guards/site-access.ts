/** Who may work on an environment of the site. */

export interface SiteMembers {
  /** it is the deployment's own, which its public site shows */
  readonly isOwn: boolean;
  /** subjects, or `*` for everybody; admins are not named */
  readonly members: readonly string[];
}

export interface Visitor {
  readonly subject: string;
  readonly isAdmin: boolean;
}

/** The deployment's own environment is everybody's; another is its members' and the admins'. */
export function mayUseSite({ isOwn, members }: SiteMembers, { subject, isAdmin }: Visitor): boolean {
  return isAdmin || isOwn || members.includes("*") || members.includes(subject);
}
