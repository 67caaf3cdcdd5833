// Loads the entries that match a filter page by page, newest first.
import type { AuditEntry } from "#proto/audit";
import { auditClient } from "../../../api/admin";
import { type Mutation, useMutation } from "../../../session/use_mutation";
import { type Query, useQuery } from "../../../session/use_query";
import {
  type FilterForm,
  messageOfFilter,
  queryOfFilter,
} from "./audit_filter";

const kPage = 100;

// One call searches a limited number of entries: an empty page can be followed
// by matches.
export interface AuditList {
  readonly entries: readonly AuditEntry[];
  readonly nextPageToken: string; // empty: there are no older entries
}

export interface AuditView {
  readonly loaded: Query<AuditList>;
  readonly mutation: Mutation; // of loadOlder
  loadOlder(): void;
}

export function useAudit(form: FilterForm): AuditView {
  const ask = (pageToken: string): Promise<AuditList> => {
    const filter = messageOfFilter(form);
    return auditClient.listAudit({ filter, pageToken, pageSize: kPage });
  };
  const loaded = useQuery(() => ask(""), queryOfFilter(form));
  const mutation = useMutation();

  const loadOlder = () => {
    const { value, set } = loaded;
    if (!value?.nextPageToken) return;
    void mutation.run(async () => {
      const older = await ask(value.nextPageToken);
      set({ ...older, entries: [...value.entries, ...older.entries] });
    });
  };
  return { loaded, mutation, loadOlder };
}
