// All ended jobs. The filter is part of the address, so a view can be saved and
// shared.
import { useMemo } from "preact/hooks";
import { clusterClient } from "../../../api/core";
import { useQuery } from "../../../session/use_query";
import { useProjects } from "../../projects/projects_context";
import { PageTitle } from "../../../routes/page_title";
import { hrefOf } from "../../../routes/route";
import { mayAdminister } from "../../../session/roles";
import { useSession } from "../../../session/session_context";
import { FailureNote } from "../../../ui/failure_note";
import { QueryView } from "../../../ui/loaded_view";
import { HistoryExport } from "./history_export";
import { filterOfQuery, kBlankFilter, queryOfFilter } from "./history_filter";
import { HistoryFilterForm } from "./history_filter_form";
import { HistoryTable } from "./history_table";
import { accountingLabel, retentionLabel } from "./history_labels";
import { useHistory } from "./use_history";
import { ownerChoices } from "./owner_filter";
import { messages } from "#messages/insights";

export function HistoryPage({ query }: { query: string }) {
  const form = useMemo(() => filterOfQuery(query), [query]);
  const { session } = useSession();
  const projects = useProjects();
  const { loaded, mutation, loadMore } = useHistory(form);
  const cluster = useQuery(() => clusterClient.getCluster({}));
  const isBlank =
    queryOfFilter(form) ===
    queryOfFilter({ ...kBlankFilter, owner: form.owner });
  return (
    <>
      <PageTitle text={messages.jobHistory} />
      <HistoryFilterForm
        form={form}
        choices={ownerChoices(projects, mayAdminister(session))}
        projects={projects}
        gpuTypes={(cluster.value?.gpuTypes ?? []).map(({ type }) => type)}
        onFilter={(next) => {
          location.hash = hrefOf("history", queryOfFilter(next));
        }}
      />
      <QueryView loaded={loaded}>
        {({ jobs, nextPageToken, accounting, retentionDays }) => (
          <>
            <div class="history-head">
              <p class="muted small" data-testid="history-figures">
                {accountingLabel(accounting)} {retentionLabel(retentionDays)}
              </p>
              <HistoryExport form={form} />
            </div>
            {jobs.length === 0 ? (
              <p class="empty" data-testid="history-none">
                {isBlank
                  ? messages.noFinishedJobsYet
                  : messages.noJobsMatchTheseFilters}
              </p>
            ) : (
              <HistoryTable
                jobs={jobs}
                projects={projects}
                withUsers={form.owner !== ""}
                isPart={nextPageToken !== ""}
              />
            )}
            {mutation.failure && <FailureNote failure={mutation.failure} />}
            {nextPageToken && (
              <button
                class="button"
                type="button"
                data-testid="history-more"
                aria-disabled={mutation.busy}
                onClick={loadMore}
              >
                {mutation.busy ? messages.loading : messages.loadEarlierJobs}
              </button>
            )}
          </>
        )}
      </QueryView>
    </>
  );
}
