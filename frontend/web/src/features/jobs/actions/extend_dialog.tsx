// Asks by how much to extend a job.
import { useRef, useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { clientsOf } from "../../../api/core";
import { formatMinutes, parseMinutes } from "../../../lib/format/duration";
import { formatMoment, msOf } from "../../../lib/format/moment";
import { useMutation } from "../../../session/use_mutation";
import { Dialog } from "../../../ui/dialog";
import { FailureNote } from "../../../ui/failure_note";
import { extendableMinutes, extensionChoices } from "./lifetime_labels";
import { messages } from "#messages/jobs";

export function ExtendDialog(props: {
  job: Job;
  onExtended(job: Job): void;
  close(): void;
}) {
  const { job, onExtended, close } = props;
  const max = extendableMinutes(job);
  const choices = extensionChoices(max);
  const [text, setText] = useState(formatMinutes(choices[0] ?? max));
  const mutation = useMutation();
  // A repeated request after a lost response extends the job once.
  const intent = useRef({ minutes: 0, key: "" });
  const minutes = parseMinutes(text);
  const validationError =
    minutes === undefined
      ? messages.enterATimeSuchAs
      : minutes > max
        ? messages.atMostMore({ duration: formatMinutes(max) })
        : "";
  const end = msOf(job.endsAt);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (validationError || minutes === undefined) return;
    if (intent.current.minutes !== minutes) {
      intent.current = { minutes, key: crypto.randomUUID() };
    }
    const done = await mutation.run(async () => {
      const answer = await clientsOf(job.cluster).jobs.extendJob({
        jobId: job.id,
        by: { seconds: BigInt(minutes * 60) },
        idempotencyKey: intent.current.key,
      });
      if (answer.job) onExtended(answer.job);
    });
    if (done) close();
  };

  return (
    <Dialog
      title={messages.extendJob({ name: job.spec?.name ?? job.id })}
      close={close}
    >
      <form class="extend-form" noValidate onSubmit={submit}>
        <p>{messages.addUpTo({ duration: formatMinutes(max) })}</p>
        <div class="field">
          <label for="extend-by">{messages.additionalTime}</label>
          <input
            id="extend-by"
            data-testid="extend-by"
            autocomplete="off"
            maxLength={20}
            value={text}
            aria-invalid={validationError !== ""}
            aria-describedby="extend-error"
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <div class="presets" role="group" aria-label={messages.commonTimes}>
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
          <div id="extend-error" class="field-errors" aria-live="polite">
            {validationError && (
              <div class="field-error" data-testid="extend-error">
                <p>{validationError}</p>
              </div>
            )}
          </div>
        </div>
        {!validationError && minutes !== undefined && end !== undefined && (
          <p class="muted" data-testid="extend-end">
            {messages.newEndAt({
              moment: formatMoment(end + minutes * 60_000, Date.now()),
            })}
          </p>
        )}
        {mutation.failure && <FailureNote failure={mutation.failure} />}
        <div class="dialog-actions">
          <button class="button" type="button" onClick={close}>
            {messages.cancel}
          </button>
          <button
            class="button button-primary"
            type="submit"
            data-testid="extend-submit"
            aria-disabled={mutation.busy || validationError !== ""}
          >
            {mutation.busy ? messages.extending : messages.extend}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
