import type { Token } from "./tokens.ts";

/** Words for a section template, longest first. `null` in the last place: any section. */
const SECTION_PHRASES: readonly (readonly [string, string])[] = (
  [
    ["hero image section", "hero"],
    ["hero section", "hero"],
    ["hero banner", "hero"],
    ["hero image", "hero"],
    ["hero picture", "hero"],
    ["hero photo", "hero"],
    ["header image", "hero"],
    ["header picture", "hero"],
    ["hero block", "hero"],
    ["hero area", "hero"],
    ["hero", "hero"],
    ["heroes", "hero"],
    ["banner", "hero"],
    ["feature section", "feature"],
    ["features section", "feature"],
    ["feature list", "feature"],
    ["feature grid", "feature"],
    ["list of features", "feature"],
    ["feature block", "feature"],
    ["features block", "feature"],
    ["features", "feature"],
    ["feature", "feature"],
    ["benefits", "feature"],
    ["highlights", "feature"],
    ["call to action section", "cta"],
    ["call to action", "cta"],
    ["call-to-action section", "cta"],
    ["call-to-action", "cta"],
    ["cta section", "cta"],
    ["cta", "cta"],
    ["ctas", "cta"],
    ["image gallery", "gallery"],
    ["photo gallery", "gallery"],
    ["picture gallery", "gallery"],
    ["gallery section", "gallery"],
    ["gallery of images", "gallery"],
    ["gallery of pictures", "gallery"],
    ["gallery of photos", "gallery"],
    ["gallery", "gallery"],
    ["galleries", "gallery"],
    ["slideshow", "gallery"],
    ["carousel", "gallery"],
    ["image-text section", "image-text"],
    ["image-text", "image-text"],
    ["image text", "image-text"],
    ["image/text", "image-text"],
    ["image and text section", "image-text"],
    ["image and text", "image-text"],
    ["image with text", "image-text"],
    ["image next to text", "image-text"],
    ["picture and text", "image-text"],
    ["picture with text", "image-text"],
    ["photo and text", "image-text"],
    ["text and image section", "image-text"],
    ["text and image", "image-text"],
    ["text and an image", "image-text"],
    ["text and picture", "image-text"],
    ["text and a picture", "image-text"],
    ["text and photo", "image-text"],
    ["text with image", "image-text"],
    ["text with an image", "image-text"],
    ["text with a picture", "image-text"],
    ["text with picture", "image-text"],
    ["text section", "image-text"],
    ["text block", "image-text"],
  ] as [string, string][]
).sort((a, b) => b[0].split(" ").length - a[0].split(" ").length);

const SECTION_FORMS = SECTION_PHRASES.map(([phrase, template]) => ({ words: phrase.split(" "), template }));

/** The section template that the words at this place name, or null. */
export function sectionAt(tokens: readonly Token[], at: number): { template: string; length: number } | null {
  const form = SECTION_FORMS.find(({ words: own }) =>
    own.every((word, index) => tokens[at + index]?.lower === word),
  );
  return form === undefined ? null : { template: form.template, length: form.words.length };
}
