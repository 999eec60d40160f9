/** Bindings that the library itself uses; a project's own come with them. All but two may be missing. */
export interface Bindings {
  /** the index of sessions and approvals, and the tables of plugins */
  readonly DB: D1Database;
  /** the sessions: the project's class that extends `cairn.Session` */
  readonly SESSION: DurableObjectNamespace;
  /** files and pictures that people send */
  readonly MEDIA?: R2Bucket;
  readonly AI?: Ai;
  /** the static files of the page */
  readonly ASSETS?: Fetcher;
  readonly CF_VERSION_METADATA?: WorkerVersionMetadata;
}
