// When Slurm would start what the form asks for; and, where that is not now, a
// smaller or shorter job that would start at once, one click away.
import type { Forecast, JobSpec } from "#proto/jobs";
import { Icon } from "../../ui/icon";
import { useNow } from "../../ui/use_now";
import { startEstimateLabel } from "./form/start_estimate_labels";

export function StartEstimateLine(props: {
  forecast: Forecast | undefined;
  stale: boolean; // it is about what the form was
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
              Take that
            </button>
          </span>
        </p>
      )}
    </div>
  );
}
