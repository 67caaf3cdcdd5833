// Shows at the top of the page that a storage area is full, and until when that
// is tolerated.
import type { StorageArea } from "#proto/storage";
import { Icon } from "../../ui/icon";
import { useNow } from "../../ui/use_now";
import { warningOf } from "./storage_labels";

export function StorageBanner({ areas }: { areas: readonly StorageArea[] }) {
  const now = useNow(30_000);
  const warnings = areas.map((area) => warningOf(area, now)).filter(Boolean);
  return (
    <div role="status">
      {warnings.length > 0 && (
        <div class="banner" data-testid="storage-banner">
          <Icon name="alert" />
          <div>
            {warnings.map((warning) => (
              <p key={warning}>{warning}</p>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}
