// Warnings and errors of Carme's programs.
import { useMemo } from "preact/hooks";
import { PageTitle } from "../../../routes/page_title";
import { hrefOf } from "../../../routes/route";
import { FailureNote } from "../../../ui/failure_note";
import { QueryView } from "../../../ui/loaded_view";
import { messages } from "../messages";
import { logFilterOfQuery, queryOfLogFilter } from "./log_filter";
import { LogFilterForm } from "./log_filter_form";
import { LogTable } from "./log_table";
import { useLog } from "./use_log";

// The filter is part of the address, so a view can be shared.
export function LogPage({ query }: { query: string }) {
  const form = useMemo(() => logFilterOfQuery(query), [query]);
  const { loaded, mutation, loadOlder } = useLog(form);
  return (
    <>
      <PageTitle text={messages.logs} />
      <p class="muted">{messages.warningsAndErrorsOfCarme}</p>
      <LogFilterForm
        key={query}
        form={form}
        busy={loaded.loading}
        onFilter={(next) => {
          const same = queryOfLogFilter(next) === queryOfLogFilter(form);
          if (same) void loaded.reload();
          else location.hash = hrefOf("logs", queryOfLogFilter(next));
        }}
      />
      <QueryView loaded={loaded}>
        {({ entries, nextPageToken }) => (
          <>
            <p class="muted small" role="status">
              {entries.length === 0 && messages.noEntriesMatchTheseFilters}
            </p>
            {entries.length > 0 && <LogTable entries={entries} />}
            {mutation.failure && <FailureNote failure={mutation.failure} />}
            {nextPageToken !== "" && (
              <button
                class="button"
                type="button"
                data-testid="log-older"
                aria-disabled={mutation.busy}
                onClick={loadOlder}
              >
                {mutation.busy ? messages.loading : messages.loadOlderEntries}
              </button>
            )}
          </>
        )}
      </QueryView>
    </>
  );
}
