// The audit log.
import { useMemo } from "preact/hooks";
import { PageTitle } from "../../../routes/page_title";
import { hrefOf } from "../../../routes/route";
import { FailureNote } from "../../../ui/failure_note";
import { QueryView } from "../../../ui/loaded_view";
import { filterOfQuery, queryOfFilter } from "./audit_filter";
import { AuditExport } from "./audit_export";
import { AuditFilterForm } from "./audit_filter_form";
import { AuditTable } from "./audit_table";
import { AuditVerify } from "./audit_verify";
import { useAudit } from "./use_audit";
import { messages } from "../messages";

function nothingLabel(more: boolean): string {
  return more
    ? messages.noMatchAmongTheNewest
    : messages.noEntriesMatchTheseFilters;
}

// The filter is part of the address, so a view can be shared.
export function AuditPage({ query }: { query: string }) {
  const form = useMemo(() => filterOfQuery(query), [query]);
  const { loaded, mutation, loadOlder } = useAudit(form);
  return (
    <>
      <PageTitle text={messages.auditLog} />
      <div class="button-row">
        <AuditVerify />
        <AuditExport form={form} />
      </div>
      <AuditFilterForm
        key={query}
        form={form}
        busy={loaded.loading}
        onFilter={(next) => {
          const same = queryOfFilter(next) === queryOfFilter(form);
          if (same) void loaded.reload();
          else location.hash = hrefOf("audit", queryOfFilter(next));
        }}
      />
      <QueryView loaded={loaded}>
        {({ entries, nextPageToken }) => (
          <>
            <p class="muted small" role="status">
              {entries.length === 0 && nothingLabel(nextPageToken !== "")}
            </p>
            {entries.length > 0 && <AuditTable entries={entries} />}
            {mutation.failure && <FailureNote failure={mutation.failure} />}
            {nextPageToken !== "" && (
              <button
                class="button"
                type="button"
                data-testid="audit-older"
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
