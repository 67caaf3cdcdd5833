// How the site's GPUs are used, for administrators and support: jobs that hold
// GPUs without using them, nodes that throttle, use by project and GPU type.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { HistoryScope, UsageBy } from "#proto/history";
import type { Project } from "#proto/project";
import { historyClient } from "../../../api/history";
import { metricsClientOf } from "../../../api/metrics";
import { projectClient } from "../../../api/project";
import { formatNumber } from "../../../lib/format/number";
import { PageTitle } from "../../../routes/page_title";
import { hrefOf, jobHref, nodeHref } from "../../../routes/route";
import { useQuery } from "../../../session/use_query";
import { QueryView } from "../../../ui/loaded_view";
import { Panel } from "../../../ui/panel";
import { TableBox } from "../../../ui/table_box";
import { hoursOf } from "../../insights/history/history_labels";
import { bucketsOf } from "../../insights/usage/usage_buckets";
import { PeriodChoice } from "../../insights/usage/period_choice";
import {
  labelOf,
  queryOfUsage,
  usageOfQuery,
} from "../../insights/usage/usage_form";
import { UsageTable } from "../../insights/usage/usage_table";
import { formatValue } from "../../metrics/series/units";
import { nameOf } from "../../projects/project_name";
import { loadMeasuredJobs } from "../../summary/load_summary";
import {
  gpuUseSums,
  type ThrottlingNode,
  type UnusedGpus,
} from "./gpu_use_sums";
import { messages } from "#messages/admin_gpu_use";

const kPage = 200;
const scope = HistoryScope.EVERYBODY;

export function GpuUsePage({ query }: { query: string }) {
  const form = usageOfQuery(query);
  const loaded = useQuery(async () => {
    const from = timestampFromMs(bucketsOf(form.span, Date.now())[0]!.fromMs);
    const usage = (by: UsageBy) => historyClient.getUsage({ scope, from, by });
    const [measured, byProject, byGpuType, { projects }] = await Promise.all([
      loadMeasuredJobs({
        jobs: (pageToken) =>
          historyClient.listHistory({
            filter: { scope, from },
            pageSize: kPage,
            pageToken,
          }),
        summarize: async (jobIds) =>
          (await metricsClientOf("").summarizeJobs({ jobIds })).jobs,
      }),
      usage(UsageBy.PROJECT),
      usage(UsageBy.GPU_TYPE),
      projectClient.listProjects({ all: true }),
    ]);
    const sums = gpuUseSums(measured.jobs, measured.summaries);
    return { measured, sums, byProject, byGpuType, projects };
  }, form.span);

  return (
    <>
      <PageTitle text={messages.gpuUse} />
      <div class="filter">
        <PeriodChoice
          span={form.span}
          testId="gpu-use-span"
          onChange={(span) => {
            location.hash = hrefOf(
              "gpuUse",
              queryOfUsage({ owner: "", by: "GPU_TYPE", span }),
            );
          }}
        />
      </div>
      <QueryView loaded={loaded}>
        {({ measured, sums, byProject, byGpuType, projects }) => (
          <>
            <p class="muted" data-testid="gpu-use-coverage">
              {measured.noMetrics
                ? messages.noMetrics({ reason: measured.noMetrics })
                : messages.measuredOf({
                    measured: sums.measured,
                    total: sums.withGpus,
                  })}
              {measured.isPart &&
                ` ${messages.onlyNewest({ count: measured.jobs.length })}`}
            </p>
            <UnusedPanel
              title={messages.unusedByJob}
              about={messages.unusedAbout}
              head={messages.job}
              testId="unused-jobs"
              rows={sums.jobs}
              projects={projects}
            />
            <UnusedPanel
              title={messages.unusedByUser}
              head={messages.user}
              testId="unused-users"
              rows={sums.users}
            />
            <UnusedPanel
              title={messages.unusedByProject}
              head={messages.project}
              testId="unused-projects"
              rows={sums.projects.map((row) => ({
                ...row,
                key: row.key
                  ? nameOf(row.key, projects)
                  : messages.withoutProject,
              }))}
            />
            <ThrottlingPanel nodes={sums.nodes} />
            <Panel title={messages.usedByProject} testId="used-by-project">
              <UsageTable
                usage={byProject}
                by="PROJECT"
                label={(key, gpus) => labelOf("PROJECT", key, gpus, projects)}
              />
            </Panel>
            <Panel title={messages.usedByGpuType} testId="used-by-gpu-type">
              <UsageTable
                usage={byGpuType}
                by="GPU_TYPE"
                label={(key, gpus) => labelOf("GPU_TYPE", key, gpus, projects)}
              />
            </Panel>
          </>
        )}
      </QueryView>
    </>
  );
}

function hours(seconds: number): string {
  return hoursOf(BigInt(Math.round(seconds)));
}

function UnusedPanel(props: {
  title: string;
  about?: string;
  head: string;
  testId: string;
  rows: readonly UnusedGpus[];
  projects?: readonly Project[]; // of jobs
}) {
  const { title, about, head, testId, rows, projects } = props;
  return (
    <Panel title={title} testId={testId} {...(about && { about })}>
      {rows.length === 0 ? (
        <p class="empty">{messages.noneUnused}</p>
      ) : (
        <TableBox label={title}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{head}</th>
                {projects && (
                  <>
                    <th scope="col">{messages.user}</th>
                    <th scope="col">{messages.project}</th>
                  </>
                )}
                <th scope="col" class="number">
                  {messages.unusedGpuHours}
                </th>
                <th scope="col" class="number">
                  {messages.gpuHours}
                </th>
                <th scope="col" class="number">
                  {messages.meanUse}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.key}>
                  <td>
                    {row.job ? (
                      <a href={jobHref(row.job.id)}>
                        {row.job.spec?.name || row.job.id}
                      </a>
                    ) : (
                      row.key
                    )}
                  </td>
                  {projects && (
                    <>
                      <td>{row.job?.username}</td>
                      <td>{nameOf(row.job?.spec?.project ?? "", projects)}</td>
                    </>
                  )}
                  <td class="number">{hours(row.unusedSeconds)}</td>
                  <td class="number">{hours(row.gpuSeconds)}</td>
                  <td class="number">
                    {formatValue(
                      "ratio",
                      1 - row.unusedSeconds / row.gpuSeconds,
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
    </Panel>
  );
}

function ThrottlingPanel({ nodes }: { nodes: readonly ThrottlingNode[] }) {
  return (
    <Panel
      title={messages.throttlingNodes}
      about={messages.throttlingAbout}
      testId="throttling-nodes"
    >
      {nodes.length === 0 ? (
        <p class="empty">{messages.noThrottling}</p>
      ) : (
        <TableBox label={messages.throttlingNodes}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{messages.node}</th>
                <th scope="col" class="number">
                  {messages.jobs}
                </th>
                <th scope="col">{messages.finding}</th>
              </tr>
            </thead>
            <tbody>
              {nodes.map(({ node, jobs, titles }) => (
                <tr key={node}>
                  <td>
                    <a href={nodeHref(node)}>{node}</a>
                  </td>
                  <td class="number">{formatNumber(jobs)}</td>
                  <td>{titles.join(", ")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
    </Panel>
  );
}
