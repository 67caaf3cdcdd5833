// Loads the announced or current maintenance, again while the page is visible.
// Needs no session. A failure keeps the last data.
import { createContext } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import type { Maintenance } from "#proto/maintenance";
import { maintenanceClient } from "../../api/maintenance";
import { useLoadWhileVisible } from "../../session/use_reload";

const kPeriodMs = 60_000;

export interface MaintenanceView {
  readonly value: Maintenance | undefined; // none, or not loaded yet
  reload(): Promise<void>;
}

export function useMaintenance(): MaintenanceView {
  const [value, setValue] = useState<Maintenance>();
  const reload = useCallback(async () => {
    try {
      setValue((await maintenanceClient.getMaintenance({})).maintenance);
    } catch {
      // Other calls of the page report that the server does not respond.
    }
  }, []);
  useLoadWhileVisible(reload, kPeriodMs);
  return useMemo(() => ({ value, reload }), [value, reload]);
}

export const MaintenanceContext = createContext<MaintenanceView>({
  value: undefined,
  reload: () => Promise.resolve(),
});
