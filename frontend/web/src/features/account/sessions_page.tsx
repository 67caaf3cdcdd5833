// The user's sessions.
import { useState } from "preact/hooks";
import type { SessionEntry } from "#proto/account";
import { accountClient } from "../../api/account";
import { PageTitle } from "../../routes/page_title";
import { useMutation } from "../../session/use_mutation";
import { useQuery } from "../../session/use_query";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { FailureNote } from "../../ui/failure_note";
import { QueryView } from "../../ui/loaded_view";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { SessionRow } from "./session_row";
import { messages } from "#messages/account";

export function SessionsPage() {
  const loaded = useQuery(() => accountClient.listSessions({}));
  const mutation = useMutation();
  const [asking, setAsking] = useState(false);
  const confirm = useConfirmation();
  const sessions = loaded.value?.sessions ?? [];
  const others = sessions.filter(({ current }) => !current).length;

  const end = ({ id, device }: SessionEntry) =>
    mutation.run(async () => {
      await accountClient.endSession({ id });
      confirm(
        messages.sessionEnded({ device: device || messages.anUnknownDevice }),
      );
      await loaded.reload();
    });
  const endOthers = () =>
    mutation.run(async () => {
      const { ended } = await accountClient.endOtherSessions({});
      setAsking(false);
      confirm(messages.otherSessionsEnded({ count: ended }));
      await loaded.reload();
    });

  return (
    <>
      <PageTitle text={messages.sessions} />
      <Panel
        title={messages.activeSessions}
        about={messages.endingASessionDisconnectsThe}
        testId="sessions"
        actions={
          others > 0 && (
            <button
              class="button button-small"
              type="button"
              data-testid="end-others"
              onClick={() => setAsking(true)}
            >
              {messages.endAllOtherSessions}
            </button>
          )
        }
      >
        {mutation.failure && !asking && (
          <FailureNote failure={mutation.failure} />
        )}
        <QueryView loaded={loaded}>
          {() => (
            <ul class="rows">
              {sessions.map((session) => (
                <SessionRow
                  key={session.id}
                  session={session}
                  busy={mutation.busy}
                  onEnd={() => void end(session)}
                />
              ))}
            </ul>
          )}
        </QueryView>
      </Panel>
      {asking && (
        <ConfirmDialog
          title={messages.endOtherSessions({ count: others })}
          mutation={mutation}
          confirm={messages.endSessions}
          onConfirm={() => void endOthers()}
          close={() => setAsking(false)}
        >
          <p>{messages.theseDevicesMustLogIn}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
