// Starts the job for files. Shows what it takes and when it would start, or why
// it is refused, as the start form does.
import { useState } from "preact/hooks";
import type { GetClusterResponse } from "#proto/cluster";
import type { Job } from "#proto/jobs";
import { useClusterChoice } from "../../session/cluster_context";
import { Icon } from "../../ui/icon";
import { Spinner } from "../../ui/spinner";
import { linkOf } from "../start/form/form_link";
import { fieldsOf } from "../start/form/start_estimate_labels";
import type { StartForm } from "../start/form/start_form";
import {
  firstPlace,
  validationErrorsOf,
} from "../start/form/validation_errors";
import { StartEstimateLine } from "../start/start_estimate_line";
import { StartSummary } from "../start/start_summary";
import { usePreview } from "../start/use_preview";
import { messages } from "#messages/files";

export function SessionStart(props: {
  cluster: GetClusterResponse;
  form: StartForm;
  jobs: readonly Job[]; // count against limits
  busy: boolean;
  onStart(form: StartForm): void;
}) {
  const { cluster, jobs, busy, onStart } = props;
  const { selected } = useClusterChoice();
  const [taken, setTaken] = useState<StartForm>();
  const form = taken ?? props.form;
  const preview = usePreview(form, jobs);
  const errors = validationErrorsOf([], preview?.answer.violations ?? []);
  const place = preview?.form === form ? firstPlace(errors) : undefined;
  const error = place && errors[place]?.[0];
  const isDown = cluster.slurm?.reachable === false;
  const disabled = busy || isDown || error !== undefined;
  const href = linkOf(form, "", selected);
  return (
    <div class="file-start">
      <p class="muted">{messages.startAbout}</p>
      <button
        class="button button-primary"
        type="button"
        data-testid="file-session-start"
        aria-disabled={disabled}
        onClick={() => {
          if (!disabled) onStart(form);
        }}
      >
        {busy ? <Spinner /> : <Icon name="play" />}
        {messages.startAFileSession}
      </button>
      <StartSummary
        spec={preview?.answer.spec}
        problem={
          place &&
          error && {
            place,
            message: error.message,
            isVisible: place !== "form", // "form": shown nowhere else
          }
        }
        onShow={() => (location.hash = href)}
      />
      {place === "form" && (
        <a class="link-button" href={href} data-testid="file-session-change">
          {messages.changeInTheStartForm}
        </a>
      )}
      {!error && (
        <StartEstimateLine
          estimate={preview?.answer.startEstimate}
          stale={preview?.form !== form}
          onTake={(instead) =>
            setTaken({ ...form, ...Object.fromEntries(fieldsOf(instead)) })
          }
        />
      )}
    </div>
  );
}
