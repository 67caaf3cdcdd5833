// What a project used in some months, for proposals: printed, or saved as PDF by
// the browser.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { clusterClient } from "../../api/core";
import { historyClient } from "../../api/history";
import { metricsClientOf } from "../../api/metrics";
import { projectClient } from "../../api/project";
import { PageTitle } from "../../routes/page_title";
import { hrefOf } from "../../routes/route";
import { mayAdminister } from "../../session/roles";
import { useSession } from "../../session/session_context";
import { useQuery } from "../../session/use_query";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import {
  kEverybody,
  ownerChoices,
  ownerOf,
} from "../insights/history/owner_filter";
import { nameOf } from "../projects/project_name";
import { useProjects } from "../projects/projects_context";
import { loadSummary } from "./load_summary";
import {
  boundsOfMonths,
  monthChoices,
  monthLabel,
  queryOfSummary,
  type SummaryForm,
  summaryOfQuery,
} from "./summary_form";
import { SummarySheet } from "./summary_sheet";
import "./summary.css";
import { SelectField } from "../../ui/form/field";
import { messages } from "#messages/summary";

const kPage = 200;

export function SummaryPage({ query }: { query: string }) {
  const form = summaryOfQuery(query, Date.now());
  const { session } = useSession();
  const mine = useProjects();
  const seesAll = mayAdminister(session);
  const all = useQuery(async () => {
    if (!seesAll) return undefined;
    return (await projectClient.listProjects({ all: true })).projects;
  });
  const projects = all.value ?? mine;
  const cluster = useQuery(() => clusterClient.getCluster({}));
  const loaded = useQuery(async () => {
    const { scope, project } = ownerOf(form.owner);
    const { fromMs, toMs } = boundsOfMonths(form);
    const period = {
      from: timestampFromMs(fromMs),
      to: timestampFromMs(toMs),
    };
    const summary = await loadSummary({
      usage: (by) => historyClient.getUsage({ scope, project, ...period, by }),
      jobs: (pageToken) =>
        historyClient.listHistory({
          filter: { scope, project, ...period },
          pageSize: kPage,
          pageToken,
        }),
      summarize: async (jobIds) =>
        (await metricsClientOf("").summarizeJobs({ jobIds })).jobs,
    });
    return { summary, createdMs: Date.now() };
  }, queryOfSummary(form));
  const change = (next: Partial<SummaryForm>) => {
    location.hash = hrefOf("summary", queryOfSummary({ ...form, ...next }));
  };
  const choices = ownerChoices(mine, seesAll).filter(
    ({ value }) => value === "" || value === kEverybody,
  );
  const managed = seesAll
    ? projects.map(({ id }) => id)
    : ownerChoices(mine, false)
        .map(({ value }) => value)
        .filter(Boolean);
  const labels: Record<string, string> = {
    "": messages.mine,
    [kEverybody]: messages.allUsers,
  };
  const months = monthChoices(Date.now(), [form.from, form.to]);
  const label = labels[form.owner] ?? nameOf(form.owner, projects);

  return (
    <>
      <PageTitle text={messages.summary} />
      <div
        class="filter summary-options"
        role="group"
        aria-label={messages.options}
      >
        <SelectField
          label={messages.project}
          testId="summary-owner"
          value={form.owner}
          options={[
            ...choices.map(({ value }) => [value, labels[value]] as const),
            ...managed.map((id) => [id, nameOf(id, projects)] as const),
          ]}
          onValue={(owner) => change({ owner })}
        />
        <SelectField
          label={messages.from}
          testId="summary-from"
          value={form.from}
          options={optionsOf(months)}
          onValue={(from) =>
            change({ from, to: from > form.to ? from : form.to })
          }
        />
        <SelectField
          label={messages.to}
          testId="summary-to"
          value={form.to}
          options={optionsOf(months.filter((month) => month >= form.from))}
          onValue={(to) => change({ to })}
        />
        <button
          class="button"
          type="button"
          data-testid="summary-print"
          disabled={loaded.loading || !loaded.value}
          onClick={() => print()}
        >
          <Icon name="print" /> {messages.print}
        </button>
      </div>
      {loaded.failure && (
        <FailureNote failure={loaded.failure} testId="load-failure" />
      )}
      {loaded.loading && (
        <p class="muted" role="status">
          {messages.loadingJobs}
        </p>
      )}
      {!loaded.failure && !loaded.loading && loaded.value && (
        <SummarySheet
          title={
            form.owner === "" || form.owner === kEverybody
              ? label
              : messages.projectOf({ name: label })
          }
          period={periodLabel(form)}
          site={cluster.value?.name ?? ""}
          username={session.username}
          createdMs={loaded.value.createdMs}
          summary={loaded.value.summary}
        />
      )}
    </>
  );
}

function periodLabel({ from, to }: SummaryForm): string {
  const [first, last] = [monthLabel(from), monthLabel(to)];
  return from === to ? first : messages.period({ first, last });
}

function optionsOf(months: readonly string[]) {
  return months.map((month) => [month, monthLabel(month)] as const);
}
