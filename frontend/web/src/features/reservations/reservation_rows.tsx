import { useState } from "preact/hooks";
import type { Project } from "#proto/project";
import { ReservationState, type Reservation } from "#proto/reservation";
import { reservationClient } from "../../api/reservation";
import { useMutation } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { Icon } from "../../ui/icon";
import {
  lengthLabel,
  stateLabel,
  timeLabel,
  titleOf,
} from "./reservation_labels";
import { messages } from "#messages/reservations";

export function rowId({ name }: Reservation): string {
  return `reservation-${name}`;
}

export function ReservationRows(props: {
  reservations: readonly Reservation[];
  projects: readonly Project[];
  now: number;
  onCancelled(what: string): void;
}) {
  const { reservations, projects, now, onCancelled } = props;
  if (reservations.length === 0) {
    return <p class="muted">{messages.noReservations}</p>;
  }
  return (
    <ul class="rows">
      {reservations.map((reservation) => (
        <Row
          key={reservation.name}
          {...{ reservation, projects, now, onCancelled }}
        />
      ))}
    </ul>
  );
}

function Row(props: {
  reservation: Reservation;
  projects: readonly Project[];
  now: number;
  onCancelled(what: string): void;
}) {
  const { reservation, projects, now, onCancelled } = props;
  const { name, nodes, nodeNames, partition, owner, users } = reservation;
  const state = stateLabel(reservation, now);
  const length = lengthLabel(reservation);
  const project = projects.find(({ id }) => id === reservation.project);
  return (
    <li
      class="row"
      id={rowId(reservation)}
      tabIndex={-1}
      data-testid={rowId(reservation)}
      data-own={reservation.mine}
    >
      <Icon name="clock" />
      <div class="row-what">
        <p class="row-title">
          {titleOf(reservation)}{" "}
          <span class="state" data-tone={state.tone}>
            {state.text}
          </span>
        </p>
        <p class="muted small facts-line">
          <span>
            {timeLabel(reservation)}
            {length && ` (${length})`}
          </span>
          <span>
            {nodeNames.length > 0
              ? messages.nodesNamed({
                  count: nodes,
                  names: nodeNames.join(", "),
                })
              : messages.nodeCount({ count: nodes })}
          </span>
          {partition && (
            <span>{messages.inPartition({ name: partition })}</span>
          )}
          {project && (
            <span>
              {messages.forProject({ name: project.settings?.name ?? "" })}
            </span>
          )}
          {owner && <span>{messages.byOwner({ name: owner })}</span>}
          {users.length > 0 && (
            <span title={users.join(", ")}>
              {messages.userCount({ count: users.length })}
            </span>
          )}
          <span class="mono">{name}</span>
        </p>
      </div>
      {reservation.mayCancel &&
        reservation.state !== ReservationState.CANCELLING && (
          <CancelButton {...{ reservation, onCancelled }} />
        )}
    </li>
  );
}

function CancelButton(props: {
  reservation: Reservation;
  onCancelled(what: string): void;
}) {
  const { reservation, onCancelled } = props;
  const mutation = useMutation();
  const [asking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
    mutation.clearFailure();
  };
  const cancel = () =>
    void mutation.run(async () => {
      const { state } = await reservationClient.cancelReservation({
        id: reservation.id,
      });
      setAsking(false);
      onCancelled(
        state === ReservationState.ENDED
          ? messages.cancelled({ title: titleOf(reservation) })
          : messages.cancelling({ title: titleOf(reservation) }),
      );
    });
  return (
    <div class="button-row">
      <button
        class="button button-small"
        type="button"
        data-testid={`cancel-${reservation.name}`}
        onClick={() => setAsking(true)}
      >
        {messages.cancelLabel}
      </button>
      {asking && (
        <ConfirmDialog
          title={messages.cancelTitle({ title: titleOf(reservation) })}
          mutation={mutation}
          confirm={messages.cancelReservation}
          onConfirm={cancel}
          close={close}
        >
          <p>{messages.theNodesBecomeAvailableTo}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
