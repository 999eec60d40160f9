import type { RunView } from "../../../cairn/protocol/views.ts";
import { useAnswer } from "../../api.ts";
import { Failed } from "../../parts/failed.tsx";
import { JsonFigure } from "./json-figure.tsx";

/** The result of an ended run as programs get it. */
export function RunResult({ id }: { id: string }) {
  const { data, error, mutate } = useAnswer<Pick<RunView, "result">>(`/api/runs/${id}`);
  if (error !== undefined) return <Failed failure={error} again={() => void mutate()} />;
  if (data === undefined) return <div aria-busy="true" />;
  return data.result === null ? (
    <p className="soft">It has no result.</p>
  ) : (
    <JsonFigure name="Result as JSON" value={data.result} />
  );
}
