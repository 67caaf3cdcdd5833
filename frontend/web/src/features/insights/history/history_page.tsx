// All ended jobs. The filter is part of the address, so a view can be saved and
// shared.
import { useMemo } from "preact/hooks";
import { useProjects } from "../../projects/projects_context";
import { PageTitle } from "../../../routes/page_title";
import { hrefOf } from "../../../routes/route";
import { mayAdminister } from "../../../session/roles";
import { useSession } from "../../../session/session_context";
import { FailureNote } from "../../../ui/failure_note";
import { QueryView } from "../../../ui/loaded_view";
import { HistoryExport } from "./history_export";
import { filterOfQuery, queryOfFilter } from "./history_filter";
import { HistoryFilterForm } from "./history_filter_form";
import { HistoryTable } from "./history_table";
import { accountingLabel } from "./history_labels";
import { useHistory } from "./use_history";
import { ownerChoices } from "./owner_filter";
import { messages } from "../messages";

export function HistoryPage({ query }: { query: string }) {
  const form = useMemo(() => filterOfQuery(query), [query]);
  const { session } = useSession();
  const projects = useProjects();
  const { loaded, mutation, loadMore } = useHistory(form);
  return (
    <>
      <PageTitle text={messages.jobHistory} />
      <div class="button-row">
        <HistoryExport form={form} />
      </div>
      <HistoryFilterForm
        key={query}
        form={form}
        choices={ownerChoices(projects, mayAdminister(session))}
        projects={projects}
        busy={loaded.loading}
        onFilter={(next) => {
          const same = queryOfFilter(next) === queryOfFilter(form);
          if (same) void loaded.reload();
          else location.hash = hrefOf("history", queryOfFilter(next));
        }}
      />
      <QueryView loaded={loaded}>
        {({ jobs, nextPageToken, accounting, retentionDays }) => (
          <>
            <p class="muted small" data-testid="history-figures">
              {accountingLabel(accounting)}{" "}
              {messages.jobsAreStored(retentionDays)}
            </p>
            {jobs.length === 0 ? (
              <p class="empty" data-testid="history-none">
                {messages.noJobsMatchTheseFilters}
              </p>
            ) : (
              <HistoryTable
                jobs={jobs}
                projects={projects}
                withUsers={form.owner !== ""}
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
