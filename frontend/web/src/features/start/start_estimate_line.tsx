// When Slurm would start what the form asks for; and, where that is not now, a
// smaller or shorter job that would start at once, one click away.
import type { Forecast, JobSpec } from "#proto/jobs";
import { Icon } from "../../ui/icon";
import { useNow } from "../../ui/use_now";
import { forecastWords } from "./form/start_estimate_labels";

export function ForecastLine(props: {
  forecast: Forecast | undefined;
  stale: boolean; // it is about what the form was
  onTake(instead: JobSpec): void;
}) {
  const { forecast, stale, onTake } = props;
  const now = useNow(60_000);
  const words = forecast && forecastWords(forecast, now);
  const instead = forecast?.instead;
  return (
    <div
      class="forecast"
      data-test="forecast"
      data-tone={words?.tone}
      data-stale={stale}
      role="status"
    >
      {words && (
        <p>
          <Icon name={words.icon} />
          <span>{words.text}</span>
        </p>
      )}
      {instead && (
        <p>
          <Icon name="arrow" />
          <span>
            {forecast.insteadSentence}{" "}
            <button
              class="link-button"
              type="button"
              data-test="forecast-take"
              onClick={() => onTake(instead)}
            >
              Take that
            </button>
          </span>
        </p>
      )}
    </div>
  );
}
