// The estimated start of the job, and a smaller or shorter alternative that
// would start now.
import type { Forecast, JobSpec } from "#proto/jobs";
import { Icon } from "../../ui/icon";
import { useNow } from "../../ui/use_now";
import { startEstimateLabel } from "./form/start_estimate_labels";
import { messages } from "./messages";

export function StartEstimateLine(props: {
  forecast: Forecast | undefined;
  stale: boolean; // belongs to an earlier state of the form
  onTake(alternative: JobSpec): void;
}) {
  const { forecast, stale, onTake } = props;
  const now = useNow(60_000);
  const label = forecast && startEstimateLabel(forecast, now);
  const alternative = forecast?.alternative;
  return (
    <div
      class="forecast"
      data-testid="forecast"
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
            {forecast.alternativeSentence}{" "}
            <button
              class="link-button"
              type="button"
              data-testid="forecast-take"
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
