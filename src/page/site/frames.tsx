import { useEffect, useState } from "react";

interface FramesProps {
  readonly address: string | null;
  readonly look: number;
  readonly title: string;
  readonly onPath: (path: string) => void;
}

interface Loads {
  /** oldest first: the one that is shown, then those that load */
  readonly frames: readonly { readonly key: string; readonly address: string }[];
  readonly shown: string | null;
}

/** A frame that is there takes the place of all older ones; one that was overtaken while it loaded changes nothing. */
export function withLoaded(loads: Loads, key: string): Loads {
  const at = loads.frames.findIndex((frame) => frame.key === key);
  return at === -1 ? loads : { frames: loads.frames.slice(at), shown: key };
}

/**
 * A page of the site in a frame that may run nothing, open nothing and send nothing; of the same origin, because it
 * could load none of its images otherwise. The next page loads out of sight and replaces the shown one when it is
 * ready, so that a reload does not flash. `onPath` gets the target of a followed link.
 */
export function Frames({ address, look, title, onPath }: FramesProps) {
  const wanted = address === null ? null : `${look} ${address}`;
  const [{ frames, shown }, setLoads] = useState<Loads>({ frames: [], shown: null });
  useEffect(() => {
    if (wanted === null || address === null) return;
    setLoads(({ frames, shown }) => ({
      frames: [...frames.filter(({ key }) => key !== wanted), { key: wanted, address }],
      shown,
    }));
  }, [wanted, address]);
  const loaded = (key: string, frame: HTMLIFrameElement): void => {
    const path = frame.contentWindow?.location.pathname ?? "";
    if (key === shown && path.startsWith("/site")) onPath(path);
    setLoads((loads) => withLoaded(loads, key));
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
