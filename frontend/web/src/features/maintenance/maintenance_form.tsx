// Announces, starts or changes maintenance.
import { useState } from "preact/hooks";
import type { MaintenanceDetails } from "#proto/maintenance";
import { maintenanceClient } from "../../api/maintenance";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { DayAndTime } from "../../ui/form/day_and_time";
import { FailureNote } from "../../ui/failure_note";
import { draftOf, type MaintenanceDraft, requestOf } from "./maintenance_draft";
import { CheckField, TextField } from "../../ui/form/field";
import { FormError, useFormError } from "../../ui/form/form_error";
import { messages } from "#messages/maintenance";

const kMaxMessage = 500;

export function MaintenanceForm(props: {
  details: MaintenanceDetails | undefined; // of the current maintenance
  onDone(what: string): void;
}) {
  const [draft, setDraft] = useState(() => draftOf(props.details, Date.now()));
  const { error, setError, errorIdOf } = useFormError<keyof MaintenanceDraft>();
  const mutation = useMutation();
  const withReauthentication = useReauthentication();
  const change = (part: Partial<MaintenanceDraft>) => {
    setError(undefined);
    setDraft((old) => ({ ...old, ...part }));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const result = requestOf(draft);
    setError(result.parseError);
    const { request } = result;
    if (!request) return;
    void mutation.run(async () => {
      await withReauthentication(() =>
        maintenanceClient.startMaintenance(request),
      );
      props.onDone(messages.saved);
    });
  };
  return (
    <form
      class="narrow-form"
      data-testid="maintenance-form"
      noValidate
      onSubmit={submit}
    >
      <TextField
        label={messages.message}
        errorId={errorIdOf("message")}
        testId="maintenance-message"
        maxLength={kMaxMessage}
        placeholder={messages.messagePlaceholder}
        spellcheck
        value={draft.message}
        onValue={(message) => change({ message })}
      />
      <DayAndTime
        label={messages.from}
        hint={messages.startNow}
        errorId={errorIdOf("startDay")}
        testId="maintenance-start"
        day={draft.startDay}
        time={draft.startTime}
        onDay={(startDay) => change({ startDay })}
        onTime={(startTime) => change({ startTime })}
      />
      <DayAndTime
        label={messages.endDay}
        errorId={errorIdOf("endDay")}
        testId="maintenance-end"
        day={draft.endDay}
        time={draft.endTime}
        onDay={(endDay) => change({ endDay })}
        onTime={(endTime) => change({ endTime })}
      />
      <CheckField
        hint={messages.autoEndHint}
        testId="maintenance-auto-end"
        checked={draft.autoEnd}
        onChecked={(autoEnd) => change({ autoEnd })}
      >
        {messages.autoEnd}
      </CheckField>
      <CheckField
        hint={messages.reservationHint}
        testId="maintenance-reserve"
        checked={draft.reserve}
        onChecked={(reserve) => change({ reserve })}
      >
        {messages.reservation}
      </CheckField>
      {draft.reserve && <Nodes draft={draft} change={change} />}
      {error && <FormError {...error} testId="maintenance-error" />}
      {mutation.failure && (
        <FailureNote failure={mutation.failure} testId="maintenance-failure" />
      )}
      <div class="button-row">
        <button
          class="button button-primary"
          type="submit"
          data-testid="maintenance-save"
          aria-disabled={mutation.busy}
        >
          {mutation.busy ? messages.saving : messages.save}
        </button>
      </div>
    </form>
  );
}

function Nodes(props: {
  draft: MaintenanceDraft;
  change(part: Partial<MaintenanceDraft>): void;
}) {
  const { draft, change } = props;
  return (
    <>
      <TextField
        label={messages.partition}
        testId="maintenance-partition"
        value={draft.partition}
        onValue={(partition) => change({ partition })}
      />
      <TextField
        label={messages.nodes}
        hint={`${messages.nodesHint} ${messages.allNodes}`}
        testId="maintenance-nodes"
        value={draft.nodes}
        onValue={(nodes) => change({ nodes })}
      />
    </>
  );
}
