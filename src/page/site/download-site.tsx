import { useEffect, useRef, useState } from "react";
import { sentenceOf } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { downloadSite } from "./site-file.ts";

const MEGABYTE = 1_048_576;
/** Until a browser has begun to keep what it was handed. */
const ADDRESS_MS = 60_000;

/** The site as one file: what `npm run site -- import` takes in elsewhere. */
export function DownloadSite({ environment }: { environment: string | null }) {
  const [bytes, setBytes] = useState<number | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setFault(null);
    setBytes(0);
    try {
      const { signal } = controller;
      const file = await downloadSite({ environment, signal, onProgress: setBytes });
      save(file.blob, file.name);
    } catch (error) {
      if (!controller.signal.aborted) setFault(sentenceOf(error));
    }
    if (running.current === controller) setBytes(null);
  };
  const stop = (): void => {
    running.current?.abort();
    running.current = null;
    setBytes(null);
  };

  const label = bytes === null ? "Download the site" : "Stop the download";
  return (
    <>
      <button
        className="button quiet site-download"
        aria-label={label}
        title={label}
        onClick={bytes === null ? () => void start() : stop}
      >
        <Icon name={bytes === null ? "down" : "close"} />
        <span>{label}</span>
      </button>
      <span role="status" className={bytes === null ? "visually-hidden" : "small soft"}>
        {bytes === null ? "" : `Downloading, ${(bytes / MEGABYTE).toFixed(1)} MB`}
      </span>
      {fault === null ? null : (
        <p className="site-download-fault small" role="alert">
          {fault}
        </p>
      )}
    </>
  );
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), ADDRESS_MS);
}
