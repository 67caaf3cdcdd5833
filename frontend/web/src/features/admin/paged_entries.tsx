// A list that is loaded page by page, newest first: the audit log, the service
// log.
import type { ComponentChildren } from "preact";
import { type Mutation, useMutation } from "../../session/use_mutation";
import { type Query, useQuery } from "../../session/use_query";
import { FailureNote } from "../../ui/failure_note";
import { QueryView } from "../../ui/loaded_view";
import { messages } from "#messages/admin";

export const kPageSize = 100;

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly nextPageToken: string; // empty: there are no older entries
}

export interface PagedEntries<Entry> {
  readonly loaded: Query<Page<Entry>>;
  readonly mutation: Mutation; // of loadOlder
  loadOlder(): void;
}

// `key` identifies the filter: another key loads the list again.
export function usePagedEntries<Entry>(
  load: (pageToken: string) => Promise<Page<Entry>>,
  key: string,
): PagedEntries<Entry> {
  const loaded = useQuery(() => load(""), key);
  const mutation = useMutation();

  const loadOlder = () => {
    const { value, set } = loaded;
    if (!value?.nextPageToken) return;
    void mutation.run(async () => {
      const older = await load(value.nextPageToken);
      set({ ...older, entries: [...value.entries, ...older.entries] });
    });
  };
  return { loaded, mutation, loadOlder };
}

export function PagedEntriesView<Entry>(props: {
  list: PagedEntries<Entry>;
  testId: string;
  emptyText(more: boolean): string;
  children(entries: readonly Entry[]): ComponentChildren;
}) {
  const { loaded, mutation, loadOlder } = props.list;
  return (
    <QueryView loaded={loaded}>
      {({ entries, nextPageToken }) => (
        <>
          <p class="muted small" role="status">
            {entries.length === 0 && props.emptyText(nextPageToken !== "")}
          </p>
          {entries.length > 0 && props.children(entries)}
          {mutation.failure && <FailureNote failure={mutation.failure} />}
          {nextPageToken !== "" && (
            <button
              class="button"
              type="button"
              data-testid={props.testId}
              aria-disabled={mutation.busy}
              onClick={loadOlder}
            >
              {mutation.busy ? messages.loading : messages.loadOlderEntries}
            </button>
          )}
        </>
      )}
    </QueryView>
  );
}
