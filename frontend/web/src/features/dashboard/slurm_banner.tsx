// Shows that Slurm does not respond, since when, and the consequences.
import type { SlurmHealth } from "#proto/cluster";
import { formatAgo } from "../../lib/format/duration";
import { formatMoment, msOf } from "../../lib/format/moment";
import { Icon } from "../../ui/icon";
import { useNow } from "../../ui/use_now";
import { messages } from "#messages/dashboard";

export function SlurmBanner({ health }: { health: SlurmHealth | undefined }) {
  return (
    <div role="status">
      {health && !health.reachable && <Unreachable health={health} />}
    </div>
  );
}

function Unreachable({ health }: { health: SlurmHealth }) {
  const now = useNow(30_000);
  const since = msOf(health.since);
  return (
    <div class="banner" data-testid="slurm-banner">
      <Icon name="alert" />
      <p>
        <strong>
          {since === undefined
            ? messages.slurmHasNotRespondedYet
            : messages.slurmIsNotResponding({
                since: formatMoment(since, now),
              })}
        </strong>{" "}
        {since !== undefined &&
          `${messages.lastResponse({ ago: formatAgo(now - since) })} `}
        {messages.runningJobsContinue}
      </p>
    </div>
  );
}
