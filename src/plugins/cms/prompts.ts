import type { PromptTexts } from "../../cairn/plugin.ts";
import changes from "../../../prompts/cms/changes.xml";
import history from "../../../prompts/cms/history.xml";
import images from "../../../prompts/cms/images.xml";
import navigation from "../../../prompts/cms/navigation.xml";
import pages from "../../../prompts/cms/pages.xml";
import posts from "../../../prompts/cms/posts.xml";
import settings from "../../../prompts/cms/settings.xml";

/** How the tools of the site are used. */
export const cmsPrompts: PromptTexts = {
  "cms-pages": pages,
  "cms-posts": posts,
  "cms-images": images,
  "cms-navigation": navigation,
  "cms-history": history,
  "cms-changes": changes,
  "cms-settings": settings,
};
