// Asks for how much longer a job is to run.
import { useRef, useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { jobClient } from "../../../api/core";
import { formatMinutes, parseMinutes } from "../../../lib/format/duration";
import { formatMoment, msOf } from "../../../lib/format/moment";
import { useAct } from "../../../session/use_mutation";
import { Dialog } from "../../../ui/dialog";
import { FailureNote } from "../../../ui/failure_note";
import { extendableMinutes, extensionChoices } from "./lifetime_labels";

export function ExtendDialog(props: {
  job: Job;
  onExtended(job: Job): void;
  close(): void;
}) {
  const { job, onExtended, close } = props;
  const most = extendableMinutes(job);
  const choices = extensionChoices(most);
  const [text, setText] = useState(formatMinutes(choices[0] ?? most));
  const act = useAct();
  // The same wish, sent again after a lost answer, is done once.
  const intent = useRef({ minutes: 0, key: "" });
  const minutes = parseMinutes(text);
  const complaint =
    minutes === undefined
      ? "Write a time such as 30 min or 2 h"
      : minutes > most
        ? `At most ${formatMinutes(most)} more`
        : "";
  const end = msOf(job.endsAt);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (complaint || minutes === undefined) return;
    if (intent.current.minutes !== minutes) {
      intent.current = { minutes, key: crypto.randomUUID() };
    }
    const done = await act.run(async () => {
      const answer = await jobClient.extendJob({
        jobId: job.id,
        by: { seconds: BigInt(minutes * 60) },
        idempotencyKey: intent.current.key,
      });
      if (answer.job) onExtended(answer.job);
    });
    if (done) close();
  };

  return (
    <Dialog title={`Extend ${job.spec?.name ?? job.id}`} close={close}>
      <form class="extend-form" noValidate onSubmit={submit}>
        <p>
          {`It may run for up to ${formatMinutes(most)} more. What runs in it goes on as it is.`}
        </p>
        <div class="field">
          <label for="extend-by">More time</label>
          <input
            id="extend-by"
            data-test="extend-by"
            autocomplete="off"
            maxLength={20}
            value={text}
            aria-invalid={complaint !== ""}
            aria-describedby="extend-complaint"
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <div class="presets" role="group" aria-label="Usual times">
            {choices.map((choice) => (
              <button
                key={choice}
                class="chip-button"
                type="button"
                aria-pressed={choice === minutes}
                onClick={() => setText(formatMinutes(choice))}
              >
                {formatMinutes(choice)}
              </button>
            ))}
          </div>
          <div id="extend-complaint" class="complaints" aria-live="polite">
            {complaint && (
              <div class="complaint" data-test="extend-complaint">
                <p>{complaint}</p>
              </div>
            )}
          </div>
        </div>
        {!complaint && minutes !== undefined && end !== undefined && (
          <p class="muted" data-test="extend-end">
            {`It then ends at about ${formatMoment(end + minutes * 60_000, Date.now())}.`}
          </p>
        )}
        {act.failure && <FailureNote failure={act.failure} />}
        <div class="dialog-actions">
          <button class="button" type="button" onClick={close}>
            Cancel
          </button>
          <button
            class="button button-primary"
            type="submit"
            data-test="extend-submit"
            aria-disabled={act.busy || complaint !== ""}
          >
            {act.busy ? "Extending…" : "Extend"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
