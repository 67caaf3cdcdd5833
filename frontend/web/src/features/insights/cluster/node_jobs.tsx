// The jobs on a node: the user's own; for support and administrators, those of
// all users that Carme has started.
import type { Job } from "#proto/jobs";
import { JobState } from "#proto/jobs";
import { clusterOf } from "../../../api/clusters";
import { msOf } from "../../../lib/format/moment";
import { filledMessage } from "../../../lib/language/filled_message";
import { jobHref } from "../../../routes/route";
import { useClusterChoice } from "../../../session/cluster_context";
import { mayAdminister } from "../../../session/roles";
import { useSession } from "../../../session/session_context";
import { useQuery } from "../../../session/use_query";
import { QueryView } from "../../../ui/loaded_view";
import { Moment } from "../../../ui/moment";
import { gpuLabel, stateLabel } from "../../jobs/job_labels";
import { loadAllJobs } from "./load_all_jobs";
import { jobsOnNode } from "./queue_rows";
import { messages } from "#messages/cluster";

const kOnNodes = [JobState.STARTING, JobState.READY, JobState.STOPPING];

export function NodeJobs(props: { node: string; own: readonly Job[] }) {
  const { session } = useSession();
  return mayAdminister(session) ? (
    <JobsOfAll {...props} />
  ) : (
    <OwnJobs {...props} />
  );
}

function OwnJobs({ node, own }: { node: string; own: readonly Job[] }) {
  const { selected } = useClusterChoice();
  const here = own.filter((job) => clusterOf(job) === selected);
  return (
    <JobList jobs={jobsOnNode(here, node)} about={messages.onlyYourJobs} />
  );
}

function JobsOfAll({ node }: { node: string }) {
  const loaded = useQuery(() => loadAllJobs(kOnNodes), node);
  return (
    <QueryView loaded={loaded}>
      {(all) => (
        <JobList
          jobs={jobsOnNode(
            all.flatMap(({ job }) => job ?? []),
            node,
          )}
          about={messages.onlyCarmeJobs}
          withOwner
        />
      )}
    </QueryView>
  );
}

function JobList(props: {
  jobs: readonly Job[];
  about: string;
  withOwner?: boolean;
}) {
  const { jobs, about, withOwner } = props;
  return (
    <section class="node-jobs" data-testid="node-jobs">
      <h3>{messages.jobsOnNode({ count: jobs.length })}</h3>
      <p class="muted small">{about}</p>
      <ul class="rows">
        {jobs.map((job) => {
          const { label, tone } = stateLabel(job);
          return (
            <li key={job.id} class="row" data-testid={`node-job-${job.id}`}>
              <div class="row-what">
                <a class="row-title" href={jobHref(job.id)}>
                  {job.spec?.name}
                </a>
                <span class="muted small facts-line">
                  {withOwner && <span>{job.owner}</span>}
                  <span>{job.spec && gpuLabel(job.spec)}</span>
                  {msOf(job.endsAt) !== undefined && (
                    <span>
                      {filledMessage(messages.endsAt, {
                        moment: <Moment at={job.endsAt} />,
                      })}
                    </span>
                  )}
                </span>
              </div>
              <span class="state" data-tone={tone}>
                {label}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
