/** A page of the site that a person asked to see: the panel shows it until something newer changes. */
export interface SitePage {
  /** starts with `/site` */
  readonly path: string;
  /** id of a section on it, without the `s-` of its element */
  readonly section: string | null;
}
