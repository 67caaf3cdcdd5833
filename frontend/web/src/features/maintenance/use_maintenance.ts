// Loads the announced or current maintenance. Needs no session. A failure keeps
// the last data.
import { createContext } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Maintenance } from "#proto/maintenance";
import { maintenanceClient } from "../../api/maintenance";
import type { Updates } from "../../session/stream_updates_context";
import { kNoticeTiming, useReloadOn } from "../../session/use_reload";

export interface MaintenanceView {
  readonly value: Maintenance | undefined; // none, or not loaded yet
  reload(): Promise<void>;
}

export function useMaintenance(updates: Updates): MaintenanceView {
  const [value, setValue] = useState<Maintenance>();
  const [failed, setFailed] = useState(false);
  const reload = useCallback(async () => {
    try {
      setValue((await maintenanceClient.getMaintenance({})).maintenance);
      setFailed(false);
    } catch {
      setFailed(true);
      // Other calls of the page report that the server does not respond.
    }
  }, []);
  useEffect(() => void reload(), [reload]);
  useReloadOn(updates, { reload, failed }, kNoticeTiming);
  return useMemo(() => ({ value, reload }), [value, reload]);
}

export const MaintenanceContext = createContext<MaintenanceView>({
  value: undefined,
  reload: () => Promise.resolve(),
});
