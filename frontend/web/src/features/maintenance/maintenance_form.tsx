// Announces, starts or changes maintenance.
import { useState } from "preact/hooks";
import type { MaintenanceDetails } from "#proto/maintenance";
import { maintenanceClient } from "../../api/maintenance";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { DayAndTime } from "../../ui/day_and_time";
import { FailureNote } from "../../ui/failure_note";
import { draftOf, type MaintenanceDraft, requestOf } from "./maintenance_draft";
import { messages } from "#messages/maintenance";

const kMaxMessage = 500;

export function MaintenanceForm(props: {
  details: MaintenanceDetails | undefined; // of the current maintenance
  onDone(what: string): void;
}) {
  const [draft, setDraft] = useState(() => draftOf(props.details, Date.now()));
  const [parseError, setParseError] = useState("");
  const mutation = useMutation();
  const withReauthentication = useReauthentication();
  const change = (part: Partial<MaintenanceDraft>) => {
    setParseError("");
    setDraft((old) => ({ ...old, ...part }));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const result = requestOf(draft);
    setParseError(result.parseError ?? "");
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
      <label class="stacked">
        <span>{messages.message}</span>
        <input
          data-testid="maintenance-message"
          autocomplete="off"
          maxLength={kMaxMessage}
          placeholder={messages.messagePlaceholder}
          value={draft.message}
          onInput={(event) => change({ message: event.currentTarget.value })}
        />
      </label>
      <DayAndTime
        label={messages.from}
        hint={messages.startNow}
        testId="maintenance-start"
        day={draft.startDay}
        time={draft.startTime}
        onDay={(startDay) => change({ startDay })}
        onTime={(startTime) => change({ startTime })}
      />
      <DayAndTime
        label={messages.endDay}
        testId="maintenance-end"
        day={draft.endDay}
        time={draft.endTime}
        onDay={(endDay) => change({ endDay })}
        onTime={(endTime) => change({ endTime })}
      />
      <Check
        label={messages.autoEnd}
        hint={messages.autoEndHint}
        testId="maintenance-auto-end"
        checked={draft.autoEnd}
        onChecked={(autoEnd) => change({ autoEnd })}
      />
      <Check
        label={messages.reservation}
        hint={messages.reservationHint}
        testId="maintenance-reserve"
        checked={draft.reserve}
        onChecked={(reserve) => change({ reserve })}
      />
      {draft.reserve && <Nodes draft={draft} change={change} />}
      {parseError && (
        <div class="note note-bad" role="alert" data-testid="maintenance-error">
          <p>{parseError}</p>
        </div>
      )}
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
      <label class="stacked">
        <span>{messages.partition}</span>
        <input
          data-testid="maintenance-partition"
          autocomplete="off"
          spellcheck={false}
          value={draft.partition}
          onInput={(event) => change({ partition: event.currentTarget.value })}
        />
      </label>
      <label class="stacked">
        <span>{messages.nodes}</span>
        <input
          data-testid="maintenance-nodes"
          autocomplete="off"
          spellcheck={false}
          value={draft.nodes}
          onInput={(event) => change({ nodes: event.currentTarget.value })}
        />
        <span class="hint">
          {messages.nodesHint} {messages.allNodes}
        </span>
      </label>
    </>
  );
}

function Check(props: {
  label: string;
  hint: string;
  testId: string;
  checked: boolean;
  onChecked(checked: boolean): void;
}) {
  return (
    <div>
      <label class="check">
        <input
          type="checkbox"
          data-testid={props.testId}
          checked={props.checked}
          onChange={(event) => props.onChecked(event.currentTarget.checked)}
        />
        <span>{props.label}</span>
      </label>
      <p class="hint">{props.hint}</p>
    </div>
  );
}
