import { describe, expect, it } from "vitest";
import { cmsPack, imagesPack } from "../../../src/tools/cms/pack.ts";
import { SIGNATURE } from "../../../src/model/rehearsal/answer.ts";
import { inShort, play, type Played } from "./run.ts";
import { FakeSite } from "./site.ts";

/** What people may say, and what is to be called, in order. The page in focus is About; a draft page Team exists. */
const PHRASINGS: readonly (readonly [message: string, calls: readonly string[]])[] = [
  [
    "Create an About us page with a hero image and a feature section, publish it and add it to the navigation",
    [
      "site_overview",
      "image_search 10",
      "page_create About us | hero+feature",
      "set_status published pg_3",
      "nav_edit add header About us page:pg_3",
    ],
  ],
  ["make me a new page called Crew", ["site_overview", "image_search 10", "page_create Crew | hero"]],
  [
    "CREATE A PAGE CALLED SNOW SHOES AND PUBLISH IT",
    ["site_overview", "image_search 10", "page_create Snow shoes | hero", "set_status published pg_2"],
  ],
  [
    "I need a landing page for 'Winter 2027', put a hero on top and a gallery below, then publish",
    [
      "site_overview",
      "image_search 10",
      "page_create Winter 2027 | hero+gallery",
      "set_status published pg_3",
    ],
  ],
  [
    "publish a page named Huts after creating it",
    ["site_overview", "image_search 10", "page_create Huts | hero", "set_status published pg_2"],
  ],
  [
    "Could you please make a page titled Terms and Conditions with a text section?",
    ["site_overview", "image_search 10", "page_create Terms and Conditions | image-text"],
  ],
  [
    "Create two pages: Jobs and Press, and publish both",
    [
      "site_overview",
      "image_search 10",
      "page_create Jobs | hero",
      "page_create Press | hero",
      "set_status published pg_2,pg_4",
    ],
  ],
  [
    "create an about us page, a prices page and a jobs page",
    [
      "site_overview",
      "image_search 10",
      "page_create About us | hero",
      "page_create Prices | hero",
      "page_create Jobs | hero",
    ],
  ],
  [
    "Create a page. It should be called Summer walks, have a hero and a gallery, and be in the footer.",
    [
      "site_overview",
      "image_search 10",
      "page_create Summer walks | hero+gallery",
      "nav_edit add footer Summer walks page:pg_3",
    ],
  ],
  [
    "Please set up a page for our summer festival. Start with a hero, then three features and finish with a call to action. Publish it and link it in the header and footer.",
    [
      "site_overview",
      "image_search 10",
      "page_create Summer festival | hero+feature+cta",
      "set_status published pg_4",
      "nav_edit add header Summer festival page:pg_4; add footer Summer festival page:pg_4",
    ],
  ],
  [
    'Build a page "Partners" with a call to action and link it in the footer menu as "Our partners"',
    ["site_overview", "page_create Partners | cta", "nav_edit add footer Our partners page:pg_2"],
  ],
  [
    "I'd love a page on winter safety, with a hero on the top, then an image next to text, then a CTA at the bottom; once that's done, publish it and link to it in the header.",
    [
      "site_overview",
      "image_search 10",
      "page_create Winter safety | hero+image-text+cta",
      "set_status published pg_4",
      "nav_edit add header Winter safety page:pg_4",
    ],
  ],
  [
    'Could you put together a nice page for our customers named "Fair prices" featuring a hero, a list of features and a call-to-action?',
    ["site_overview", "image_search 10", "page_create Fair prices | hero+feature+cta"],
  ],
  ["New page: Partners", ["site_overview", "image_search 10", "page_create Partners | hero"]],
  [
    "Create a page called 会社概要",
    ["site_overview", "image_search 10", "page_create 会社概要 | page-c6e7e8 | hero"],
  ],
  [
    "Create a page called Rock and Roll but don't publish it yet",
    ["site_overview", "image_search 10", "page_create Rock and Roll | hero"],
  ],
  [
    'create a new page with title Sommerfest 2027, hero "Das Fest", and publish',
    ["site_overview", "image_search 10", "page_create Sommerfest 2027 | hero", "set_status published pg_2"],
  ],
  [
    "create a page with the name 'Q&A' and the slug faq",
    ["site_overview", "image_search 10", "page_create Q&A | faq | hero"],
  ],
  [
    "After creating a page called Huts, put it into the main menu and publish it.",
    [
      "site_overview",
      "image_search 10",
      "page_create Huts | hero",
      "set_status published pg_2",
      "nav_edit add header Huts page:pg_2",
    ],
  ],
  [
    "Add a Pricing page to the navigation",
    [
      "site_overview",
      "image_search 10",
      "page_create Pricing | hero",
      "nav_edit add header Pricing page:pg_2",
    ],
  ],
  [
    'Duplicate the about page as "About the crew"',
    ["site_overview", "page_create About the crew | pg_about"],
  ],
  ["create a page", ["site_overview"]],
  [
    "Please publish the page Team and then add it to the main navigation",
    ["site_overview", "set_status published pg_team", "nav_edit add header Team page:pg_team"],
  ],
  ["Team should be published", ["site_overview", "set_status published pg_team"]],
  ["can u pubish the Team page plz", ["site_overview", "set_status published pg_team"]],
  ["make the team page live", ["site_overview", "set_status published pg_team"]],
  ["Publish all drafts", ["page_list true 10", "set_status published pg_team"]],
  ["Take the about page offline", ["page_get pg_about", "set_status unpublished pg_about"]],
  ["turn the contact page back into a draft", ["site_overview", "set_status unpublished pg_contact"]],
  [
    "Can you please unpublish the contact page and remove it from both menus?",
    ["site_overview", "set_status unpublished pg_contact", "nav_edit remove nv_4; remove nv_6"],
  ],
  ["remove the about page from the footer", ["site_overview", "nav_edit remove nv_5"]],
  ["take Contact out of the menu", ["site_overview", "nav_edit remove nv_4; remove nv_6"]],
  ["Add the team page to the footer", ["site_overview", "nav_edit add footer Team page:pg_team"]],
  ["In the footer, add the team page", ["site_overview", "nav_edit add footer Team page:pg_team"]],
  ['Put it in the menu as "Our crew"', ["site_overview"]],
  [
    'change the navigation label of Contact to "Get in touch"',
    ["site_overview", "nav_edit update nv_4 Get in touch; update nv_6 Get in touch"],
  ],
  ["Rename the contact page to Say hello", ["site_overview", "page_update pg_contact Say hello"]],
  [
    'rename "Contact" to "Reach us" and change its slug to reach-us',
    ["site_overview", "page_update pg_contact Reach us", "page_update pg_contact reach-us"],
  ],
  ["Change the URL of the team page to crew", ["site_overview", "page_update pg_team crew"]],
  [
    'change the heading of the hero on the about page to "Hello there"',
    ["page_get pg_about full", 'section_update sc_about_0 {"title":"Hello there"}'],
  ],
  [
    "Set the hero title of the home page to Welcome to Fern & Fell",
    ["site_overview", "page_get pg_home full", 'section_update sc_home_0 {"title":"Welcome to Fern & Fell"}'],
  ],
  [
    'On the home page, replace the subtitle with "Walk with friends"',
    ["site_overview", "page_get pg_home full", 'section_update sc_home_0 {"subtitle":"Walk with friends"}'],
  ],
  [
    'Replace "Ridge walks" with "Summit walks" on the home page',
    [
      "site_overview",
      "page_get pg_home full",
      'section_update sc_home_1 {"items":[{"title":"Summit walks","description":"High and wide"}]}',
    ],
  ],
  [
    'The heading of the hero on the home page should be "Up and away"',
    ["site_overview", "page_get pg_home full", 'section_update sc_home_0 {"title":"Up and away"}'],
  ],
  [
    'change the button text on the home page hero to "Book now"',
    [
      "site_overview",
      "page_get pg_home full",
      'section_update sc_home_0 {"ctaText":"Book now","ctaLink":"page:pg_contact"}',
    ],
  ],
  [
    'update the text of the image-text section on about: "It began with a map and a lamp."',
    ["page_get pg_about full", 'section_update sc_about_1 {"content":"It began with a map and a lamp."}'],
  ],
  [
    'Before you publish the contact page, change its heading to "Say hi"',
    [
      "site_overview",
      "page_get pg_contact full",
      'section_update sc_contact_0 {"title":"Say hi"}',
      "set_status published pg_contact",
    ],
  ],
  [
    "Add a call to action at the end of the about page",
    ["site_overview", "page_get pg_about", "section_add pg_about cta"],
  ],
  [
    "Insert a gallery before the last section of the home page",
    [
      "site_overview",
      "image_search 10",
      "page_get pg_home",
      'section_add pg_home gallery {"before":"sc_home_3"}',
    ],
  ],
  [
    "Add the sections hero, gallery and cta to the team page",
    [
      "site_overview",
      "image_search 10",
      "page_get pg_team",
      "section_add pg_team hero",
      "section_add pg_team gallery",
      "section_add pg_team cta",
    ],
  ],
  [
    "Add a quote section to the about page",
    [
      "site_overview",
      "image_search 10",
      "page_get pg_about",
      "schema_list section",
      "section_add pg_about quote",
    ],
  ],
  [
    "Move the gallery to the top of the about page",
    ["page_get pg_about", 'section_move sc_about_2 {"before":"sc_about_0"}'],
  ],
  [
    "move the cta up on the home page",
    ["site_overview", "page_get pg_home", 'section_move sc_home_3 {"before":"sc_home_2"}'],
  ],
  [
    "on the about page, move the hero to the end and hide the gallery",
    [
      "page_get pg_about",
      'section_move sc_about_0 {"after":"sc_about_2"}',
      "page_get pg_about",
      "section_update sc_about_2 true",
    ],
  ],
  ["get rid of the second section on the about page", ["page_get pg_about", 'section_delete ["sc_about_1"]']],
  ["I don't need the team page anymore, delete it", ["site_overview", 'page_delete ["pg_team"]']],
  ["delete about and contact", ["site_overview", 'page_delete ["pg_about","pg_contact"]']],
  [
    "Change the hero image of the about page to the valley",
    [
      "page_get pg_about full",
      "image_search valley 10",
      'image_attach im_valley {"type":"section","ref":"sc_about_0"} image',
    ],
  ],
  [
    "use a picture of the shelter for the hero on the home page",
    [
      "site_overview",
      "page_get pg_home full",
      "image_search shelter 10",
      'image_attach im_shelter {"type":"section","ref":"sc_home_0"} image',
    ],
  ],
  [
    "Remove the hero image from the about page",
    ["page_get pg_about full", 'section_update sc_about_0 ["image"]'],
  ],
  ["list all pages", ["page_list"]],
  ["How many pages are published?", ["page_list published"]],
  ["Which drafts are not published yet?", ["page_list true"]],
  ["What is on the contact page?", ["site_overview", "page_get pg_contact"]],
  ["what's in the navigation?", ["site_overview"]],
  ["Is the team page in the navigation?", ["site_overview"]],
  ["Is the contact page published?", ["site_overview", "page_get pg_contact"]],
  ["Where do we mention the valley?", ['find valley ["page","section","entry"]']],
  ["which images do we have", ["image_search"]],
  ["what is the site called?", ["site_overview"]],
  ["does the about page have a gallery?", ["site_overview", "page_get pg_about"]],
  ["hello, how many pages do we have?", ["page_list"]],
  ["undo that", []],
  ["write a blog post about boots", []],
  ["publish the post Winter routes", ["entry_list Winter routes", "set_status published en_winter"]],
  ["What's the weather like in Berlin?", []],
  ["Write a python script that sorts a list", []],
  ["Send an email to Bob", []],
  ["hi", []],
  ["thanks!", []],
  ["I'd like to have a FAQ page please", ["site_overview", "image_search 10", "page_create FAQ | hero"]],
  [
    'Set up a new "Guides" page and make it live',
    ["site_overview", "image_search 10", "page_create Guides | hero", "set_status published pg_2"],
  ],
  [
    "Make a page Winter walks and add it to the footer menu",
    [
      "site_overview",
      "image_search 10",
      "page_create Winter walks | hero",
      "nav_edit add footer Winter walks page:pg_2",
    ],
  ],
  [
    "Add a new page titled 'Huts & shelters'. On it: a hero and an image gallery. Then make it public.",
    [
      "site_overview",
      "image_search 10",
      "page_create Huts & shelters | hero+gallery",
      "set_status published pg_3",
    ],
  ],
  [
    "please add a page about our history with a text and image section",
    ["site_overview", "image_search 10", "page_create History | image-text"],
  ],
  ["create page team2", ["site_overview", "image_search 10", "page_create Team2 | hero"]],
  [
    "Create the page Impressum and put it in the footer",
    [
      "site_overview",
      "image_search 10",
      "page_create Impressum | hero",
      "nav_edit add footer Impressum page:pg_2",
    ],
  ],
  ["Delete the pages Team and Contact", ["site_overview", 'page_delete ["pg_team","pg_contact"]']],
  ['rename it to "All about us"', ["page_update pg_about All about us"]],
  ['Call the about page "Our story"', ["page_update pg_about Our story"]],
  ["Change the name of the about page to Our story", ["site_overview", "page_update pg_about Our story"]],
  ["Change the URL of the about page to our-story", ["page_update pg_about our-story"]],
  ["Change the slug of Team to crew", ["site_overview", "page_update pg_team crew"]],
  [
    'change about\'s headline to "Hi"',
    ["page_get pg_about full", 'section_update sc_about_0 {"title":"Hi"}'],
  ],
  [
    'Set the subtitle of the hero on the home page to "A, B and C"',
    ["site_overview", "page_get pg_home full", 'section_update sc_home_0 {"subtitle":"A, B and C"}'],
  ],
  [
    'edit the cta heading on the contact page to say "Write us a line"',
    [
      "site_overview",
      "page_get pg_contact full",
      'section_update sc_contact_1 {"heading":"Write us a line"}',
    ],
  ],
  [
    'Change the second section\'s heading on home to "Reasons"',
    ["site_overview", "page_get pg_home full", 'section_update sc_home_1 {"heading":"Reasons"}'],
  ],
  [
    "Put a gallery between the hero and the feature section on the home page",
    [
      "site_overview",
      "image_search 10",
      "page_get pg_home",
      'section_add pg_home gallery {"after":"sc_home_0"}',
    ],
  ],
  [
    "Put the gallery before the hero on the about page",
    ["page_get pg_about", 'section_move sc_about_2 {"before":"sc_about_0"}'],
  ],
  [
    "Move the last section of the home page to the top",
    ["site_overview", "page_get pg_home", 'section_move sc_home_3 {"before":"sc_home_0"}'],
  ],
  [
    "Swap in a different hero image on the about page",
    [
      "page_get pg_about full",
      "image_search 10",
      'image_attach im_valley {"type":"section","ref":"sc_about_0"} image',
    ],
  ],
  [
    "Please pick another picture for the hero on the contact page",
    [
      "site_overview",
      "page_get pg_contact full",
      "image_search 10",
      'image_attach im_ridge {"type":"section","ref":"sc_contact_0"} image',
    ],
  ],
  [
    "Give the about page a new hero image showing the valley",
    [
      "site_overview",
      "page_get pg_about full",
      "image_search valley 10",
      'image_attach im_valley {"type":"section","ref":"sc_about_0"} image',
    ],
  ],
  [
    "replace the hero image with the shelter photo on home",
    [
      "site_overview",
      "page_get pg_home full",
      "image_search shelter 10",
      'image_attach im_shelter {"type":"section","ref":"sc_home_0"} image',
    ],
  ],
  ["Which pages are drafts?", ["page_list draft"]],
  ["Do we have a page about hiking?", ['find hiking ["page","section","entry"]']],
  ["Is there a contact page?", ["site_overview", "page_get pg_contact"]],
  ["What links are in the footer?", ["site_overview"]],
  ['Search for "map"', ['find map ["page","section","entry"]']],
  ["Where on the site do we talk about the valley?", ['find valley ["page","section","entry"]']],
  ["Show me all images of the ridge", ["image_search ridge"]],
  ["Are there any images we don't use?", ["image_search true"]],
  ["What's the status of the team page?", ["site_overview", "page_get pg_team"]],
  ["List the blog posts", ["entry_list"]],
  ["how many pages does the site have?", ["page_list"]],
  ["What sections does the home page have?", ["site_overview", "page_get pg_home"]],
  ["what is the heading of the hero on the home page?", ["site_overview", "page_get pg_home full"]],
  ["Does anything wait to be published?", ["page_list true"]],
  [
    "Hide the second section of the contact page",
    ["site_overview", "page_get pg_contact", "section_update sc_contact_1 true"],
  ],
  ["delete the first section of home", ["site_overview", "page_get pg_home", 'section_delete ["sc_home_0"]']],
  [
    "Delete all sections of the team page",
    ["site_overview", "page_get pg_team", 'section_delete ["sc_team_0"]'],
  ],
  [
    "make the gallery the first section of the about page",
    ["page_get pg_about", 'section_move sc_about_2 {"before":"sc_about_0"}'],
  ],
  [
    'Create a page called "Let\'s go!" with hero, gallery, and cta sections. Do not add it to the navigation.',
    ["site_overview", "image_search 10", "page_create Let's go! | hero+gallery+cta"],
  ],
  [
    "Create a page called Rock and Roll and publish it",
    ["site_overview", "image_search 10", "page_create Rock and Roll | hero", "set_status published pg_2"],
  ],
  [
    "create an about us page, a team page and a jobs page",
    ["site_overview", "image_search 10", "page_create About us | hero", "page_create Jobs | hero"],
  ],
  [
    'Make the team page public and put it into the header menu as "Crew"',
    ["site_overview", "set_status published pg_team", "nav_edit add header Crew page:pg_team"],
  ],
  ["take down the team page", ["site_overview"]],
  ["Un-publish home", ["site_overview", "set_status unpublished pg_home"]],
  ["add it to the navigation", ["site_overview"]],
  ["publish it", ["page_get pg_about"]],
  ["What's on it?", ["page_get pg_about"]],
  ["hide the gallery", ["page_get pg_about", "section_update sc_about_2 true"]],
  ["Create a page called Über uns", ["site_overview", "image_search 10", "page_create Über uns | hero"]],
  ["Add the home page to the footer", ["site_overview", "nav_edit add footer Home page:pg_home"]],
  ["Publish everything", ["page_list true 10", "set_status published pg_team"]],
  ["please remove Blog from the menu", ["site_overview", "nav_edit remove nv_3"]],
  [
    'Rename the menu item About to "Who we are"',
    ["site_overview", "nav_edit update nv_2 Who we are; update nv_5 Who we are"],
  ],
  [
    'change the meta description of the about page to "All about us"',
    ['page_update pg_about {"description":"All about us"}'],
  ],
  ["Create a copy of the home page called Home 2", ["site_overview", "page_create Home 2 | pg_home"]],
  ["Publish the abuot page", ["site_overview", "page_get pg_about"]],
  [
    "Build a page 'Events' and include three galleries",
    ["site_overview", "image_search 10", "page_create Events | gallery+gallery+gallery"],
  ],
  [
    "Add hero and gallery to it",
    [
      "site_overview",
      "image_search 10",
      "page_get pg_about",
      "section_add pg_about hero",
      "section_add pg_about gallery",
    ],
  ],
  [
    'Create a "Team" page under the name "The crew"',
    ["site_overview", "image_search 10", "page_create The crew | hero"],
  ],
  [
    "Write a page about huts and publish it",
    ["site_overview", "image_search 10", "page_create Huts | hero", "set_status published pg_2"],
  ],
  [
    "Can you create a services page? It needs a hero with an image, three features and a contact call to action. When you're finished, publish the page and link it in the main navigation, please.",
    [
      "site_overview",
      "image_search 10",
      "page_create Services | hero+feature+cta",
      "set_status published pg_4",
      "nav_edit add header Services page:pg_4",
    ],
  ],
  [
    "Hi! I'm looking for someone to build an Events page with a gallery. Thanks!",
    ["site_overview", "image_search 10", "page_create Events | gallery"],
  ],
  [
    "I want to add a page for our partners",
    ["site_overview", "image_search 10", "page_create Partners | hero"],
  ],
  [
    'Let\'s make a page: "Trail notes"',
    ["site_overview", "image_search 10", "page_create Trail notes | hero"],
  ],
  [
    "Build the following page: Name: Trail notes. Sections: hero, features, gallery. Publish: yes.",
    [
      "site_overview",
      "image_search 10",
      "page_create Trail notes | hero+feature+gallery",
      "set_status published pg_4",
    ],
  ],
  [
    'create page "A" and page "B", publish A only',
    ["site_overview", "image_search 10", "page_create A | hero", "set_status published pg_2"],
  ],
  [
    "Make a 'Meet the guides' page w/ hero + gallery and publish",
    [
      "site_overview",
      "image_search 10",
      "page_create Meet the guides | hero+gallery",
      "set_status published pg_3",
    ],
  ],
  [
    'create an "About us" page, add hero image, add feature section, publish, add to nav',
    [
      "site_overview",
      "image_search 10",
      "page_create About us | hero+feature",
      "set_status published pg_3",
      "nav_edit add header About us page:pg_3",
    ],
  ],
  [
    "Please create About us (hero image, features), publish it & add to navigation",
    [
      "site_overview",
      "image_search 10",
      "page_create About us | hero+feature",
      "set_status published pg_3",
      "nav_edit add header About us page:pg_3",
    ],
  ],
  [
    "Would you mind making a new page named Snow for me?",
    ["site_overview", "image_search 10", "page_create Snow | hero"],
  ],
  [
    "Could I get a landing page about avalanche training?",
    ["site_overview", "image_search 10", "page_create Avalanche training | hero"],
  ],
  [
    "Generate a privacy policy page and place it in the footer only",
    [
      "site_overview",
      "image_search 10",
      "page_create Privacy policy | hero",
      "nav_edit add footer Privacy policy page:pg_2",
    ],
  ],
  ["add contact to header and footer", ["site_overview"]],
  [
    "I'd like the team page to be published and in the menu",
    ["site_overview", "set_status published pg_team", "nav_edit add header Team page:pg_team"],
  ],
  ["Publish Team and Contact", ["site_overview", "page_get pg_contact", "set_status published pg_team"]],
  ["Make the team page visible to everyone", ["site_overview", "set_status published pg_team"]],
  ["Set the team page to published", ["site_overview", "set_status published pg_team"]],
  ["Change the status of contact to draft", ["site_overview", "set_status unpublished pg_contact"]],
  ["put contact back to draft", ["site_overview", "set_status unpublished pg_contact"]],
  ["Contact page: unpublish", ["site_overview", "set_status unpublished pg_contact"]],
  [
    "Rename Team to Crew then publish it and add it to the footer",
    [
      "site_overview",
      "page_update pg_team Crew",
      "set_status published pg_team",
      "nav_edit add footer Crew page:pg_team",
    ],
  ],
  ["What's the about page's status?", ["site_overview", "page_get pg_about"]],
  ["Is there anything unpublished?", ["page_list true"]],
  ["show pages", ["page_list"]],
  ["pages?", ["page_list"]],
  ["navigation?", ["site_overview"]],
  ["Show me the navigation menu", ["site_overview"]],
  ["Give me a list of all the pages on the site", ["page_list"]],
  ["Can you tell me which sections are on the home page?", ["site_overview", "page_get pg_home"]],
  ["how many sections does the about page have", ["site_overview", "page_get pg_about"]],
  ["which page mentions valley?", ['find valley ["page","section","entry"]']],
  ["do you have images of mountains?", ["image_search mountains", "image_search mountain"]],
  [
    "Add an image of the valley to the about page hero",
    [
      "page_get pg_about full",
      "image_search valley 10",
      'image_attach im_valley {"type":"section","ref":"sc_about_0"} image',
    ],
  ],
  [
    "Set the about hero image to shelter",
    [
      "page_get pg_about full",
      "image_search shelter 10",
      'image_attach im_shelter {"type":"section","ref":"sc_about_0"} image',
    ],
  ],
  [
    'Update the hero on the home page: title "Go far", subtitle "Together"',
    [
      "site_overview",
      "page_get pg_home full",
      'section_update sc_home_0 {"title":"Go far"}',
      "page_get pg_home full",
      'section_update sc_home_0 {"subtitle":"Together"}',
    ],
  ],
  [
    'Change the hero title on the home page to "Go far" and the subtitle to "Together"',
    [
      "site_overview",
      "page_get pg_home full",
      'section_update sc_home_0 {"title":"Go far"}',
      "page_get pg_home full",
      'section_update sc_home_0 {"subtitle":"Together"}',
    ],
  ],
  [
    'Set the title of the gallery on about to "Moments"',
    ["page_get pg_about full", 'section_update sc_about_2 {"title":"Moments"}'],
  ],
  [
    'Change the text "We know every path." on the home page to "We know most paths."',
    ["site_overview", "page_get pg_home full", 'section_update sc_home_2 {"content":"We know most paths."}'],
  ],
  ['change the heading to "Hi"', ["page_get pg_about full", 'section_update sc_about_0 {"title":"Hi"}']],
  [
    "Delete the hero from the contact page and add a gallery instead",
    [
      "site_overview",
      "page_get pg_contact",
      'section_delete ["sc_contact_0"]',
      "image_search 10",
      "page_get pg_contact",
      "section_add pg_contact gallery",
    ],
  ],
  [
    "Remove the contact page from the nav and then delete it",
    ["site_overview", "nav_edit remove nv_4; remove nv_6", 'page_delete ["pg_contact"]'],
  ],
  [
    'Create a page called "Publish me" but leave it as draft',
    ["site_overview", "image_search 10", "page_create Publish me | hero"],
  ],
  [
    "create a page named Delete and add it to the menu",
    ["site_overview", "image_search 10", "page_create Delete | hero", "nav_edit add header Delete page:pg_2"],
  ],
  [
    "Create a page about how to delete old boots",
    ["site_overview", "image_search 10", "page_create How to delete old boots | hero"],
  ],
  ["I need a page", ["site_overview"]],
  [
    "Make a page for me called Routes with pictures",
    ["site_overview", "image_search 10", "page_create Routes | hero"],
  ],
  ["Create a Contact us page", ["site_overview", "image_search 10", "page_create Contact us | hero+cta"]],
  [
    'create "Snow" page and publish and add to footer',
    [
      "site_overview",
      "image_search 10",
      "page_create Snow | hero",
      "set_status published pg_2",
      "nav_edit add footer Snow page:pg_2",
    ],
  ],
  [
    "please make a brand new page entitled 'Avalanche safety' and then go live with it",
    ["site_overview", "image_search 10", "page_create Avalanche safety | hero", "set_status published pg_2"],
  ],
  [
    'Add page "Skills" with cta, then unpublish home',
    ["site_overview", "page_create Skills | cta", "set_status unpublished pg_home"],
  ],
  [
    "Create page Skills; add hero; add cta; publish; add to header",
    [
      "site_overview",
      "image_search 10",
      "page_create Skills | hero+cta",
      "set_status published pg_3",
      "nav_edit add header Skills page:pg_3",
    ],
  ],
  [
    'Insert a text block with the heading "Our values" on the about page',
    ["site_overview", "image_search 10", "page_get pg_about", "section_add pg_about image-text"],
  ],
  [
    'Add a cta with the text "Book now" to the home page',
    ["site_overview", "page_get pg_home", "section_add pg_home cta"],
  ],
  [
    'Add a hero titled "Hello" to the team page',
    ["site_overview", "image_search 10", "page_get pg_team", "section_add pg_team hero"],
  ],
  ['Rename page contact into "Get in touch"', ["site_overview", "page_update pg_contact Get in touch"]],
  ['Let the about page be called "Our story"', ["page_update pg_about Our story"]],
  [
    "The team page needs a gallery",
    ["site_overview", "image_search 10", "page_get pg_team", "section_add pg_team gallery"],
  ],
  ["The about page should be in the footer too", ["site_overview"]],
  [
    'home page: change the title of the hero to "Out there"',
    ["site_overview", "page_get pg_home full", 'section_update sc_home_0 {"title":"Out there"}'],
  ],
  [
    'Make "Walk on" the headline of the home page',
    ["site_overview", "page_get pg_home full", 'section_update sc_home_0 {"title":"Walk on"}'],
  ],
  ["Put Team right after Home in the menu", ["site_overview", "nav_edit add header Team page:pg_team"]],
  ["Move Team to the footer", ["site_overview", "nav_edit add footer Team page:pg_team"]],
  ["Delete the last section", ["page_get pg_about", 'section_delete ["sc_about_2"]']],
  ["Delete the page called Team, please", ["site_overview", 'page_delete ["pg_team"]']],
  ["can we get rid of the contact page", ["site_overview", 'page_delete ["pg_contact"]']],
  ["Which page is in the footer?", ["site_overview"]],
  ["Is there a page for the team?", ['find team ["page","section","entry"]']],
  ["Any drafts?", ["page_list draft"]],
  ["Find the page about walking", ['find walking ["page","section","entry"]']],
  ["look for images of a shelter", ["image_search shelter"]],
  ["How many images are there?", ["image_search"]],
  ["What blog posts are published?", ["entry_list published"]],
  [
    "Add the image-text section above the cta on the home page with a picture of the shelter",
    [
      "site_overview",
      "image_search shelter 10",
      "page_get pg_home",
      'section_add pg_home image-text {"before":"sc_home_3"}',
    ],
  ],
  [
    "Create a new page with the same content as the about page called About 2",
    ["site_overview", "page_create About 2 | pg_about"],
  ],
];

