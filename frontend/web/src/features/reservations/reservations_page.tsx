// The calendar and list of reservations, and the form to reserve nodes.
import { useState } from "preact/hooks";
import type { Project } from "#proto/project";
import type { Reservation } from "#proto/reservation";
import { PageTitle } from "../../routes/page_title";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { useConfirmation } from "../../ui/toasts";
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
import { messages } from "#messages/reservations";

export function ReservationsPage(props: {
  list: ReservationList;
  projects: readonly Project[];
}) {
  const { list, projects } = props;
  const now = useNow(30_000);
  const [week, setWeek] = useState(() => weekOf(Date.now()));
  const [reserving, setReserving] = useState(false);
  const confirm = useConfirmation();
  const close = () => setReserving(false);
  const done = (what: string) => {
    confirm(what);
    void list.reload();
  };
  const mayReserve =
    list.value !== undefined &&
    (list.value.mayReserveAlone || list.value.projects.length > 0);
  return (
    <div class="reservations">
      <PageTitle text={messages.reservations} />
      <Panel
        title={messages.reservedNodes}
        about={messages.reserveNodesForAClass}
        testId="reservations"
        actions={
          mayReserve &&
          !reserving && (
            <button
              class="button button-small"
              type="button"
              data-testid="reserve"
              onClick={() => setReserving(true)}
            >
              <Icon name="plus" /> {messages.reserveNodes}
            </button>
          )
        }
      >
        <QueryView loaded={list}>
          {(value) => (
            <>
              {reserving && (
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
