import { parentOf } from "../core/log/names.ts";
import { cleanName, filesOf, isFileId } from "./store.ts";

/**
 * The id of a file that a model names as a person does, such as `report.pdf`: of this session, or of the nearest one above it
 * that has such a file. What is an id already stays. Null where no file is called so, and where several are.
 */
export async function fileIdOf(
  bucket: R2Bucket,
  session: string,
  given: string,
  createdAt?: number,
): Promise<string | null> {
  if (isFileId(given)) return given;
  const name = cleanName(given);
  let files = await filesOf(bucket, session, createdAt);
  for (let above = parentOf(session); ; above = parentOf(above.session)) {
    const exact = files.filter((file) => file.name === name);
    const alike = files.filter((file) => file.name.toLowerCase() === name.toLowerCase());
    const [found, another] = exact.length > 0 ? exact : alike;
    if (found !== undefined) return another === undefined ? found.id : null;
    if (above === null) return null;
    files = await filesOf(bucket, above.session);
  }
}
