// Selects the reservation of the job. Shown to users with access to one.
import { useReservations } from "../../reservations/reservations_context";
import {
  timeLabel,
  titleOf,
  usableAt,
} from "../../reservations/reservation_labels";
import type { ValidationError } from "../form/validation_errors";
import { Field } from "./field";
import { messages } from "#messages/start";

export function ReservationChoice(props: {
  chosen: string;
  validationErrors: readonly ValidationError[] | undefined;
  onChoose(name: string): void;
}) {
  const { chosen, validationErrors, onChoose } = props;
  const usable = usableAt(useReservations(), Date.now());
  if (usable.length === 0 && !chosen) return null;
  const lost = chosen !== "" && !usable.some(({ name }) => name === chosen);
  return (
    <Field
      name="reservation"
      label={messages.reservation}
      validationErrors={validationErrors}
    >
      {(input) => (
        <select
          {...input}
          value={chosen}
          onChange={(event) => onChoose(event.currentTarget.value)}
        >
          <option value="">{messages.none}</option>
          {lost && <option value={chosen}>{chosen}</option>}
          {usable.map((reservation) => (
            <option key={reservation.name} value={reservation.name}>
              {messages.reservationWithTime({
                title: titleOf(reservation),
                time: timeLabel(reservation),
              })}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
