// Reserves nodes. Shows violations while the form is filled in.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Project } from "#proto/project";
import type { ListReservationsResponse, Reservation } from "#proto/reservation";
import { reservationClient } from "../../api/reservation";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import type { Span } from "./days";
import {
  blankReservation,
  plannedSpan,
  type ReservationDraft,
  reservationOf,
  startAt,
  timeFields,
} from "./reservation_draft";
import { limitLabel } from "./reservation_labels";
import { useReservationPreview } from "./use_reservation_preview";
import { DateField, SelectField, TextField } from "../../ui/form/field";
import { messages } from "#messages/reservations";

export function ReservationForm(props: {
  list: ListReservationsResponse;
  projects: readonly Project[]; // with their names
  selected: Span | undefined; // in the calendar
  onPlan(span: Span | undefined): void; // whenever the time changes
  onDone(what: string, made: Reservation): void;
  close(): void;
}) {
  const { list, projects, selected, onPlan, onDone, close } = props;
  const { limits, mayReserveAlone } = list;
  const mutation = useMutation();
  const partitions = limits?.partitions ?? [];
  const [draft, setDraft] = useState(() =>
    blankReservation(Date.now(), list.projects[0] ?? "", partitions[0] ?? ""),
  );
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    first.current?.focus({ preventScroll: true });
    first.current?.scrollIntoView({ block: "nearest" });
  }, []);
  useEffect(() => {
    if (selected) setDraft((old) => ({ ...old, ...timeFields(selected) }));
  }, [selected]);
  const { day, time, duration } = draft;
  useEffect(() => {
    onPlan(plannedSpan({ day, time, duration }));
    return () => onPlan(undefined);
  }, [day, time, duration, onPlan]);
  // One idempotency key for each reservation: submitting twice reserves once.
  const key = useRef({ draft, text: crypto.randomUUID() });
  const preview = useReservationPreview(draft);
  const { spec, parseError } = reservationOf(draft);
  const violations = preview?.answer.violations ?? [];
  const current = preview?.draft === draft;
  const blocked =
    parseError !== undefined || (current && violations.length > 0);

  const set = (name: keyof ReservationDraft) => (value: string) =>
    setDraft((old) => ({ ...old, [name]: value }));
  const submit = (event: Event) => {
    event.preventDefault();
    if (!spec || blocked) return;
    if (key.current.draft !== draft) {
      key.current = { draft, text: crypto.randomUUID() };
    }
    void mutation.run(async () => {
      const { reservation } = await reservationClient.createReservation({
        spec,
        idempotencyKey: key.current.text,
      });
      if (reservation)
        onDone(messages.titleReserved({ title: spec.title }), reservation);
    });
  };
  return (
    <form class="narrow-form" data-testid="reserve-form" onSubmit={submit}>
      <TextField
        label={messages.title}
        inputRef={first}
        testId="reserve-title"
        maxLength={64}
        placeholder={messages.machineLearningExercise3}
        spellcheck
        value={draft.title}
        onValue={set("title")}
      />
      <SelectField
        label={messages.forWhom}
        testId="reserve-project"
        value={draft.project}
        options={[
          ...(mayReserveAlone ? [["", messages.myself] as const] : []),
          ...list.projects.map((id) => {
            const project = nameOf(projects, id);
            return [id, messages.allMembersOf({ project })] as const;
          }),
        ]}
        onValue={set("project")}
      />
      <div class="reservation-line">
        <DateField
          label={messages.day}
          testId="reserve-day"
          value={draft.day}
          onValue={set("day")}
        />
        <DateField
          label={messages.from}
          type="time"
          testId="reserve-time"
          value={draft.time}
          onValue={set("time")}
        />
        <TextField
          label={messages.duration}
          testId="reserve-duration"
          maxLength={16}
          value={draft.duration}
          onValue={set("duration")}
        />
      </div>
      <button
        class="chip-button reserve-now"
        type="button"
        data-testid="reserve-now"
        onClick={() => setDraft((old) => ({ ...old, ...startAt(Date.now()) }))}
      >
        {messages.startNow}
      </button>
      <div class="reservation-line">
        <TextField
          label={messages.nodes}
          testId="reserve-nodes"
          inputMode="numeric"
          maxLength={6}
          value={draft.nodes}
          onValue={set("nodes")}
        />
        <SelectField
          label={messages.partition}
          testId="reserve-partition"
          value={draft.partition}
          options={partitions.map((name) => [name, name])}
          onValue={set("partition")}
        />
      </div>
      {limits && (
        <p class="hint">
          {limitLabel(limits, draft.project !== "")}{" "}
          {messages.slurmChoosesTheNodes}
        </p>
      )}
      <div
        class="reserve-message"
        aria-live="polite"
        data-testid="reserve-message"
      >
        {parseError && <p class="muted">{parseError}</p>}
        {!parseError &&
          violations.map(({ message }) => (
            <p key={message} class="field-error sentence">
              {message}
            </p>
          ))}
        {!parseError && preview && current && violations.length === 0 && (
          <p class="muted">
            {messages.freeNodes({
              free: preview.answer.freeNodes,
              all: preview.answer.nodes,
            })}
          </p>
        )}
      </div>
      {mutation.failure && (
        <FailureNote failure={mutation.failure} testId="reserve-failure" />
      )}
      <div class="button-row">
        <button
          class="button button-primary"
          type="submit"
          data-testid="reserve-save"
          aria-disabled={mutation.busy || blocked}
        >
          {mutation.busy ? messages.saving : messages.reserve}
        </button>
        <button class="button" type="button" onClick={close}>
          {messages.cancel}
        </button>
      </div>
    </form>
  );
}

function nameOf(projects: readonly Project[], id: string): string {
  return (
    projects.find((each) => each.id === id)?.settings?.name ?? messages.aProject
  );
}
