// The state of the site at a glance: people and jobs now, GPUs, what needs a
// person, and what failed in the last day.
import type { ComponentChildren } from "preact";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type HistoryJob, HistoryScope } from "#proto/history";
import { adminClient } from "../../../api/admin";
import { clusterUtilizationClient, historyClient } from "../../../api/history";
import { formatMinutes } from "../../../lib/format/duration";
import { formatNumber } from "../../../lib/format/number";
import { PageTitle } from "../../../routes/page_title";
import {
  hrefOf,
  jobHref,
  type PlainPage,
  userHref,
} from "../../../routes/route";
import { useQuery } from "../../../session/use_query";
import { useReload } from "../../../session/use_reload";
import { QueryView } from "../../../ui/loaded_view";
import { Moment } from "../../../ui/moment";
import { Panel } from "../../../ui/panel";
import { TableBox } from "../../../ui/table_box";
import { attentionOf, countJobs, gpuUse, kFailedEnds } from "./overview_facts";
import { messages } from "#messages/admin_overview";

const kDayMs = 24 * 60 * 60_000;
const kMaxJobs = 1000;
const kMaxFailures = 200;
const kShownFailures = 10;

async function loadNow() {
  const now = Date.now();
  const [health, jobs, cluster, failures] = await Promise.all([
    adminClient.getHealth({}),
    adminClient.listAllJobs({ pageSize: kMaxJobs }),
    clusterUtilizationClient.getClusterUtilization({}),
    historyClient.listHistory({
      filter: {
        scope: HistoryScope.EVERYBODY,
        ends: [...kFailedEnds],
        from: timestampFromMs(now - kDayMs),
      },
      pageSize: kMaxFailures,
    }),
  ]);
  return { now, health, jobs, cluster, failures };
}

export function OverviewPage() {
  const loaded = useQuery(loadNow);
  useReload(loaded);
  return (
    <>
      <PageTitle text={messages.overview} />
      <QueryView loaded={loaded}>
        {(state) => <Overview {...state} />}
      </QueryView>
    </>
  );
}

function Overview(props: Awaited<ReturnType<typeof loadNow>>) {
  const { now, health, jobs, cluster, failures } = props;
  const counts = countJobs(jobs.jobs, now);
  const gpus = gpuUse(cluster.nodes);
  const used = gpus.reduce((sum, gpu) => sum + gpu.used, 0);
  const total = gpus.reduce((sum, gpu) => sum + gpu.total, 0);
  const orMore = (count: number, isPart: boolean) =>
    isPart
      ? messages.orMore({ count: formatNumber(count) })
      : formatNumber(count);
  const isPart = jobs.nextPageToken !== "";
  return (
    <div class="overview" data-testid="admin-overview">
      <ul class="overview-facts">
        <Fact
          label={messages.peopleWithJobs}
          value={orMore(counts.people, isPart)}
          page="users"
          testId="fact-people"
        />
        <Fact
          label={messages.jobsRunning}
          value={orMore(counts.running, isPart)}
          page="jobs"
          testId="fact-running"
        />
        <Fact
          label={messages.jobsWaiting}
          value={orMore(counts.waiting, isPart)}
          page="jobs"
          testId="fact-waiting"
        >
          {counts.oldestWaitMs !== undefined &&
            messages.longestWait({
              duration: formatMinutes(Math.ceil(counts.oldestWaitMs / 60_000)),
            })}
        </Fact>
        <Fact
          label={messages.gpusInUse}
          value={messages.usedOf({
            used: formatNumber(used),
            total: formatNumber(total),
          })}
          page="nodes"
          testId="fact-gpus"
        >
          {gpus.map(({ type, used: some, total: all }) => (
            <span key={type} class="overview-type">
              {messages.usedOfType({ type, used: some, total: all })}
            </span>
          ))}
        </Fact>
        <Fact
          label={messages.failedInADay}
          value={orMore(failures.jobs.length, failures.nextPageToken !== "")}
          page="history"
          testId="fact-failed"
        />
      </ul>
      <Panel title={messages.needsAttention} testId="admin-attention">
        <AttentionList entries={attentionOf(health, cluster.nodes, now)} />
      </Panel>
      <Panel title={messages.failuresInADay} testId="admin-failures">
        <Failures jobs={failures.jobs.slice(0, kShownFailures)} />
      </Panel>
    </div>
  );
}

function Fact(props: {
  label: string;
  value: string;
  page: PlainPage;
  testId: string;
  children?: ComponentChildren;
}) {
  const { label, value, page, testId, children } = props;
  return (
    <li>
      <a class="overview-fact" href={hrefOf(page)} data-testid={testId}>
        <span class="muted small">{label}</span>
        <strong>{value}</strong>
        {children && <span class="muted small">{children}</span>}
      </a>
    </li>
  );
}

function AttentionList(props: { entries: ReturnType<typeof attentionOf> }) {
  if (props.entries.length === 0) {
    return <p class="muted">{messages.nothingNeedsAttention}</p>;
  }
  return (
    <ul class="rows">
      {props.entries.map(({ key, tone, title, detail, page }) => (
        <li key={key} class="row">
          <div class="row-what">
            <p class="row-title">
              <a href={hrefOf(page)}>{title}</a>
            </p>
            {detail && <p class="muted small">{detail}</p>}
          </div>
          <span class="state" data-tone={tone}>
            {tone === "bad" ? messages.urgent : messages.soon}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Failures({ jobs }: { jobs: readonly HistoryJob[] }) {
  if (jobs.length === 0) {
    return <p class="muted">{messages.noFailures}</p>;
  }
  return (
    <TableBox label={messages.failuresInADay}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{messages.user}</th>
            <th scope="col">{messages.job}</th>
            <th scope="col">{messages.reason}</th>
            <th scope="col">{messages.nodes}</th>
            <th scope="col">{messages.ended}</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.id}>
              <td>
                <a href={userHref(job.username)}>{job.username}</a>
              </td>
              <td>
                <a href={jobHref(job.id)}>{job.spec?.name || job.id}</a>
              </td>
              <td>{job.reason}</td>
              <td class="mono">{job.nodes.join(", ")}</td>
              <td>
                <Moment at={job.endedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}
