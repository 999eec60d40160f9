import { useEffect, useState } from "react";

interface FramesProps {
  readonly address: string | null;
  readonly look: number;
  readonly title: string;
  readonly onPath: (path: string) => void;
}

/**
 * A page of the site in a frame that may run nothing, open nothing and send nothing; of the same origin, or it could load
 * none of its images. What is loaded next loads out of sight and takes the place of what is shown when it is there, so
 * that a reload does not flash. `onPath` hears where a link in it has led.
 */
export function Frames({ address, look, title, onPath }: FramesProps) {
  const wanted = address === null ? null : `${look} ${address}`;
  const [frames, setFrames] = useState<readonly { readonly key: string; readonly address: string }[]>([]);
  const [shown, setShown] = useState<string | null>(null);
  useEffect(() => {
    if (wanted === null || address === null) return;
    setFrames((known) => [...known.filter(({ key }) => key !== wanted), { key: wanted, address }]);
  }, [wanted, address]);
  const loaded = (key: string, frame: HTMLIFrameElement): void => {
    const path = frame.contentWindow?.location.pathname ?? "";
    if (key === shown && path.startsWith("/site")) onPath(path);
    setShown(key);
    setFrames((known) => known.slice(known.findIndex((frame) => frame.key === key)));
  };
  return (
    <div className="site-frames" aria-busy={shown !== wanted}>
      {frames.map((frame) => (
        <iframe
          key={frame.key}
          src={frame.address}
          sandbox="allow-same-origin"
          referrerPolicy="no-referrer"
          title={title}
          data-shown={frame.key === shown}
          aria-hidden={frame.key !== shown}
          tabIndex={frame.key === shown ? 0 : -1}
          onLoad={(event) => loaded(frame.key, event.currentTarget)}
        />
      ))}
    </div>
  );
}
