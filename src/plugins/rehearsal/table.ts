import {
  addToNavigation,
  cancelPublishing,
  createPages,
  deletePages,
  publishDrafts,
} from "./wishes/pages.ts";
import { removeFromNavigation, setStatus, updatePage } from "./wishes/pages.ts";
import { addSections, changeText, deleteSection, hideSection, moveSection } from "./wishes/sections.ts";
import { FILES } from "./rows/files.ts";
import { row, type Intent } from "./intent.ts";
import type { Does } from "./site.ts";
import { RESEARCH } from "./rows/research.ts";
import { SCHEDULES } from "./rows/schedules.ts";
import { STRUCTURE } from "./rows/structure.ts";
import * as images from "./wishes/images.ts";
import * as posts from "./wishes/posts.ts";
import * as work from "./wishes/work.ts";
import { tellFound, tellNavigation, tellPage, tellPages, tellPosts } from "./wishes/tell.ts";

/**
 * The table of intents. A row is a wish that the rehearsal model knows: the shapes that it has in words (shapes.ts says
 * how they are written, slots.ts what the slots take), and what is done for it: what is read, which calls, what is said.
 * What no row has a shape for is not done. A new capability is a new row.
 */

/** Says a fixed text; an empty one is no answer of its own. */
function say(text: string): Does {
  // eslint-disable-next-line require-yield -- it only speaks
  return function* (desk) {
    if (text !== "") desk.say("told", text);
  };
}

const LEFT = say("All right: I changed nothing there.");

const MAKE =
  "(create|make|build|set up|write|generate|add|i need|we need|i want|i would like|i'd like) [me|us] [to have]";
const ERSTELLE = "(erstelle|erstell|mach|baue|lege|leg|ich brauche|wir brauchen) [mir|uns]";
const A = "(a|an|the|one|another) [brand new|new|nice|simple]";
const CALLED = "(called|named|titled|entitled|with the name|with the title|:)";
const WITH = "[[,] (with|featuring|including) {sections}] [as a draft]";
const SLUG = "(address|slug|url)";
const EINE = "(eine|ne) [neue]";
const NAMENS = "[namens|mit dem namen|mit dem titel|genannt]";
const SET = "(change|set|update|edit|make|modify)";
/** The new words; "say" belongs to them unless they stand in quotes. */
const TO = "[:] ((to|into|as) {value}|(to|into|as) (say|read|be|:) {quoted})";
const ADD = "(add|put|include|link|place|insert|list)";
const DELETE = "(remove|delete|drop|get rid of)";
const ON = "(on|of|from|in|at|for)";
const VON = "(von|der|des|vom|im|in der|auf der|auf|in)";
const DONT = "[but] (do not|don't|dont|never)";
const WHICH =
  "(which|what|how many|list|list all|show|show me|show all|give me|any|are there [any]|welche|wie viele)";
const HAVE = "(do|does) (we|i|the site|this site|my site|our site) have";
const THERE = `[are there|${HAVE}|are on the site|have we got|gibt es|haben wir|on the site|are there on the site]`;

const ABOUT = "(about|on|called|titled|named)";
const COVER = "[,] with (a|some) [nice] (cover|cover image|cover picture|picture|photo|image)";
const POST = "((the|that|this|my|our) (post|blog post|article))";
const LAST = "(the|your|my) last (change|edit|thing|operation)";
const SENT = "[that|which] (i|we) [just|have just|have] (sent|uploaded|dropped|attached|gave you)";
const PHOTO = `(it|that|this|(the|this|that|my|our) [new] (photo|image|picture|file) [${SENT}])`;
const SETS = "(set|change set|set of changes|changeset)";
const CHANGES =
  "((these|those|the|my|our|all|all the|my next|the next|next|collected|the collected) changes)";

