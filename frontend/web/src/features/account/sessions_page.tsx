// Where one is logged in.
import { useState } from "preact/hooks";
import type { SessionEntry } from "#proto/account";
import { accountClient } from "../../api/account";
import { count } from "../../lib/format/count";
import { PageTitle } from "../../routes/page_title";
import { useAct } from "../../session/use_mutation";
import { useLoaded } from "../../session/use_query";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { FailureNote } from "../../ui/failure_note";
import { LoadedView } from "../../ui/loaded_view";
import { News } from "../../ui/status_message";
import { Panel } from "../../ui/panel";
import { SessionRow } from "./session_row";

export function SessionsPage() {
  const loaded = useLoaded(() => accountClient.listSessions({}));
  const act = useAct();
  const [asking, setAsking] = useState(false);
  const [news, setNews] = useState("");
  const sessions = loaded.value?.sessions ?? [];
  const others = sessions.filter(({ current }) => !current).length;

  const end = ({ id, device }: SessionEntry) =>
    act.run(async () => {
      await accountClient.endSession({ id });
      setNews(`The session of ${device || "an unknown device"} has ended.`);
      await loaded.reload();
    });
  const endOthers = () =>
    act.run(async () => {
      const { ended } = await accountClient.endOtherSessions({});
      setAsking(false);
      setNews(`${count(ended, "other session")} ended.`);
      await loaded.reload();
    });

  return (
    <>
      <PageTitle text="Sessions" />
      <Panel
        title="Where you are logged in"
        about="Ending a session also closes the notebooks that it has open; your jobs go on."
        testName="sessions"
        actions={
          others > 0 && (
            <button
              class="button button-small"
              type="button"
              data-test="end-others"
              onClick={() => setAsking(true)}
            >
              End all others
            </button>
          )
        }
      >
        <News text={news} />
        {act.failure && !asking && <FailureNote failure={act.failure} />}
        <LoadedView loaded={loaded}>
          {() => (
            <ul class="rows">
              {sessions.map((session) => (
                <SessionRow
                  key={session.id}
                  session={session}
                  busy={act.busy}
                  onEnd={() => void end(session)}
                />
              ))}
            </ul>
          )}
        </LoadedView>
      </Panel>
      {asking && (
        <ConfirmDialog
          title={`End ${count(others, "other session")}?`}
          act={act}
          confirm="End them"
          onConfirm={() => void endOthers()}
          close={() => setAsking(false)}
        >
          <p>Whoever uses them has to log in again. This one stays.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
