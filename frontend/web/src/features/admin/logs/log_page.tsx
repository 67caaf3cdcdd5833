// Warnings and errors of Carme's programs.
import { useMemo } from "preact/hooks";
import type { LogEntry } from "#proto/log";
import { logClient } from "../../../api/admin";
import { PageTitle } from "../../../routes/page_title";
import { hrefOf } from "../../../routes/route";
import { messages } from "#messages/admin";
import { kPageSize, PagedEntriesView, usePagedEntries } from "../paged_entries";
import {
  logFilterOfQuery,
  messageOfLogFilter,
  queryOfLogFilter,
} from "./log_filter";
import { LogFilterForm } from "./log_filter_form";
import { LogTable } from "./log_table";

// The filter is part of the address, so a view can be shared.
export function LogPage({ query }: { query: string }) {
  const form = useMemo(() => logFilterOfQuery(query), [query]);
  const list = usePagedEntries<LogEntry>((pageToken) => {
    const filter = messageOfLogFilter(form);
    return logClient.listLogEntries({ filter, pageToken, pageSize: kPageSize });
  }, queryOfLogFilter(form));
  return (
    <>
      <PageTitle text={messages.logs} />
      <p class="muted">{messages.warningsAndErrorsOfCarme}</p>
      <LogFilterForm
        key={query}
        form={form}
        busy={list.loaded.loading}
        onFilter={(next) => {
          const same = queryOfLogFilter(next) === queryOfLogFilter(form);
          if (same) void list.loaded.reload();
          else location.hash = hrefOf("logs", queryOfLogFilter(next));
        }}
      />
      <PagedEntriesView
        list={list}
        testId="log-older"
        emptyText={() => messages.noEntriesMatchTheseFilters}
      >
        {(entries) => <LogTable entries={entries} />}
      </PagedEntriesView>
    </>
  );
}
