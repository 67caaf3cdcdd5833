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
import { Calendar } from "./calendar";
import { CalendarAddressPanel } from "./calendar_address_panel";
import type { Span } from "./days";
import { type Period, periodOf } from "./period";
import { ReservationForm } from "./reservation_form";
import { ReservationRows, rowId } from "./reservation_rows";
import { startOf } from "./reservation_labels";
import type { ReservationList } from "./reservations_context";
import "../../styles/account.css";
import "../../styles/reservations.css";
import { messages } from "#messages/reservations";

const kNarrow = "(max-width: 40rem)";

export function ReservationsPage(props: {
  list: ReservationList;
  projects: readonly Project[];
}) {
  const { list, projects } = props;
  const now = useNow(30_000);
  const [period, setPeriod] = useState<Period>(() =>
    periodOf(matchMedia(kNarrow).matches ? "day" : "week", Date.now()),
  );
  const [reserving, setReserving] = useState(false);
  const [selected, setSelected] = useState<Span>(); // in the calendar
  const [planned, setPlanned] = useState<Span>(); // in the form
  const confirm = useConfirmation();
  const close = () => {
    setReserving(false);
    setSelected(undefined);
  };
  const book = (span: Span) => {
    setSelected(span);
    setReserving(true);
  };
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
              <div class="reservation-plan" data-reserving={reserving}>
                {reserving && (
                  <ReservationForm
                    list={value}
                    projects={projects}
                    selected={selected}
                    onPlan={setPlanned}
                    onDone={(what, made) => {
                      close();
                      setPeriod(periodOf(period.view, startOf(made)));
                      done(what);
                    }}
                    close={close}
                  />
                )}
                <Calendar
                  reservations={value.reservations}
                  period={period}
                  now={now}
                  planned={planned}
                  onPeriod={setPeriod}
                  onChoose={showRow}
                  {...(mayReserve && { onBook: book })}
                />
              </div>
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
      <CalendarAddressPanel />
    </div>
  );
}

function showRow(reservation: Reservation): void {
  const row = document.getElementById(rowId(reservation));
  row?.scrollIntoView({ block: "nearest" });
  row?.focus({ preventScroll: true });
}
