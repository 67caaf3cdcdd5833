// The entries that fit a filter, the newest first, page by page.
import type { AuditEntry } from "#proto/audit";
import { auditClient } from "../../../api/admin";
import { type Act, useAct } from "../../../session/use_mutation";
import { type Loaded, useLoaded } from "../../../session/use_query";
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
  readonly loaded: Loaded<AuditList>;
  readonly act: Act; // of loadOlder
  loadOlder(): void;
}

export function useAudit(form: FilterForm): AuditView {
  const ask = (before: bigint): Promise<AuditList> => {
    const filter = messageOfFilter(form);
    return auditClient.listAudit({ filter, before, limit: kPage });
  };
  const loaded = useLoaded(() => ask(0n), queryOfFilter(form));
  const act = useAct();

  const loadOlder = () => {
    const { value, set } = loaded;
    if (!value?.more) return;
    void act.run(async () => {
      const older = await ask(value.nextBefore);
      set({ ...older, entries: [...value.entries, ...older.entries] });
    });
  };
  return { loaded, act, loadOlder };
}
