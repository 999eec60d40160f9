import { expect, test } from "vitest";
import { cmsSettings } from "../../../src/plugins/cms/settings.ts";

function read(env: Record<string, unknown>) {
  const problems: string[] = [];
  const { autoseed } = cmsSettings({ MEDIA: {}, ...env }, (variable) => void problems.push(variable));
  return { autoseed, problems };
}

test.each([
  [undefined, true, []],
  [" ", true, []],
  ["0", false, []],
  [0, false, []],
  ["false", false, []],
  [false, false, []],
  ["1", true, []],
  [true, true, []],
  ["maybe", true, ["CMS_AUTOSEED"]],
  [{}, true, ["CMS_AUTOSEED"]],
])("CMS_AUTOSEED = %j", (value, autoseed, problems) => {
  expect(read({ CMS_AUTOSEED: value })).toEqual({ autoseed, problems });
});

test("a missing bucket is a problem", () => {
  expect(read({ MEDIA: undefined }).problems).toEqual(["MEDIA"]);
});

test.each([
  [undefined, null, []],
  [" ", null, []],
  ["0123456789abcdef", "0123456789abcdef", []],
  ["éééééééé", "éééééééé", []],
  ["short", null, ["PREVIEW_SECRET"]],
  [5, null, ["PREVIEW_SECRET"]],
])("PREVIEW_SECRET = %j", (value, secret, named) => {
  const problems: string[] = [];
  const { previewSecret } = cmsSettings(
    { MEDIA: {}, PREVIEW_SECRET: value },
    (variable) => void problems.push(variable),
  );
  expect({ previewSecret, problems }).toEqual({ previewSecret: secret, problems: named });
});
