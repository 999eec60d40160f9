import * as z from "zod";
import { refuse } from "./faults.ts";

/** Files that a run specification names: by the id or the path that `POST /api/uploads` answers. */

export const RUN_FILES_MAX = 20;
const REF_CHARS_MAX = 300;

const FILE_ID = /^f_[0-9a-f]{24}$/;
const FILE_PATH = /^\/uploads\/f_[0-9a-f]{24}$/;
const IMAGE_PATH = /^\/media\/[0-9a-f]{64}\/[^/\s?#]{1,200}$/;

/** The path of one file. */
const file = z
  .string()
  .max(REF_CHARS_MAX)
  .transform((given, context) => {
    if (FILE_ID.test(given)) return `/uploads/${given}`;
    if (FILE_PATH.test(given) || IMAGE_PATH.test(given)) return given;
    refuse(
      context,
      "not_a_file",
      "It must be the fileId or the url that POST /api/uploads answered, such as f_0123456789abcdef01234567.",
    );
    return z.NEVER;
  });

export const runFiles = z.array(file).max(RUN_FILES_MAX);
