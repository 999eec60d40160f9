/**
 * What a person says to the site editor beside pages, and which calls come of it: posts, undo, history, change sets,
 * images, settings.
 */

export const PACKING = '- entry en_packing "Packing light" slug=packing-light focus';
export const ABOUT = '- page pg_about "About" slug=about focus';
/** what the person has spoken of last */
export const SET = '- change_set cs_spring "Spring" focus';
export const PHOTO = '- image im_sent "huts.jpg" focus';
const NEW_POST = "entry_create The new path";
const TOMORROW = "2026-11-22T09:00:00Z";

export interface Phrase {
  readonly says: string;
  readonly calls: readonly string[];
  readonly memory?: string;
  readonly set?: true;
  /** something was taken back before */
  readonly undone?: true;
}

/** What a person who keeps a site says first, and what is tried by hand. */
export const WISHES_OF_A_KEEPER: readonly Phrase[] = [
  {
    says: "write a post about the new path with a cover and publish it tomorrow at nine",
    calls: ["image_search", `${NEW_POST} im_ridge`, `set_status published en_new ${TOMORROW}`],
  },
  { says: "undo that", calls: ["undo"] },
  { says: "what did you change today?", calls: ["history 2026-11-21"] },
  {
    says: "put the home page back as it was this morning",
    calls: ["site_overview", "undo pg_home 2026-11-21T08:00:00Z"],
  },
  { says: "use the photo I just sent", memory: PHOTO, calls: [] },
  {
    says: "use it as the hero of About",
    memory: PHOTO,
    calls: ["site_overview", "page_get pg_about", "image_attach sc_about_0 im_sent"],
  },
  { says: "collect my next changes in a set", calls: ["changes_begin"] },
  { says: "show me the set", set: true, calls: ["changes_show"] },
  { says: "publish it", set: true, memory: SET, calls: ["changes_publish"] },
  { says: "publish the set", set: true, calls: ["changes_publish"] },
  { says: "undo it", calls: ["undo"] },
  { says: "throw the set away", set: true, calls: ["changes_discard"] },
];

