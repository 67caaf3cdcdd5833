// Shows an announced or current maintenance, above every page and the login.
import type { Maintenance } from "#proto/maintenance";
import { Icon } from "../../ui/icon";
import { useNow } from "../../ui/use_now";
import { maintenanceLabel } from "./maintenance_labels";

export function MaintenanceBanner(props: {
  maintenance: Maintenance;
  mayTest?: boolean;
}) {
  const now = useNow(30_000);
  const { title, effect } = maintenanceLabel(
    props.maintenance,
    now,
    props.mayTest,
  );
  return (
    <div class="banner" role="status" data-testid="maintenance-banner">
      <Icon name="clock" />
      <div>
        <p>
          <strong>{title}</strong> {effect}
        </p>
        <p>{props.maintenance.message}</p>
      </div>
    </div>
  );
}
