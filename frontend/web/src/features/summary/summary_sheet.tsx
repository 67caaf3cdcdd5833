// The sheet of a summary, as it is printed.
import type { ComponentChildren } from "preact";
import type { HistoryJob } from "#proto/history";
import { formatDay, formatExactly, msOf } from "../../lib/format/moment";
import { formatNumber } from "../../lib/format/number";
import { jobHref } from "../../routes/route";
import { TableBox } from "../../ui/table_box";
import {
  accountingLabel,
  endOf,
  hoursOf,
  ranFor,
} from "../insights/history/history_labels";
import { gpuLabel } from "../jobs/job_labels";
import {
  computeLabel,
  percentLabel,
  type Rated,
  type RatedQuantity,
  ratingOf,
} from "../metrics/series/gpu_ratings";
import { formatValue } from "../metrics/series/units";
import type { JobSums } from "./job_sums";
import type { Summary } from "./load_summary";
import { messages } from "#messages/summary";

export function SummarySheet(props: {
  title: string;
  period: string;
  site: string;
  username: string;
  createdMs: number;
  summary: Summary;
}) {
  const { title, period, site, username, createdMs, summary } = props;
  const { byGpuType, byUser, sums, noMetrics } = summary;
  const created = formatExactly(createdMs);
  const hours = (of: "gpuSeconds" | "cpuSeconds") =>
    hoursOf(byGpuType.rows.reduce((sum, row) => sum + row[of], 0n));
  const jobs = byUser.rows.reduce((sum, row) => sum + row.jobs, 0n);
  if (jobs === 0n && summary.read === 0) {
    return (
      <p class="empty" data-testid="summary-none">
        {messages.noJobs}
      </p>
    );
  }
  return (
    <article class="summary" data-testid="summary">
      <header class="summary-head">
        <h2>{messages.summaryFor({ what: title, period })}</h2>
        <p class="muted small">
          {site && `${messages.site({ name: site })} · `}
          {messages.createdBy({ user: username, moment: created })}
        </p>
      </header>
      <dl class="summary-facts">
        <Fact label={messages.jobs} testId="jobs">
          {formatNumber(Number(jobs))}
        </Fact>
        <Fact label={messages.users} testId="users">
          {formatNumber(byUser.rows.length)}
        </Fact>
        <Fact label={messages.gpuHours} testId="gpu-hours">
          {hours("gpuSeconds")}
        </Fact>
        <Fact label={messages.cpuHours} testId="cpu-hours">
          {hours("cpuSeconds")}
        </Fact>
        <Fact label={messages.saturation} testId="score">
          {known(sums.meanScore, (score) => formatValue("score", score))}
          {scoreNotes(sums).map((note) => (
            <p key={note} class="muted small">
              {note}
            </p>
          ))}
        </Fact>
        <Fact label={messages.foundGpuShare} testId="found">
          {known(sums.foundShare, (share) => formatValue("ratio", share))}
        </Fact>
        <Fact label={messages.energy} testId="energy">
          {known(sums.energyJoules, (joules) =>
            messages.kilowattHours({
              amount: formatValue("number", joules / 3.6e6),
            }),
          )}
        </Fact>
      </dl>
      <p class="muted small" data-testid="summary-coverage">
        {noMetrics
          ? messages.noMetrics({ reason: noMetrics })
          : messages.measuredOf({ measured: sums.measured, total: sums.ran })}
        {summary.isPart && ` ${messages.onlyNewest({ count: summary.read })}`}
      </p>
      <UsageSection
        title={messages.byGpuType}
        head={messages.gpuType}
        rows={byGpuType.rows.map((row) => ({
          ...row,
          label:
            row.key.replaceAll(",", ", ") ||
            (row.gpuSeconds > 0n ? messages.unknownTypes : messages.cpuOnly),
        }))}
      />
      <UsageSection
        title={messages.byUser}
        head={messages.owner}
        rows={byUser.rows.map((row) => ({ ...row, label: row.key }))}
      />
      {sums.findings.length > 0 && (
        <Section title={messages.findings} about={messages.findingsAbout}>
          <SheetTable
            testId="summary-findings"
            heads={[
              { text: messages.findings },
              { text: messages.jobs, isNumber: true },
              { text: messages.gpuHours, isNumber: true },
            ]}
            rows={sums.findings.map(({ rule, title, jobs, gpuSeconds }) => ({
              key: rule,
              cells: [
                title,
                formatNumber(jobs),
                hoursOf(BigInt(Math.round(gpuSeconds))),
              ],
            }))}
          />
        </Section>
      )}
      {sums.largest.length > 0 && (
        <Section title={messages.largestJobs} about={messages.largestJobsAbout}>
          <SheetTable
            testId="summary-largest"
            heads={[
              { text: messages.job },
              { text: messages.owner },
              { text: messages.gpuType },
              { text: messages.outcome },
              { text: messages.duration },
              { text: messages.gpuHours, isNumber: true },
              { text: messages.cpuHours, isNumber: true },
            ]}
            rows={sums.largest.map((job) => ({
              key: job.id,
              cells: largestCells(job),
            }))}
          />
        </Section>
      )}
      <p class="muted small">
        {messages.usageAbout} {accountingLabel(byGpuType.accounting)}{" "}
        {sums.meanScore !== undefined && messages.saturationAbout}
      </p>
    </article>
  );
}

