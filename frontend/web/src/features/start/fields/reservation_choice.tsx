// The reservation that the job runs in, for somebody who may use one.
import { useReservations } from "../../reservations/reservations_context";
import {
  timeWords,
  titleOf,
  usableAt,
} from "../../reservations/reservation_labels";
import type { Complaint } from "../form/validation_errors";
import { Field } from "./field";

export function ReservationChoice(props: {
  chosen: string;
  complaints: readonly Complaint[] | undefined;
  onChoose(name: string): void;
}) {
  const { chosen, complaints, onChoose } = props;
  const usable = usableAt(useReservations(), Date.now());
  if (usable.length === 0 && !chosen) return null;
  const lost = chosen !== "" && !usable.some(({ name }) => name === chosen);
  return (
    <Field name="reservation" label="Reservation" complaints={complaints}>
      {(input) => (
        <select
          {...input}
          value={chosen}
          onChange={(event) => onChoose(event.currentTarget.value)}
        >
          <option value="">None</option>
          {lost && <option value={chosen}>{chosen}</option>}
          {usable.map((reservation) => (
            <option key={reservation.name} value={reservation.name}>
              {titleOf(reservation)} ({timeWords(reservation)})
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
