// The estimated start of the job, and a smaller or shorter alternative that
// would start now.
import type { StartEstimate, JobSpec } from "#proto/jobs";
import { Icon } from "../../ui/icon";
import { useNow } from "../../ui/use_now";
import { startEstimateLabel } from "./form/start_estimate_labels";
import { messages } from "#messages/start";

export function StartEstimateLine(props: {
  estimate: StartEstimate | undefined;
  stale: boolean; // belongs to an earlier state of the form
  onTake(alternative: JobSpec): void;
}) {
  const { estimate, stale, onTake } = props;
  const now = useNow(60_000);
  const label = estimate && startEstimateLabel(estimate, now);
  const alternative = estimate?.alternative;
  return (
    <div
      class="start-estimate"
      data-testid="start-estimate"
      data-tone={label?.tone}
      data-stale={stale}
      role="status"
    >
      {label && (
        <p>
          <Icon name={label.icon} />
          <span>{label.text}</span>
        </p>
      )}
      {alternative && (
        <p>
          <Icon name="arrow" />
          <span>
            {estimate.alternativeSentence}{" "}
            <button
              class="link-button"
              type="button"
              data-testid="start-estimate-take"
              onClick={() => onTake(alternative)}
            >
              {messages.useAlternative}
            </button>
          </span>
        </p>
      )}
    </div>
  );
}