function siteWithTeam(): FakeSite {
  const site = new FakeSite();
  site.addPage("Team", "team");
  return site;
}

function playHere(message: string): Played {
  return play(siteWithTeam(), message, { memory: ['- page pg_about "About" slug=about focus'] });
}

describe("the rehearsal model understands", () => {
  it.each(PHRASINGS)("%s", (message, calls) => {
    const played = playHere(message);
    expect(inShort(played).map((call) => call.replace(/^(entry_create \w+) .*/su, "$1"))).toEqual(calls);
    expect(played.calls.filter((call) => !call.ok)).toEqual([]);
    expect(played.text.endsWith(SIGNATURE)).toBe(true);
    expect(played.thoughts.every((thought) => thought.length > 10)).toBe(true);
  });
});

describe("every call that the phrasings plan", () => {
  const schemas = new Map(
    [...cmsPack.tools, ...imagesPack.tools].map((tool) => [tool.definition.name, tool.definition.input]),
  );
  const endless = "endless ".repeat(60);
  const long = [
    `Create a page called "${endless}" with hero, features, gallery, cta and image and text, publish it and link it in the footer`,
    `Add the team page to the menu as "${endless}"`,
    `Where do we mention ${endless}?`,
    `Change the hero image of the about page to "${endless}"`,
    `Publish the ${endless} page`,
    `publish the post "${endless}"`,
  ];
  const messages = [...PHRASINGS.map(([message]) => message), ...long];
  const calls = messages
    .flatMap((message) => playHere(message).calls)
    .filter((call) => schemas.has(call.name));

  it("is accepted by the schema of the real tool", () => {
    const refused = calls.flatMap(({ name, input }) => {
      const parsed = schemas.get(name)?.safeParse(input);
      return parsed === undefined || parsed.success ? [] : [{ name, input, issues: parsed.error.issues }];
    });
    expect(refused).toEqual([]);
  });

  it("covers the tools of the main job", () => {
    const called = [...new Set(calls.map((call) => call.name))];
    const main = [
      "site_overview",
      "image_search",
      "page_create",
      "set_status",
      "nav_edit",
      "page_list",
      "page_get",
      "page_update",
    ];
    const edits = [
      "section_add",
      "section_update",
      "section_move",
      "section_delete",
      "page_delete",
      "image_attach",
      "find",
    ];
    expect(called).toEqual(expect.arrayContaining([...main, ...edits]));
  });
});

