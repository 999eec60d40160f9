import type { Task } from "./format.ts";
import { CHANGE_SETS } from "./tasks/change-sets.ts";
import { HISTORY } from "./tasks/history.ts";
import { IMAGES } from "./tasks/images.ts";
import { INCIDENTS } from "./tasks/incidents.ts";
import { NAVIGATION } from "./tasks/navigation.ts";
import { PAGES } from "./tasks/pages.ts";
import { POSTS } from "./tasks/posts.ts";
import { PUBLISHING } from "./tasks/publishing.ts";
import { RESTRAINT } from "./tasks/restraint.ts";
import { SECTIONS } from "./tasks/sections.ts";

/** All tasks. */
export const TASKS: readonly Task[] = [
  PAGES,
  SECTIONS,
  NAVIGATION,
  POSTS,
  PUBLISHING,
  IMAGES,
  HISTORY,
  CHANGE_SETS,
  RESTRAINT,
  INCIDENTS,
].flat();