export const INTENTS: readonly Intent[] = [
  row("create a page", "write", createPages)`
    ${MAKE} (a|an|another) [new] page [called|named|titled] ${WITH}
    ${ERSTELLE} ${EINE} seite [mit {sections}] [an]
    ${MAKE} (${A}|new) page (${CALLED} {name}|{quoted-name}) ${WITH}
    ${MAKE} ${A} {kind} page ${WITH}
    ${MAKE} ${A} page (about|on) {name} ${WITH}
    new page ${CALLED} {name} ${WITH}
    (create|make|build|set up|add|generate) [a|a new|new|the] page [${CALLED}] {name} (${WITH}|with the ${SLUG} {slug})
    ${MAKE} (two|three|2|3|the|these|some|new) [new] pages [${CALLED}] {names} ${WITH}
    ${ERSTELLE} ${EINE} (seite ${NAMENS} {name}|{kind} seite) [mit {sections}] [an]
    ${EINE} seite ${NAMENS} {name} (erstellen|anlegen)
  `,
  row("call it", "write", updatePage("name"))`
    [no|sorry|actually|wait|no wait|hmm|hmm actually|but] [,] (call|name) it {name} [instead]
    [no|sorry|actually|but] [,] it should be (called|named) {name} [instead]
    [nein|doch|ach nee] [,] (nenn|nenne) (sie|es) [doch] [lieber|stattdessen] {name}
  `,
  row("publish", "write", work.orTheSet(work.publishSet, setStatus("published")))`
    (publish|release|go live with) {page} [too|as well|again]
    (publish|veröffentlichen)
    (put|make|set|take|bring) {page} [to] (live|public|online|published)
    {named} (should be|needs to be|must be) (published|public|live|online)
    (veröffentliche|publiziere) {page}
    {page} (veröffentlichen|online stellen|kann online gehen|soll online gehen)
  `,
  row("publish all drafts", "write", publishDrafts)`
    publish (everything|all draft pages|all drafts|all the drafts|all pages|every draft)
    veröffentliche (alles|alle entwürfe|alle seiten)
  `,
  row("unpublish", "write", setStatus("unpublished"))`
    (unpublish|un-publish|take down) {page}
    (take|bring|pull) {page} (offline|down|off the site|off the website)
    (put|set|turn|change) {page} [back] (to|into) [a] draft
    (nimm {page} offline|{page} offline nehmen)
  `,
  row("add to the navigation", "write", addToNavigation)`
    ${ADD} {page} (in|to|into|on|from) {place} [too|as well|only|(as|labelled) {value}]
    ${ADD} [to|in|into] {place} [too|as well]
    (in|into|to) {place} [,] ${ADD} {page}
    {named} (should be|belongs|should go) (in|into|on) {place}
    (füge|nimm|setze|setz) {page} (in|zu|zur|zum|ins|auf) {place} [ein|hinzu|auf]
  `,
  row("remove from the navigation", "write", removeFromNavigation)`
    (${DELETE}|take|kick|hide|unlink) {page} (from|out of|off|in) {place}
    (entferne|nimm|lösche|lösch) {page} (aus|von) {place} [raus|heraus]
  `,
  row("rename a page", "write", updatePage("name"))`
    rename {page} ${TO}
    call {named} {quoted}
    ${SET} ({whose} name|(the|its) name [of {page}]|the title of {page}) ${TO}
    (benenne|nenne|nenn) {page} (in|zu) {value} [um]
    {page} (in|zu) {value} umbenennen
    {named} soll [jetzt] {value} heißen
  `,
  row("change a slug", "write", updatePage("slug"))`
    ${SET} ({whose} ${SLUG}|(the|its) ${SLUG} [(of|for) {page}]) to {slug}
    the ${SLUG} of {page} should be {slug}
  `,
  row("delete a page", "write", deletePages)`
    ${DELETE} {page} [too|as well|completely]
    ((lösche|lösch|entferne) {page}|{page} löschen)
  `,
  row("add a section", "write", addSections)`
    (add|insert|put|include) {sections} [(to|on|in|into|at) {page}] [{where}]
    (add|insert|put|include) {sections} {where} [(of|on|in|to) {page}]
    (on|in|to) {page} [,] (add|insert|put|include) {sections} [{where}]
    ({named} needs|give {page}) {sections}
  `,
  row("move a section", "write", moveSection)`
    (move|put|place) ({section} [${ON} {page}]|{whose} {section}) {where}
    (move|put|place) {section} {where} ${ON} {page}
    (on|in) {page} [,] (move|put|place) {section} {where}
  `,
  row("hide a section", "write", hideSection)`
    hide ({section} [${ON} {page}]|{whose} {section}|it)
    (on|in) {page} [,] hide {section}
  `,
  row("delete a section", "write", deleteSection)`
    ${DELETE} ({section} [${ON} {page}]|{whose} {section})
    (on|in) {page} [,] ${DELETE} {section}
    (lösche|lösch|entferne) {section} [${VON} {page}]
    {section} ${VON} {page} kann weg
  `,
  row("change a text", "write", changeText)`
    ${SET} ({field} ${ON} {section}|{section} {field}) [${ON} {page}] ${TO}
    ${SET} ({whose} {section} {field}|{field} ${ON} {whose} {section}) ${TO}
    ${SET} ({field} ${ON} {named} {section}|{named} {section} {field}) ${TO}
    ${SET} ({headline} ${ON} {page}|{whose} {headline}) ${TO}
    [on] {page} (:|,) ${SET} ({section} {field}|{field} ${ON} {section}) ${TO}
    {section} ${ON} {page} : ${SET} (its|the) {field} ${TO}
    {field} ${ON} {section} ${ON} {page} (should|must) (be|say|read) {value}
    replace {field} ${ON} {section} ${ON} {page} (with|by) {value}
    give {section} ${ON} {page} {field} {value}
    (ändere|änder|setze) ({headline}|{field} ${VON} {section}) ${VON} {page} (auf|in|zu) {value}
  `,
  row("write a post", "write", posts.writePost(false))`
    (write|create|make|add|draft|compose) (a|an|another) [new|short] (post|blog post|article) ${ABOUT} {name} [as a draft]
    (schreibe|schreib|erstelle|verfasse) [mir|uns] (einen|ne) [neuen|kurzen] (beitrag|artikel|blogbeitrag) (über|zu|namens) {name}
  `,
  row("write a post with a cover", "write", posts.writePost(true))`
    (write|create|make|add|draft|compose) (a|an|another) [new|short] (post|blog post|article) ${ABOUT} {name} ${COVER} [as a draft]
    (schreibe|schreib|erstelle|verfasse) [mir|uns] (einen|ne) [neuen|kurzen] (beitrag|artikel|blogbeitrag) (über|zu|namens) {name} mit [einem] (titelbild|bild)
  `,
  row("publish at a time", "write", posts.setPostStatus("published"))`
    (publish|release|post) (it|that|this|${POST}) {when}
    (publish|release) ${POST} {name} {when}
    (veröffentliche|veröffentlichen) (es|ihn|das) {when}
  `,
  row("cancel the time of a post", "write", posts.setPostStatus("unscheduled"))`
    (cancel|call off|stop) [the] (publishing|publication|release) of ${POST} [{name}]
    ${DONT} (publish|release|post) (it|that|this|${POST}) [then|later|today|tonight|tomorrow] after all
    (veröffentliche|veröffentlichen) (es|ihn|das) [heute|morgen] doch nicht
  `,
  row("cancel the time of a page", "write", cancelPublishing)`
    (cancel|call off|stop) [the] (publishing|publication|release) of {page}
  `,
  row("publish a post", "write", posts.setPostStatus("published"))`
    (publish|release|put online|go live with) ${POST} [{name}] [now]
    (veröffentliche|publiziere) (den|diesen) (beitrag|artikel) [{name}]
  `,
  row("unpublish a post", "write", posts.setPostStatus("unpublished"))`
    (unpublish|take down) ${POST} [{name}]
    take ${POST} [{name}] (offline|down|off the site)
    nimm (den|diesen) (beitrag|artikel) [{name}] offline
  `,
  row("archive a post", "write", posts.setPostStatus("archived"))`
    archive ${POST} [{name}]
    put ${POST} [{name}] into the archive
    (archiviere|archivier) (den|diesen) (beitrag|artikel) [{name}]
  `,
  row("rename a post", "write", posts.renamePost)`
    rename ${POST} [{name}] ${TO}
    ${SET} the title of ${POST} [{name}] ${TO}
    (benenne|nenne) (den|diesen) (beitrag|artikel) [{name}] in {value} um
  `,
  row("put a post into a category", "write", posts.categorisePost)`
    (put|move|file) ${POST} [{name}] (in|into|under) the category {value}
    ${SET} the category of ${POST} [{name}] ${TO}
  `,
  row("delete a post", "write", posts.deletePost)`
    ${DELETE} ${POST} [{name}]
    (lösche|lösch|entferne) (den|diesen) (beitrag|artikel) [{name}]
  `,
  row("use an image in a section", "write", images.showInSection)`
    (use|take|put|set|show|place) ${PHOTO} (as|for|in|into) [the|its|a] [new] (hero|hero image|hero picture|hero section|header image|title image) ${ON} {page}
    (use|put|show|place) ${PHOTO} (in|into|as|for) {section} ${ON} {page}
    (nimm|verwende|nutze|setze) (es|das bild|das foto|dieses bild|dieses foto) (als|für) [das|den] (hero|hero-bild|herobild|titelbild) ${VON} {page} [ein]
  `,
  row("use an image as a cover", "write", images.useAsCover)`
    (use|take|set|put) ${PHOTO} (as|for) [the|its] [new] (cover|cover image|cover picture|cover photo) (of|for|on) ${POST} [{name}]
    make ${PHOTO} the (cover|cover image) of ${POST} [{name}]
    (nimm|verwende|nutze) (es|das bild|das foto) als titelbild (des|für den|vom) (beitrags|beitrag|artikels|artikel) [{name}]
  `,
  row("use an image", "talk", images.askWhere)`
    (use|take|here is|here's|this is|look at) ${PHOTO}
    (here is|here's) (a|an|the|my|our) [new] (photo|image|picture)
    (nimm|verwende) (das bild|das foto|dieses bild)
  `,
  row("describe an image", "write", images.describeImage)`
    ${SET} the (alt text|alternative text|alt) of ${PHOTO} ${TO}
    describe ${PHOTO} as {value}
  `,
  row("delete an image", "write", images.deleteImage)`
    ${DELETE} (the|this|that|my) (photo|image|picture|file) [${SENT}] [from the library]
  `,
  row("rename the site", "write", work.changeSetting("title"))`
    ${SET} (the title of the (site|website)|the (site|website) title|the name of the (site|website)) ${TO}
    rename the (site|website) ${TO}
    (nenne|benenne) die website [in] {value} [um]
  `,
  row("change the tagline", "write", work.changeSetting("tagline"))`
    ${SET} (the tagline|the slogan) [of the (site|website)] ${TO}
  `,
  row("change the colour", "write", work.changeSetting("accent"))`
    ${SET} the [accent|main] (colour|color) [of the (site|website)] (to|into) {colour}
  `,
  row("choose the home page", "write", work.makeHome)`
    make {page} the (home page|homepage|start page|front page)
    {page} (should be|shall be) the (home page|homepage|start page|front page)
  `,
  ...STRUCTURE,
  ...RESEARCH,
  ...FILES,
  ...SCHEDULES,
  row("take it back", "write", work.takeBack("undo"))`
    (undo|revert) [that|it|this|everything you just did|${LAST}]
    take (that|it|this|${LAST}) back
    take back (that|it|this|${LAST})
    (that was wrong|no) [,] (undo|revert) (that|it|this)
    (mach|mache|nimm) (das|es|die letzte änderung) (rückgängig|zurück|wieder rückgängig)
  `,
  row("do it again", "write", work.takeBack("redo"))`
    redo [that|it|this|${LAST}]
    undo the undo
    do (that|it) again after all
    (stell|stelle) (das|es) wieder her
  `,
  row("put it back as it was this morning", "write", work.putBack("this morning"))`
    (put|bring|set|restore|reset|change) {page} [back] (as|to how|to what|like|how) it was (this morning|in the morning)
    (stell|stelle) {page} [wieder] (so her wie heute morgen|her wie heute morgen)
  `,
  row("put it back as it was yesterday", "write", work.putBack("yesterday"))`
    (put|bring|set|restore|reset|change) {page} [back] (as|to how|to what|like|how) it was yesterday
  `,
  row("put it back as it was last week", "write", work.putBack("last week"))`
    (put|bring|set|restore|reset|change) {page} [back] (as|to how|to what|like|how) it was (last week|a week ago)
  `,
  row("put it back as it is published", "write", work.putBack("published"))`
    (put|bring|set|restore|reset) {page} [back] (as|to how|to what|like|how) (it is published|visitors see it|it is online|is published)
    (throw|drop|discard) the (edits|draft edits|unpublished edits) (of|on) {page} [away]
  `,
  row("collect changes", "write", work.beginSet)`
    collect [all|all of] ${CHANGES} [in (a|the) [new] ${SETS}] [(and|,) show (them|it) [to] [me] [before (anything|something|it|they) (goes|go) (live|public|online)]|before (anybody|anyone|somebody|visitors) (sees|see) (them|it|anything)|first]
    (show|ask) me [everything|it all] before (anything|something) (goes|becomes) (live|public|online)
    (begin|start|open) (a|the|another) [new] ${SETS} [(called|named) ({quoted}|{value})]
    (sammle|sammel) [alle|die|meine|diese] änderungen
  `,
  row("publish the set", "write", work.publishSet)`
    (publish|release|go live with) ((the|this|my|our|that) ${SETS}|${CHANGES}) [now|as a whole|{when}]
    (veröffentliche|publiziere) (die änderungen|das set|die gesammelten änderungen)
  `,
  row("throw the set away", "write", work.discardSet)`
    (throw|drop|discard|cancel) [away] ((the|this|my|our|that) ${SETS}|${CHANGES}) [away]
    throw it away
    (verwirf|verwerfe) (die änderungen|das set|die gesammelten änderungen|es)
  `,
  row("show the set", "read", work.tellSet)`
    (show|show me|read|read me|list) ((the|this|my|our|that) ${SETS}|the collected changes|what (is|was) collected)
    (what is|what's|whats) in (the|this|my|that) ${SETS}
    what would (go live|be published|change)
    zeig [mir] (das set|die gesammelten änderungen)
  `,
  row("tell what changed today", "read", work.tellChanges("today"))`
    what (did you (change|do)|have you (changed|done)|was changed|has changed|changed) [on the site] today
    (show|show me|list) [me] (what changed|the changes|all changes) (today|of today)
    was (hast du|wurde) heute (geändert|gemacht)
  `,
  row("tell what changed on a page", "read", work.tellPageChanges)`
    ((what|who) (changed|has changed|was changed|did you change|have you changed) on {page}|who (changed|has changed) {page})
    (show|show me|list) [me] the (history|changes) of {page}
    was wurde (auf|an) {page} geändert
  `,
  row("tell what is not public of a page", "read", work.tellDifference)`
    ((what is|what's|whats) (different|not public [yet]|unpublished) (on|of|in) {page}|what would change if {page} (was|were|is) published)
    compare {page} with (what visitors see|what is published|the published page)
  `,
  row("tell what changed", "read", work.tellChanges("session"))`
    what (did you (change|do)|have you (changed|done)|was changed|has changed|changed) [so far|here|in this conversation]
    (show|show me|list) [me] ([the] history|(the|my|all|all the) changes [so far|here])
    was (hast du|wurde) [bisher] (geändert|gemacht)
  `,
  row("check the site", "read", work.checkSite)`
    (check|audit|review) (the|our|my) [whole] (site|website)
    (is|are) (anything|something|there any problems|there any mistakes) [broken|wrong] on the (site|website)
    (what is|what's) (wrong|broken) on the (site|website)
    (prüfe|prüf) die website
  `,
  row("list the pages", "read", tellPages("page", {}))`
    ${WHICH} [all|all the|of] [the|our|my] (pages|seiten) ${THERE}
    [the] pages
    how many pages are there
  `,
  row("list the drafts", "read", tellPages("draft", { status: "draft" }))`
    ${WHICH} [the|our|all] (drafts|draft pages|entwürfe) ${THERE}
    which pages are [still] (drafts|in draft)
  `,
  row("list what is not published", "read", tellPages("unpublished page", { dirtyOnly: true }))`
    (which|what) [pages|drafts] (are|is) (not published|unpublished) [yet]
    are there any pages that (aren't|arent|are not) published yet
    (what waits|does anything wait) to be published
    was ist [denn] noch nicht veröffentlicht
  `,
  row("tell what is on a page", "read", tellPage)`
    (what is|what's|whats|was ist|was steht) (on|auf) {page}
    [can you tell me|tell me|show me] (which|what|how many) sections (are on|does|has) {page} [have]
    (does|has) {page} [have] (a|an) {section}
    (show|show me|read|describe) {named}
    is {page} (published|public|live|online|a draft)
  `,
  row("tell the navigation", "read", tellNavigation)`
    (what is|what's|whats|was ist|was steht) (in|im|in der) {place}
    [show|list|show me|tell me] {place}
    (which|what) (pages|links|items|entries) are (in|on) {place}
    (is|ist) {page} (in|on|im) {place}
  `,
  row("list the posts", "read", tellPosts)`
    ${WHICH} [all|the|our] (posts|blog posts|articles|beiträge) ${THERE} [and what are they called]
  `,
  row("search the site", "read", tellFound)`
    (find|search for|search|look for|suche) {query} [on the site]
    (where|which page|which pages|where on the site) [do we|does the site|does it] (mention|mentions|say|says) [the] {query}
    (is there|do we have|do we already have) a page about [the] {query}
  `,
  row("leave a draft", "talk", LEFT, "publish", "publish all drafts")`
    [but] (leave|keep) (it|them|{page}) [as] [a|in] (draft|drafts)
    ${DONT} publish [{page}] [yet]
    [but] not published [yet]
    [aber] [noch] nicht veröffentlichen
  `,
  row("leave the navigation", "talk", LEFT, "add to the navigation")`
    ${DONT} ${ADD} {page} (to|in|into|on) {place} [yet]
  `,
  row("not there", "talk", say(""))`
    [but] not [in|to|into|on] {place}
    [but] (leave|keep) it (in|on) {place}
    im {place} soll (es|sie) bleiben
  `,
  row("delete nothing", "talk", LEFT, "delete a page", "delete a section")`
    ${DONT} delete ({page}|{section} [on {page}])
    [aber] nicht löschen
  `,
  row("leave it", "talk", LEFT, "any")`
    ${DONT} (remove|change|touch|unpublish|rename|move|hide) ({page}|{section} [on {page}])
    [no] [,] (leave|keep) (it|everything) [as it is]
  `,
  row("greet", "talk", say(""))`
    (hi|hello|hey|good morning|good afternoon|good evening|hallo|guten morgen|guten tag) [,] [there|cairn|all|again]
  `,
  row("help", "talk", say(""))`
    (help [me]|what can you do [for me]|(who|what) are you)
    (hilfe|was kannst du|wer bist du)
  `,
  row("thank", "talk", say("You are welcome. Tell me when there is more to do on the site."))`
    (thanks|many thanks|thank you|thx|cheers|danke|vielen dank) [a lot|so much|very much|in advance|again]
    (great|perfect|nice|super|cool|good job|well done|toll|prima)
  `,
];
