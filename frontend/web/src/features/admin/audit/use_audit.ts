// The entries that fit a filter, the newest first, page by page.
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

// One call looks only so far back: there may be more where it found nothing.
export interface AuditList {
  readonly entries: readonly AuditEntry[];
  readonly more: boolean;
  readonly nextBefore: bigint; // where the next call goes on
}

export interface AuditView {
  readonly loaded: Query<AuditList>;
  readonly mutation: Mutation; // of loadOlder
  loadOlder(): void;
}

export function useAudit(form: FilterForm): AuditView {
  const ask = (before: bigint): Promise<AuditList> => {
    const filter = messageOfFilter(form);
    return auditClient.listAudit({ filter, before, limit: kPage });
  };
  const loaded = useQuery(() => ask(0n), queryOfFilter(form));
  const mutation = useMutation();

  const loadOlder = () => {
    const { value, set } = loaded;
    if (!value?.more) return;
    void mutation.run(async () => {
      const older = await ask(value.nextBefore);
      set({ ...older, entries: [...value.entries, ...older.entries] });
    });
  };
  return { loaded, mutation, loadOlder };
}
