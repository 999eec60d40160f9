import type { SiteContext } from "../context.ts";

/** Texts of the layout itself. A missing language gets the English ones. */
const ENGLISH = {
  skip: "Skip to content",
  menu: "Menu",
  close: "Close menu",
  mainNavigation: "Main",
  footerNavigation: "Footer",
  languages: "Language",
  submenu: (label: string) => `More under ${label}`,
  draft: "Draft",
  draftNote: "This is a preview. It may differ from the public site.",
  hidden: "Hidden on the public page",
  noRenderer: (name: string) => `“${name}” cannot be shown: there is no renderer for this template.`,
  gallery: "Images",
  pages: "Pages",
  page: (page: number, pages: number) => `Page ${page} of ${pages}`,
  newer: "Newer",
  older: "Older",
  tags: "Tags",
  by: "By",
  allOf: (name: string) => `All of ${name}`,
  notFound: "Page not found",
  notFoundNote: "There is nothing at this address. It may have moved or been removed.",
  home: "Go to the start page",
};

export type Words = typeof ENGLISH;

const GERMAN: Words = {
  skip: "Zum Inhalt springen",
  menu: "Menü",
  close: "Menü schließen",
  mainNavigation: "Hauptnavigation",
  footerNavigation: "Fußzeile",
  languages: "Sprache",
  submenu: (label) => `Mehr unter ${label}`,
  draft: "Entwurf",
  draftNote: "Dies ist eine Vorschau. Sie kann von der öffentlichen Seite abweichen.",
  hidden: "Auf der öffentlichen Seite ausgeblendet",
  noRenderer: (name) => `„${name}“ kann nicht angezeigt werden: Für diese Vorlage fehlt die Darstellung.`,
  gallery: "Bilder",
  pages: "Seiten",
  page: (page, pages) => `Seite ${page} von ${pages}`,
  newer: "Neuere",
  older: "Ältere",
  tags: "Schlagwörter",
  by: "Von",
  allOf: (name) => `Alle Einträge: ${name}`,
  notFound: "Seite nicht gefunden",
  notFoundNote: "Unter dieser Adresse gibt es nichts. Vielleicht wurde die Seite verschoben oder entfernt.",
  home: "Zur Startseite",
};

/** The words of the layout in the language of the page. */
export function layoutWords(context: SiteContext): Words {
  return /^de\b/i.test(context.locales[0] ?? "") ? GERMAN : ENGLISH;
}
