/** Updates of Telegram about the parts of one album, as its Bot API posts them. */

export const ANDREY = {
  id: 250918540,
  is_bot: false,
  first_name: "Андрей",
  username: "aka_dude",
  language_code: "en",
};

interface Part {
  /** place in the album, from 1 */
  readonly n: number;
  readonly caption?: string;
  /** name of a document; a photo without one */
  readonly document?: string;
  /** further fields of the message */
  readonly more?: object;
}

let updates = 198_000;

function partOf(album: string, { n, caption, document, more = {} }: Part) {
  const file = { file_id: `${album}-${n}`, file_unique_id: `u-${album}-${n}`, file_size: 22 };
  const content =
    document === undefined
      ? {
          photo: [
            { ...file, file_id: `${album}-${n}-thumb`, width: 90, height: 60 },
            { ...file, width: 1280, height: 720 },
          ],
        }
      : { document: { ...file, file_name: document, mime_type: "text/plain" } };
  return {
    message_id: 700 + n,
    from: ANDREY,
    chat: { id: ANDREY.id, first_name: "Андрей", type: "private" },
    date: 1567927221,
    media_group_id: album,
    ...content,
    ...(caption === undefined ? {} : { caption }),
    ...more,
  };
}

/** A part as it is sent. */
export const sent = (album: string, part: Part): object => ({
  update_id: (updates += 1),
  message: partOf(album, part),
});

/** A part as it is after a change, `seconds` later. */
export const edited = (album: string, part: Part, seconds = 1): object => ({
  update_id: (updates += 1),
  edited_message: { ...partOf(album, part), edit_date: 1567927221 + seconds },
});
