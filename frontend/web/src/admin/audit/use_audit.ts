// The entries that fit a filter, the newest first, page by page.
import type { AuditEntry } from "#proto/audit";
import { auditClient } from "../../api/admin_clients";
import { type Act, useAct } from "../../session/use_act";
import { type Loaded, useLoaded } from "../../session/use_loaded";
import { type FilterForm, messageOfFilter, queryOfFilter } from "./audit_filter";

const kPage = 100;

export interface AuditList {
  readonly entries: readonly AuditEntry[];
  readonly more: boolean;
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
    const last = value?.entries.at(-1);
    if (!value || !last) return;
    void act.run(async () => {
      const older = await ask(last.sequence);
      set({ entries: [...value.entries, ...older.entries], more: older.more });
    });
  };
  return { loaded, act, loadOlder };
}