export const PHRASES: readonly Phrase[] = [
  ...WISHES_OF_A_KEEPER,
  { says: "collect these changes and show them to me before anything goes live", calls: ["changes_begin"] },
  { says: "check the site", calls: ["site_check"] },
  // Posts.
  { says: "Write a short article about winter boots", calls: ["entry_create Winter boots"] },
  {
    says: "Add a blog post called 'Open in May' with a photo",
    calls: ["image_search", "entry_create Open in May im_ridge"],
  },
  { says: "Schreibe einen Beitrag über Hüttentouren", calls: ["entry_create Hüttentouren"] },
  {
    says: "publish the post Winter routes",
    calls: ["entry_list Winter routes", "set_status published en_winter"],
  },
  { says: "Publish that post", memory: PACKING, calls: ["set_status published en_packing"] },
  {
    says: "publish the post Winter routes tomorrow at 9:30",
    calls: ["entry_list Winter routes", "set_status published en_winter 2026-11-22T09:30:00Z"],
  },
  {
    says: "cancel the publishing of the post Winter routes",
    calls: ["entry_list Winter routes", "set_status unscheduled en_winter"],
  },
  {
    says: "do not publish it tomorrow after all",
    memory: PACKING,
    calls: ["set_status unscheduled en_packing"],
  },
  { says: "Call off the publication of it", memory: PACKING, calls: ["set_status unscheduled en_packing"] },
  {
    says: "cancel the publishing of the about page",
    calls: ["site_overview", "set_status unscheduled pg_about"],
  },
  {
    says: "Write a post about snow and publish it",
    calls: ["entry_create Snow", "set_status published en_new"],
  },
  {
    says: "Write a post about snow and publish it tomorrow at 5 pm",
    calls: ["entry_create Snow", "set_status published en_new 2026-11-22T17:00:00Z"],
  },
  {
    says: "unpublish the post Packing light",
    calls: ["entry_list Packing light", "set_status unpublished en_packing"],
  },
  {
    says: "take the post Packing light offline",
    calls: ["entry_list Packing light", "set_status unpublished en_packing"],
  },
  {
    says: "archive the article Packing light",
    calls: ["entry_list Packing light", "set_status archived en_packing"],
  },
  {
    says: 'rename the post Packing light to "Less is more"',
    calls: ["entry_list Packing light", "entry_update en_packing Less is more"],
  },
  {
    says: "put the post Winter routes into the category News",
    calls: ["entry_list Winter routes", "entry_update en_winter News"],
  },
  { says: "delete the post Winter routes", calls: ["entry_list Winter routes", "entry_delete en_winter"] },
  { says: "Lösche den Beitrag Winter routes", calls: ["entry_list Winter routes", "entry_delete en_winter"] },
  // Taking back.
  { says: "Undo the last change, please", calls: ["undo"] },
  { says: "take that back", calls: ["undo"] },
  { says: "That was wrong, undo it", calls: ["undo"] },
  { says: "Mach das rückgängig", calls: ["undo"] },
  { says: "redo that", undone: true, calls: ["history current", "undo op_2"] },
  { says: "undo the undo", undone: true, calls: ["history current", "undo op_2"] },
  { says: "put it back as it was yesterday", memory: ABOUT, calls: ["undo pg_about 2026-11-20T23:59:59Z"] },
  {
    says: "restore the about page to how it was last week",
    calls: ["site_overview", "undo pg_about 2026-11-14T23:59:59Z"],
  },
  { says: "reset About to what visitors see it", calls: ["site_overview", "undo pg_about published"] },
  {
    says: "throw the unpublished edits of the about page away",
    calls: ["site_overview", "undo pg_about published"],
  },
  // Telling.
  { says: "what has changed so far?", calls: ["history current"] },
  { says: "Show me the history", calls: ["history current"] },
  { says: "Was hast du heute geändert?", calls: ["history 2026-11-21"] },
  { says: "is anything wrong on the site?", calls: ["site_check"] },
  { says: "Prüfe die Website", calls: ["site_check"] },
  {
    says: "what changed on the about page?",
    calls: ["site_overview", "history pg_about"],
  },
  { says: "Who changed the contact page", calls: ["site_overview", "history pg_contact"] },
  { says: "show me the history of it", memory: ABOUT, calls: ["history pg_about"] },
  { says: "what is different on the about page?", calls: ["site_overview", "diff pg_about"] },
  {
    says: "compare the about page with what visitors see",
    calls: ["site_overview", "diff pg_about"],
  },
  // Change sets.
  { says: 'start a change set called "Spring"', calls: ["changes_begin Spring"] },
  { says: "Show me everything before anything goes live", calls: ["changes_begin"] },
  { says: "Sammle meine Änderungen", calls: ["changes_begin"] },
  { says: "collect my changes before anybody sees them", calls: ["changes_begin"] },
  { says: "show me the changes", calls: ["history current"] },
  {
    says: 'change the title of the About page to "Who we are"',
    calls: ["site_overview", "page_update pg_about Who we are"],
  },
  { says: "what is in the set?", set: true, calls: ["changes_show"] },
  { says: "show me the collected changes", set: true, calls: ["changes_show"] },
  { says: "publish the change set tomorrow at nine", set: true, calls: [`changes_publish ${TOMORROW}`] },
  { says: "publish all the changes now", set: true, calls: ["changes_publish"] },
  { says: "discard the changes", set: true, calls: ["changes_discard"] },
  { says: "Verwirf die Änderungen", set: true, calls: ["changes_discard"] },
  {
    says: 'collect my changes and rename the about page to "Who we are"',
    calls: ["changes_begin", "site_overview", "page_update pg_about Who we are"],
  },
  // The image that was just sent.
  {
    says: "use the photo I just sent as the hero of About",
    memory: PHOTO,
    calls: ["site_overview", "page_get pg_about", "image_attach sc_about_0 im_sent"],
  },
  {
    says: "use it as the hero image of the about page",
    memory: PHOTO,
    calls: ["site_overview", "page_get pg_about", "image_attach sc_about_0 im_sent"],
  },
  {
    says: "Put the picture that I just uploaded into the image-text section on the about page",
    memory: PHOTO,
    calls: ["site_overview", "page_get pg_about", "image_attach sc_about_1 im_sent"],
  },
  {
    says: "Nimm das Foto als Hero der About-Seite",
    memory: PHOTO,
    calls: ["site_overview", "page_get pg_about", "image_attach sc_about_0 im_sent"],
  },
  {
    says: "use the photo I just sent as the cover of the post Winter routes",
    memory: PHOTO,
    calls: ["entry_list Winter routes", "image_attach en_winter im_sent"],
  },
  {
    says: "set the alt text of the image to 'Two huts in snow'",
    memory: PHOTO,
    calls: ["image_update im_sent"],
  },
  { says: "delete the photo I just sent", memory: PHOTO, calls: ["image_delete im_sent"] },
  { says: "take the photo that I just sent as the hero of the about page", calls: [] },
  // Settings.
  { says: 'change the title of the site to "Fern & Fell in spring"', calls: ["settings_update"] },
  { says: 'set the tagline to "Slowly"', calls: ["settings_update"] },
  { says: "change the accent colour to #2a6f4e", calls: ["settings_update"] },
  { says: "make About the home page", calls: ["site_overview", "settings_update"] },
];