// What the score is made of, and how the use of the GPUs is rated.
export function scoreNotes(sums: JobSums): string[] {
  const { meanScore, components, ratings } = sums;
  const percent = (value: number) => formatValue("ratio", value);
  const rated = (
    what: RatedQuantity,
    value: number | undefined,
    label: (rated: Rated) => string,
    shown = value,
  ) =>
    value === undefined || shown === undefined
      ? ""
      : label({ value: shown, rating: ratingOf(what, value) });
  const { utilization, compute, powerShare } = ratings;
  const use = rated("utilization", utilization, percentLabel);
  const pipes = rated("compute", compute, computeLabel);
  const power = rated(
    "powerShare",
    powerShare,
    percentLabel,
    powerShare && powerShare * 100,
  );
  return [
    components &&
      messages.scoreComponents({
        smActive: percent(components.smActive),
        smOccupancy: percent(components.smOccupancy),
        flopActive: percent(components.flopActive),
      }),
    meanScore !== undefined && !components && messages.componentsUnknown,
    [
      use && messages.scoreUtilization({ utilization: use }),
      pipes && messages.scoreCompute({ compute: pipes }),
      power && messages.scorePower({ power }),
    ]
      .filter(Boolean)
      .join(", "),
  ].filter((note): note is string => Boolean(note));
}

function Fact(props: {
  label: string;
  testId: string;
  children: ComponentChildren;
}) {
  return (
    <div>
      <dt>{props.label}</dt>
      <dd data-testid={`summary-${props.testId}`}>{props.children}</dd>
    </div>
  );
}

function Section(props: {
  title: string;
  about?: string;
  children: ComponentChildren;
}) {
  return (
    <section aria-label={props.title}>
      <h3>{props.title}</h3>
      {props.about && <p class="muted small">{props.about}</p>}
      <TableBox label={props.title}>{props.children}</TableBox>
    </section>
  );
}

function UsageSection(props: {
  title: string;
  head: string;
  rows: readonly {
    readonly key: string;
    readonly label: string;
    readonly jobs: bigint;
    readonly gpuSeconds: bigint;
    readonly cpuSeconds: bigint;
  }[];
}) {
  return (
    <Section title={props.title}>
      <SheetTable
        heads={[
          { text: props.head },
          { text: messages.jobs, isNumber: true },
          { text: messages.gpuHours, isNumber: true },
          { text: messages.cpuHours, isNumber: true },
        ]}
        rows={props.rows.map((row) => ({
          key: row.key,
          testId: `summary-row-${row.key}`,
          cells: [
            row.label,
            formatNumber(Number(row.jobs)),
            hoursOf(row.gpuSeconds),
            hoursOf(row.cpuSeconds),
          ],
        }))}
      />
    </Section>
  );
}

function SheetTable(props: {
  testId?: string;
  heads: readonly { readonly text: string; readonly isNumber?: boolean }[];
  rows: readonly {
    readonly key: string;
    readonly testId?: string;
    readonly cells: readonly ComponentChildren[]; // one for each head
  }[];
}) {
  const { heads } = props;
  const classOf = (at: number) => (heads[at]?.isNumber ? "number" : undefined);
  return (
    <table class="table" data-testid={props.testId}>
      <thead>
        <tr>
          {heads.map(({ text }, at) => (
            <th key={text} scope="col" class={classOf(at)}>
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map(({ key, testId, cells }) => (
          <tr key={key} data-testid={testId}>
            {cells.map((cell, at) => (
              <td key={heads[at]?.text} class={classOf(at)}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function largestCells(job: HistoryJob): ComponentChildren[] {
  return [
    <>
      <a href={jobHref(job.id, queryOf(job.spec?.project))}>
        {job.spec?.name || job.id}
      </a>{" "}
      <span class="muted small nowrap">
        {formatDay(msOf(job.endedAt) ?? 0)}
      </span>
    </>,
    job.username,
    job.spec &&
      gpuLabel({ ...job.spec, gpuType: job.gpuType || job.spec.gpuType }),
    endOf(job),
    <span class="nowrap">{ranFor(job)}</span>,
    hoursOf(job.gpuSeconds),
    hoursOf(job.cpuSeconds),
  ];
}

function known(
  value: number | undefined,
  format: (value: number) => string,
): string {
  return value === undefined ? messages.notKnown : format(value);
}

// The page finds a job of another member in the history of the project.
function queryOf(project: string | undefined): string {
  return project ? new URLSearchParams({ project }).toString() : "";
}
