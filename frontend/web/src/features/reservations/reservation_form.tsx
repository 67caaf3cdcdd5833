// Books nodes, and says while it is filled in what stands against it.
import { useRef, useState } from "preact/hooks";
import type { Project } from "#proto/project";
import type { ListReservationsResponse, Reservation } from "#proto/reservation";
import { reservationClient } from "../../api/reservation";
import { useAct } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import {
  blankBooking,
  type BookingDraft,
  bookingOf,
  startAt,
} from "./reservation_draft";
import { limitWords } from "./reservation_labels";
import { useBookingPreview } from "./use_reservation_preview";

export function BookingForm(props: {
  list: ListReservationsResponse;
  projects: readonly Project[]; // with their names
  onDone(what: string, made: Reservation): void;
  close(): void;
}) {
  const { list, projects, onDone, close } = props;
  const { limits, mayBookAlone } = list;
  const act = useAct();
  const partitions = limits?.partitions ?? [];
  const [draft, setDraft] = useState(() =>
    blankBooking(Date.now(), list.projects[0] ?? "", partitions[0] ?? ""),
  );
  // One for each thing that is asked for: pressing twice books once.
  const key = useRef({ draft, text: crypto.randomUUID() });
  const preview = useBookingPreview(draft);
  const { spec, mistake } = bookingOf(draft);
  const violations = preview?.answer.violations ?? [];
  const current = preview?.draft === draft;
  const blocked = mistake !== undefined || (current && violations.length > 0);

  const set = (name: keyof BookingDraft) => (event: { currentTarget: Input }) =>
    setDraft((old) => ({ ...old, [name]: event.currentTarget.value }));
  const submit = (event: Event) => {
    event.preventDefault();
    if (!spec || blocked) return;
    if (key.current.draft !== draft) {
      key.current = { draft, text: crypto.randomUUID() };
    }
    void act.run(async () => {
      const { reservation } = await reservationClient.bookReservation({
        spec,
        idempotencyKey: key.current.text,
      });
      if (reservation) onDone(`"${spec.title}" is booked.`, reservation);
    });
  };
  return (
    <form class="narrow-form" data-test="booking-form" onSubmit={submit}>
      <label class="stacked">
        <span>Title</span>
        <input
          data-test="booking-title"
          autocomplete="off"
          maxLength={64}
          placeholder="Machine learning, exercise 3"
          value={draft.title}
          onInput={set("title")}
        />
      </label>
      <label class="stacked">
        <span>For</span>
        <select
          data-test="booking-project"
          value={draft.project}
          onChange={set("project")}
        >
          {mayBookAlone && <option value="">Myself</option>}
          {list.projects.map((id) => (
            <option key={id} value={id}>
              Everybody in {nameOf(projects, id)}
            </option>
          ))}
        </select>
      </label>
      <div class="booking-line">
        <label class="stacked">
          <span>Day</span>
          <input
            type="date"
            data-test="booking-day"
            value={draft.day}
            onInput={set("day")}
          />
        </label>
        <label class="stacked">
          <span>From</span>
          <input
            type="time"
            data-test="booking-time"
            value={draft.time}
            onInput={set("time")}
          />
        </label>
        <label class="stacked">
          <span>For how long</span>
          <input
            data-test="booking-duration"
            autocomplete="off"
            maxLength={16}
            value={draft.duration}
            onInput={set("duration")}
          />
        </label>
      </div>
      <button
        class="chip-button booking-now"
        type="button"
        data-test="booking-now"
        onClick={() => setDraft((old) => ({ ...old, ...startAt(Date.now()) }))}
      >
        From now on
      </button>
      <div class="booking-line">
        <label class="stacked">
          <span>Nodes</span>
          <input
            data-test="booking-nodes"
            inputMode="numeric"
            autocomplete="off"
            maxLength={6}
            value={draft.nodes}
            onInput={set("nodes")}
          />
        </label>
        <label class="stacked">
          <span>Partition</span>
          <select
            data-test="booking-partition"
            value={draft.partition}
            onChange={set("partition")}
          >
            {partitions.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {limits && (
        <p class="hint">
          {limitWords(limits, draft.project !== "")} Slurm chooses the nodes.
        </p>
      )}
      <div class="booking-word" aria-live="polite" data-test="booking-word">
        {mistake && <p class="muted">{mistake}</p>}
        {!mistake &&
          violations.map(({ message }) => (
            <p key={message} class="complaint sentence">
              {message}
            </p>
          ))}
        {!mistake && current && violations.length === 0 && (
          <p class="muted">
            {preview?.answer.freeNodes} of {preview?.answer.nodes} nodes are in
            no other reservation then.
          </p>
        )}
      </div>
      {act.failure && (
        <FailureNote failure={act.failure} testName="booking-failure" />
      )}
      <div class="button-row">
        <button
          class="button button-primary"
          type="submit"
          data-test="booking-save"
          aria-disabled={act.busy || blocked}
        >
          {act.busy ? "One moment…" : "Book"}
        </button>
        <button class="button" type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}

type Input = HTMLInputElement | HTMLSelectElement;

function nameOf(projects: readonly Project[], id: string): string {
  return projects.find((each) => each.id === id)?.settings?.name ?? "a project";
}
