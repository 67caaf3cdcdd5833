// Two to four jobs side by side. The address has their ids, so that it can be
// shared with people who may see all of them.
import { useMemo } from "preact/hooks";
import { JobState } from "#proto/jobs";
import { metricsClientOf } from "../../api/metrics";
import { PageTitle } from "../../routes/page_title";
import { hrefOf } from "../../routes/route";
import { mayAdminister } from "../../session/roles";
import { useSession } from "../../session/session_context";
import { useQuery } from "../../session/use_query";
import { CopyButton } from "../../ui/copy_button";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { Panel } from "../../ui/panel";
import { findJob } from "../job_page/find_job";
import type { JobsView } from "../jobs/use_jobs";
import { nameOf } from "../projects/project_name";
import { useProjects } from "../projects/projects_context";
import type { ComparedJob } from "./compared_job";
import { comparisonHref, comparisonOfQuery } from "./comparison_link";
import { ComparisonPlots } from "./comparison_plots";
import { comparisonGroups } from "./comparison_rows";
import { ComparisonTable } from "./comparison_table";
import { comparedFindings } from "./finding_rows";
import { loadComparison } from "./load_comparison";
import { FindingTable } from "./finding_table";
import "../../styles/account.css";
import "../../styles/admin.css";
import "../job_page/job_page.css";
import "../metrics/metrics.css";
import "./comparison.css";
import { messages } from "#messages/comparison";

export function ComparisonPage(props: { query: string; jobs: JobsView }) {
  const { query, jobs } = props;
  const link = useMemo(() => comparisonOfQuery(query), [query]);
  const { session } = useSession();
  const { loaded: hasList, jobs: listed } = jobs.list;
  const { ids, projects } = link;
  const loaded = useQuery(
    async () =>
      hasList && ids.length > 0
        ? await loadComparison(
            ids,
            {
              find: (id) =>
                findJob(
                  id,
                  projects,
                  mayAdminister(session),
                  listed.find((job) => job.id === id),
                ),
              receipt: async ({ id, cluster }) =>
                (await metricsClientOf(cluster).getJobReceipt({ jobId: id }))
                  .receipt,
              metrics: ({ id, cluster }, stepS) =>
                metricsClientOf(cluster).getJobMetrics({ jobId: id, stepS }),
            },
            Date.now(),
          )
        : undefined,
    `${query} ${hasList}`,
  );
  if (ids.length === 0) return <Missing text={messages.invalidLink} />;
  return (
    <QueryView loaded={loaded}>
      {(comparison) => {
        if (!comparison) return <div class="boot" role="status" />;
        if (comparison.missing.length > 0) {
          const missing = comparison.missing.join(", ");
          return <Missing text={messages.jobsMissing({ ids: missing })} />;
        }
        return (
          <Loaded
            jobs={comparison.jobs}
            isLoading={loaded.loading}
            onRefresh={() => void loaded.reload()}
          />
        );
      }}
    </QueryView>
  );
}

function Missing({ text }: { text: string }) {
  return (
    <div class="empty" data-testid="job-missing">
      <PageTitle text={messages.jobNotFound} />
      <p class="muted">{text}</p>
      <a class="button" href={hrefOf("history")}>
        {messages.openHistory}
      </a>
    </div>
  );
}

function Loaded(props: {
  jobs: readonly ComparedJob[];
  isLoading: boolean;
  onRefresh(): void;
}) {
  const { jobs } = props;
  const known = useProjects();
  const projects = jobs.map(({ job }) => job.spec?.project ?? "");
  const href = comparisonHref(
    jobs.map(({ job }) => job.id),
    projects,
  );
  const groups = useMemo(
    () => comparisonGroups(jobs, (id) => nameOf(id, known), Date.now()),
    [jobs, known],
  );
  const findings = useMemo(() => comparedFindings(jobs), [jobs]);
  const runs = jobs.some(({ job }) => job.state !== JobState.ENDED);
  const gaps = jobs.filter(({ noReceipt }) => noReceipt);
  return (
    <div class="comparison" data-testid="comparison">
      <a class="back-link" href={hrefOf("history")}>
        <Icon name="back" /> {messages.openHistory}
      </a>
      <div class="comparison-head">
        <PageTitle text={messages.comparisonOf} />
        <div class="button-row">
          {runs && (
            <button
              class="button button-small"
              type="button"
              data-testid="comparison-refresh"
              aria-disabled={props.isLoading}
              onClick={props.onRefresh}
            >
              {messages.refresh}
            </button>
          )}
          <CopyButton
            text={`${location.origin}${location.pathname}${href}`}
            label={messages.copyLink}
          />
        </div>
      </div>
      {gaps.length > 0 && (
        <ul class="note" data-testid="comparison-gaps">
          {gaps.map(({ letter, noReceipt }) => (
            <li key={letter}>
              {messages.noValuesOf({ letter, reason: noReceipt })}
            </li>
          ))}
        </ul>
      )}
      <ComparisonTable jobs={jobs} groups={groups} />
      <Panel title={messages.findings} testId="comparison-findings">
        <FindingTable jobs={jobs} findings={findings} />
      </Panel>
      <ComparisonPlots jobs={jobs} />
    </div>
  );
}
