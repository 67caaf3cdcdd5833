// The audit log.
import { useMemo } from "preact/hooks";
import type { AuditEntry } from "#proto/audit";
import { auditClient } from "../../../api/admin";
import { PageTitle } from "../../../routes/page_title";
import { hrefOf } from "../../../routes/route";
import { filterOfQuery, messageOfFilter, queryOfFilter } from "./audit_filter";
import { AuditExport } from "./audit_export";
import { AuditFilterForm } from "./audit_filter_form";
import { AuditTable } from "./audit_table";
import { AuditVerify } from "./audit_verify";
import { messages } from "#messages/admin";
import { kPageSize, PagedEntriesView, usePagedEntries } from "../paged_entries";

// One call searches a limited number of entries: an empty page can be followed
// by matches.
function nothingLabel(more: boolean): string {
  return more
    ? messages.noMatchAmongTheNewest
    : messages.noEntriesMatchTheseFilters;
}

// The filter is part of the address, so a view can be shared.
export function AuditPage({ query }: { query: string }) {
  const form = useMemo(() => filterOfQuery(query), [query]);
  const list = usePagedEntries<AuditEntry>((pageToken) => {
    const filter = messageOfFilter(form);
    return auditClient.listAudit({ filter, pageToken, pageSize: kPageSize });
  }, queryOfFilter(form));
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
        busy={list.loaded.loading}
        onFilter={(next) => {
          const same = queryOfFilter(next) === queryOfFilter(form);
          if (same) void list.loaded.reload();
          else location.hash = hrefOf("audit", queryOfFilter(next));
        }}
      />
      <PagedEntriesView
        list={list}
        testId="audit-older"
        emptyText={nothingLabel}
      >
        {(entries) => <AuditTable entries={entries} />}
      </PagedEntriesView>
    </>
  );
}
