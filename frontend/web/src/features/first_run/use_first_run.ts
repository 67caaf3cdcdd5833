// Whether the user has had no job yet.
import { useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { useQuery } from "../../session/use_query";
import { isFinished, mayBeFirstRun } from "./first_run_state";

export interface FirstRun {
  readonly isShown: boolean;
  end(): void;
}

// `jobs`: the user's list; undefined: not loaded.
export function useFirstRun(jobs: readonly Job[] | undefined): FirstRun {
  const [isEnded, setEnded] = useState(isFinished);
  const isPossible = !isEnded && jobs !== undefined && mayBeFirstRun(jobs);
  const history = useQuery(async () => {
    if (!isPossible) return undefined;
    // Not in the script of every page.
    const [{ historyClient }, { HistoryScope }] = await Promise.all([
      import("../../api/history"),
      import("#proto/history"),
    ]);
    const filter = { scope: HistoryScope.MINE };
    const { jobs: ended } = await historyClient.listHistory({
      filter,
      pageSize: 1,
    });
    return { isEmpty: ended.length === 0 };
  }, `${isPossible}`);
  return {
    isShown: isPossible && history.value?.isEmpty === true,
    end: () => setEnded(true),
  };
}
