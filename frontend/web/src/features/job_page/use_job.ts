// One job: from the stream of the user's jobs, from the list of all jobs, or
// from the history.
import { type HistoryJob, HistoryScope } from "#proto/history";
import { type Job, JobState } from "#proto/jobs";
import type { Failure } from "../../api/failure";
import { mayAdminister } from "../../session/roles";
import { useSession } from "../../session/session_context";
import { useQuery } from "../../session/use_query";
import { useReload } from "../../session/use_reload";
import type { JobsView } from "../jobs/use_jobs";
import { findInHistory, getJob, scopesFor } from "./find_job";
import { jobOfHistory } from "./job_record";

export interface JobView {
  readonly job: Job | undefined; // undefined: not loaded, or not found
  readonly history: HistoryJob | undefined; // of an ended job
  readonly isMissing: boolean;
  readonly failure: Failure | undefined;
}

// `project`: whose history may have the job; empty: none.
export function useJob(id: string, project: string, jobs: JobsView): JobView {
  const { session } = useSession();
  const live = jobs.list.jobs.find((job) => job.id === id);
  const isUnlisted = jobs.list.loaded && !live;
  const stored = useQuery(
    async () =>
      isUnlisted ? await getJob(id, mayAdminister(session)) : undefined,
    `${id} ${isUnlisted}`,
  );
  useReload(stored);
  const own = live ?? stored.value?.job;
  const needsHistory = own
    ? own.state === JobState.ENDED
    : isUnlisted && stored.value !== undefined;
  const ended = useQuery(async () => {
    if (!needsHistory) return undefined;
    const scopes = own
      ? [HistoryScope.MINE]
      : scopesFor(project, mayAdminister(session));
    return { found: await findInHistory(id, project, scopes) };
  }, `${id} ${needsHistory} ${project}`);
  const history = ended.value?.found;
  return {
    job: own ?? (history && jobOfHistory(history)),
    history,
    isMissing: !own && ended.value !== undefined && !history,
    failure: own ? undefined : (stored.failure ?? ended.failure),
  };
}
