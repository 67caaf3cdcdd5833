// The job that Start would submit, with all defaults, or the first problem.
import type { JobSpec } from "#proto/jobs";
import { imageName } from "../images/app_images";
import { sizeLabel } from "../jobs/job_labels";
import type { Place } from "./form/validation_errors";
import { kFieldLabels } from "./form/field_labels";
import { messages } from "#messages/start";

export interface StartProblem {
  readonly place: Place;
  readonly message: string;
  readonly isVisible: boolean; // shown in red at its field
}

export function StartSummary(props: {
  spec: JobSpec | undefined;
  problem: StartProblem | undefined; // the first error that prevents the start
  onShow(place: Place): void;
}) {
  const { spec, problem, onShow } = props;
  if (problem) return <Problem problem={problem} onShow={onShow} />;
  if (!spec)
    return <div class="skeleton skeleton-summary" aria-hidden="true" />;
  const parts: readonly (readonly [string, string])[] = [
    [
      messages.environment,
      spec.environment || (spec.image && imageName(spec.image)),
    ],
    [messages.resources, sizeLabel(spec).join(" · ")],
    [messages.partition, spec.partition],
  ];
  return (
    <dl class="start-summary" data-testid="start-summary">
      {parts
        .filter(([, value]) => value)
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Problem(props: { problem: StartProblem; onShow(place: Place): void }) {
  const { place, message, isVisible } = props.problem;
  const label = kFieldLabels[place];
  // Errors without a field are shown in red above this line.
  if (place === "form" && isVisible) return null;
  return (
    <p
      class={isVisible ? "start-problem start-summary-bad" : "start-problem"}
      data-testid="start-problem"
    >
      {label && <strong>{messages.beforeField({ label })}</strong>}
      <span class={label ? undefined : "sentence"}>{message}</span>
      {label && (
        <>
          {" "}
          <button
            class="link-button"
            type="button"
            data-testid="start-problem-show"
            onClick={() => props.onShow(place)}
          >
            {messages.goToField}
          </button>
        </>
      )}
    </p>
  );
}
