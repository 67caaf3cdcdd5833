// The current maintenance for administrators: announce, change, end.
import { useContext, useState } from "preact/hooks";
import type { MaintenanceDetails } from "#proto/maintenance";
import { maintenanceClient } from "../../api/maintenance";
import { PageTitle } from "../../routes/page_title";
import { useReauthentication } from "../../session/reauthentication_context";
import { mayChange } from "../../session/roles";
import { useSession } from "../../session/session_context";
import { useMutation } from "../../session/use_mutation";
import { useQuery } from "../../session/use_query";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { QueryView } from "../../ui/loaded_view";
import { Panel } from "../../ui/panel";
import { useConfirmation } from "../../ui/toasts";
import { MaintenanceForm } from "./maintenance_form";
import {
  maintenanceLabel,
  remainingText,
  reservationText,
} from "./maintenance_labels";
import { MaintenanceContext } from "./use_maintenance";
import { messages } from "#messages/maintenance";

export function MaintenancePage() {
  const { session } = useSession();
  const { reload: reloadBanner } = useContext(MaintenanceContext);
  const loaded = useQuery(() => maintenanceClient.getMaintenanceDetails({}));
  const confirm = useConfirmation();
  const [ending, setEnding] = useState(false);
  const done = (what: string) => {
    confirm(what);
    setEnding(false);
    void loaded.reload();
    void reloadBanner();
  };
  const details = loaded.value?.details;
  const isOn = details?.maintenance !== undefined;
  const isAdministrator = mayChange(session);
  return (
    <>
      <PageTitle text={messages.title} />
      <Panel
        title={messages.current}
        about={messages.about}
        testId="maintenance"
        actions={
          isOn &&
          isAdministrator && (
            <button
              class="button button-danger"
              type="button"
              data-testid="maintenance-off"
              onClick={() => setEnding(true)}
            >
              {messages.endMaintenance}
            </button>
          )
        }
      >
        <QueryView loaded={loaded}>
          {(response) => <Current details={response.details} />}
        </QueryView>
      </Panel>
      {!isAdministrator && <p class="muted">{messages.onlyAdministrators}</p>}
      {isAdministrator && loaded.value && (
        <Panel title={isOn ? messages.change : messages.announceOrStart}>
          <MaintenanceForm
            key={keyOf(details)}
            details={details}
            onDone={done}
          />
        </Panel>
      )}
      {ending && <EndDialog onDone={done} close={() => setEnding(false)} />}
    </>
  );
}

// A saved change fills the form in again.
function keyOf(details: MaintenanceDetails | undefined): string {
  const maintenance = details?.maintenance;
  return [
    maintenance?.startsAt?.seconds,
    maintenance?.endsAt?.seconds,
    maintenance?.message,
    details?.reservation,
  ].join(" ");
}

function Current(props: { details: MaintenanceDetails | undefined }) {
  const { details } = props;
  const maintenance = details?.maintenance;
  if (!details || !maintenance) return <p class="muted">{messages.none}</p>;
  const { title, effect } = maintenanceLabel(maintenance, Date.now(), true);
  const reservation = reservationText(details);
  return (
    <div data-testid="maintenance-current">
      <p>
        <strong>{title}</strong> {effect}
      </p>
      <p class="maintenance-message">{maintenance.message}</p>
      <p class="muted small facts-line">
        <span>{messages.setBy({ name: details.startedBy })}</span>
        {reservation && <span>{reservation}</span>}
        {maintenance.autoEnd && <span>{messages.autoEnd}</span>}
      </p>
    </div>
  );
}

function EndDialog(props: { onDone(what: string): void; close(): void }) {
  const mutation = useMutation();
  const withReauthentication = useReauthentication();
  const end = () =>
    void mutation.run(async () => {
      const { remainingReservation } = await withReauthentication(() =>
        maintenanceClient.endMaintenance({}),
      );
      props.onDone(
        remainingReservation === ""
          ? messages.ended
          : `${messages.ended} ${remainingText(remainingReservation)}`,
      );
    });
  return (
    <ConfirmDialog
      title={messages.end}
      mutation={mutation}
      confirm={messages.end}
      onConfirm={end}
      close={props.close}
    >
      <p>{messages.endText}</p>
    </ConfirmDialog>
  );
}
