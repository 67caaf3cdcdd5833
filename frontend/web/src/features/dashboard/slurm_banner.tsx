// Tells that Slurm does not answer, since when, and what that means.
import type { SlurmHealth } from "#proto/cluster";
import { formatAgo } from "../../lib/format/duration";
import { formatMoment, msOf } from "../../lib/format/moment";
import { Icon } from "../../ui/icon";
import { useNow } from "../../ui/use_now";

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
            ? "Slurm has not answered yet."
            : `Slurm has not answered since ${formatMoment(since, now)}.`}
        </strong>{" "}
        {since !== undefined && `That was ${formatAgo(now - since)}. `}
        Running jobs go on and can be opened. New jobs cannot be started and
        what you see may be old until it answers again.
      </p>
    </div>
  );
}