describe("a page that the rehearsal model makes", () => {
  it("has real content in every required field, an image from the library, and a button that leads to a page", () => {
    const played = playHere(
      'Create a page "Snow days" with hero, features, call to action, gallery and image and text',
    );
    const sections = played.calls.find((call) => call.name === "page_create")?.input["sections"];
    expect(sections).toMatchObject([
      { template: "hero", content: { title: "Snow days", image: "im_ridge" } },
      { template: "feature", content: { items: [{}, {}, {}] } },
      { template: "cta", content: { buttonText: "Get in touch", buttonLink: "page:pg_contact" } },
      { template: "gallery", content: { images: ["im_ridge", "im_valley", "im_shelter"] } },
      { template: "image-text", content: { image: "im_valley" } },
    ]);
    expect(JSON.stringify(sections)).not.toMatch(/lorem|todo|\{\{|\[insert|undefined|null/iu);
  });

  it("takes the image that was asked for", () => {
    const played = playHere('Create a page "Snow days" with a hero image of the shelter');
    expect(inShort(played).slice(0, 2)).toEqual(["site_overview", "image_search shelter 10"]);
    expect(played.calls.at(-1)?.input).toMatchObject({
      sections: [{ template: "hero", content: { image: "im_shelter" } }],
    });
  });

  it("takes over the words that were given for a section", () => {
    const played = playHere(
      'Create a page called Huts with a hero that says "Sleep high" and a gallery titled "Inside"',
    );
    expect(played.calls.at(-1)?.input).toMatchObject({
      name: "Huts",
      sections: [{ content: { title: "Sleep high" } }, { content: { title: "Inside" } }],
    });
  });

  it("goes without a gallery, and says so, when the library is empty", () => {
    const site = new FakeSite();
    site.images = [];
    const played = play(site, "Create a page called Huts with a hero and a gallery");
    expect(inShort(played).at(-1)).toBe("page_create Huts | hero");
    expect(played.text).toContain("could not add the gallery, because the library has no image for it");
  });

  it.each([
    ["会社概要", "page-c6e7e8"],
    ["Контакты", "page-"],
    ["من نحن", "page-"],
  ])("has a name in any script: %s", (name, slug) => {
    const input = playHere(`Create a page called ${name} and publish it`).calls.find(
      (call) => call.name === "page_create",
    )?.input;
    expect(input).toMatchObject({ name, slug: expect.stringContaining(slug) });
    expect(input?.["slug"]).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/u);
  });
});
