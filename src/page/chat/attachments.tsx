import type { FileUIPart } from "ai";
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { sentenceOf, sendFile } from "../api.ts";
import { Icon } from "../parts/icon.tsx";

/** Images and files that go with the next message: each is uploaded at once, so that sending only names it. */

const FILES_MAX = 5;
const IMAGE_MB_MAX = 10;
const FILE_MB_MAX = 20;
const TYPES =
  "image/jpeg,image/png,image/gif,image/webp,image/avif,.txt,.md,.markdown,.html,.htm,.csv,.tsv,.json,.xml,.log,.yaml,.yml,.pdf,.docx,.xlsx";

/** Response of `POST /api/uploads`: the path of a file, and its type. */
interface Uploaded {
  readonly url: string;
  readonly mediaType?: string;
}

export interface Attachment {
  readonly key: string;
  readonly file: File;
  /** share that has gone out, 0 to 1 */
  readonly sent: number;
  readonly part: FileUIPart | null;
  readonly failure: string | null;
}

export interface Attachments {
  readonly list: readonly Attachment[];
  /** one of them is on its way, or was refused */
  readonly isOpen: boolean;
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (key: string) => void;
  /** Takes all of them off, to be sent. */
  readonly take: () => readonly Attachment[];
  /** Puts back what could not be sent. */
  readonly putBack: (taken: readonly Attachment[]) => void;
}

/** The images and files of the next message of this session. `refuse` gets the reason for unacceptable files. */
export function useAttachments(session: string, refuse: (why: string) => void): Attachments {
  const [list, setList] = useState<readonly Attachment[]>([]);
  const running = useRef(new Map<string, AbortController>());
  const latest = useRef(list);
  latest.current = list;

  const change = useCallback((key: string, by: Partial<Attachment>) => {
    setList((all) => all.map((one) => (one.key === key ? { ...one, ...by } : one)));
  }, []);
  const drop = useCallback((keys: readonly string[]) => {
    for (const key of keys) {
      running.current.get(key)?.abort();
      running.current.delete(key);
    }
    setList((all) => all.filter(({ key }) => !keys.includes(key)));
  }, []);
  // Another session has other files.
  useEffect(() => () => drop(latest.current.map(({ key }) => key)), [session, drop]);

  const add = (files: Iterable<File>): void => {
    const free = FILES_MAX - latest.current.length;
    const given = [...files];
    if (given.length > free) refuse(`A message takes ${FILES_MAX} files. The others were left out.`);
    const added = given.slice(0, Math.max(0, free)).map((file): Attachment => ({
      key: crypto.randomUUID(),
      file,
      sent: 0,
      part: null,
      failure: tooLarge(file),
    }));
    setList((all) => [...all, ...added]);
    for (const { key, file, failure } of added) {
      if (failure !== null) continue;
      const controller = new AbortController();
      running.current.set(key, controller);
      void upload(session, key, file, controller.signal, (sent) => change(key, { sent })).then(
        (part) => change(key, { part, sent: 1 }),
        (thrown: unknown) => change(key, { failure: sentenceOf(thrown) }),
      );
    }
  };
  return {
    list,
    isOpen: list.some(({ part }) => part === null),
    add,
    remove: (key) => drop([key]),
    take: () => {
      const taken = latest.current;
      setList([]);
      return taken;
    },
    putBack: (taken) => setList((all) => [...taken, ...all]),
  };
}

const isImage = (file: File): boolean => file.type.startsWith("image/");

function tooLarge(file: File): string | null {
  const most = isImage(file) ? IMAGE_MB_MAX : FILE_MB_MAX;
  return file.size > most * 1_048_576 ? `larger than ${most} MB` : null;
}

/** One upload; the key of the attachment makes a repeat the same one. Throws an `ApiError`. */
async function upload(
  session: string,
  key: string,
  file: File,
  signal: AbortSignal,
  onProgress: (sent: number) => void,
): Promise<FileUIPart> {
  const form = new FormData();
  form.append("session", session);
  form.append("file", file);
  const { url, mediaType = "image/*" } = await sendFile<Uploaded>("/api/uploads", form, {
    key,
    signal,
    onProgress,
  });
  return { type: "file", mediaType: isImage(file) ? file.type : mediaType, url, filename: file.name };
}

/** The images and files above the box: how far each is, and a button that takes it off. */
export function AttachmentList({ attachments: { list, remove } }: { attachments: Attachments }) {
  if (list.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Files of this message">
      {list.map(({ key, file, sent, part, failure }) => (
        <li key={key} className={failure === null ? "attachment" : "attachment bad"}>
          {part !== null && part.url.startsWith("/media/") ? (
            <img src={part.url} alt="" />
          ) : (
            <Icon name={isImage(file) ? "image" : "file"} />
          )}
          <span className="attachment-name" title={file.name}>
            {file.name}
          </span>
          {failure === null ? null : <span role="alert">{failure}</span>}
          {failure === null && part === null ? (
            <progress max={1} value={sent} aria-label={`Uploading ${file.name}`} />
          ) : null}
          <button
            type="button"
            className="button quiet"
            aria-label={`Remove ${file.name}`}
            onClick={() => remove(key)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Chooses files from the machine. */
export function AttachButton({ add }: Pick<Attachments, "add">) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={TYPES}
        multiple
        hidden
        onChange={({ currentTarget }) => {
          add(currentTarget.files ?? []);
          // The same file may be chosen again.
          currentTarget.value = "";
        }}
      />
      <button
        type="button"
        className="button quiet"
        aria-label="Attach images or files"
        title="Attach images or files: choose, drop or paste them"
        onClick={() => input.current?.click()}
      >
        <Icon name="file" />
      </button>
    </>
  );
}

/** Files that are dropped anywhere on the conversation, while one may write in it. */
export function useDropped(
  inside: RefObject<HTMLElement | null>,
  may: boolean,
  add: Attachments["add"],
): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(add);
  latest.current = add;
  useEffect(() => {
    const area = inside.current?.closest<HTMLElement>(".chat");
    if (!may || area == null) return;
    const listening = new AbortController();
    const on = (
      name: "dragenter" | "dragover" | "dragleave" | "drop",
      act: (event: DragEvent) => void,
    ): void =>
      area.addEventListener(
        name,
        (event) => {
          if (event.dataTransfer?.types.includes("Files") === true) act(event);
        },
        { signal: listening.signal },
      );
    on("dragenter", () => setOver(true));
    on("dragover", (event) => {
      event.preventDefault();
      setOver(true);
    });
    on("dragleave", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && area.contains(relatedTarget))) setOver(false);
    });
    on("drop", (event) => {
      event.preventDefault();
      setOver(false);
      latest.current(event.dataTransfer?.files ?? []);
    });
    return () => listening.abort();
  }, [inside, may]);
  return over;
}
