// The calendar and list of reservations, and the form to reserve nodes.
import { useState } from "preact/hooks";
import type { Project } from "#proto/project";
import type { Reservation } from "#proto/reservation";
import { PageTitle } from "../../routes/page_title";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { StatusMessage } from "../../ui/status_message";
import { Panel } from "../../ui/panel";
import { useNow } from "../../ui/use_now";
import { ReservationForm } from "./reservation_form";
import { ReservationRows, rowId } from "./reservation_rows";
import { startOf } from "./reservation_labels";
import type { ReservationList } from "./reservations_context";
import { weekOf } from "./week";
import { WeekCalendar } from "./week_calendar";
import "../../styles/account.css";
import "../../styles/reservations.css";

export function ReservationsPage(props: {
  list: ReservationList;
  projects: readonly Project[];
}) {
  const { list, projects } = props;
  const now = useNow(30_000);
  const [week, setWeek] = useState(() => weekOf(Date.now()));
  const [booking, setBooking] = useState(false);
  const [message, setMessage] = useState("");
  const close = () => setBooking(false);
  const done = (what: string) => {
    setMessage(what);
    void list.reload();
  };
  const mayBook =
    list.value !== undefined &&
    (list.value.mayReserveAlone || list.value.projects.length > 0);
  return (
    <div class="reservations">
      <PageTitle text="Reservations" />
      <Panel
        title="Reserved nodes"
        about="Reserve nodes for a class or a deadline. Times are in your time zone."
        testId="reservations"
        actions={
          mayBook &&
          !booking && (
            <button
              class="button button-small"
              type="button"
              data-testid="reserve"
              onClick={() => setBooking(true)}
            >
              <Icon name="plus" /> Reserve nodes
            </button>
          )
        }
      >
        <StatusMessage text={message} />
        <QueryView loaded={list}>
          {(value) => (
            <>
              {booking && (
                <ReservationForm
                  list={value}
                  projects={projects}
                  onDone={(what, made) => {
                    close();
                    setWeek(weekOf(startOf(made)));
                    done(what);
                  }}
                  close={close}
                />
              )}
              <WeekCalendar
                reservations={value.reservations}
                week={week}
                now={now}
                onWeek={setWeek}
                onChoose={showRow}
              />
              <ReservationRows
                reservations={value.reservations}
                projects={projects}
                now={now}
                onCancelled={done}
              />
            </>
          )}
        </QueryView>
      </Panel>
    </div>
  );
}

function showRow(reservation: Reservation): void {
  const row = document.getElementById(rowId(reservation));
  row?.scrollIntoView({ block: "nearest" });
  row?.focus({ preventScroll: true });
}
