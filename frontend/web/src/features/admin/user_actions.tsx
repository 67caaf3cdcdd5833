// What an administrator may do to an account, each with a reason that goes to
// the audit log.
import { useState } from "preact/hooks";
import { adminClient } from "../../api/admin";
import { count } from "../../lib/format/count";
import { mayChange } from "../../session/roles";
import { useFreshFactor } from "../../session/reauthentication_context";
import { useSession } from "../../session/session_context";
import { useAct } from "../../session/use_mutation";
import { ReasonDialog } from "./reason_dialog";

type Open = "reset" | "end";

export function UserActs(props: {
  username: string;
  onDone(what: string): void;
}) {
  const { username, onDone } = props;
  const { session } = useSession();
  const withFreshFactor = useFreshFactor();
  const act = useAct();
  const [open, setOpen] = useState<Open>();
  if (!mayChange(session)) return null;

  const show = (which: Open) => {
    act.forget();
    setOpen(which);
  };
  const close = () => setOpen(undefined);
  const reset = (reason: string) =>
    act.run(async () => {
      await withFreshFactor(() =>
        adminClient.resetFactors({ username, reason }),
      );
      close();
      onDone(`The second factors of ${username} were reset.`);
    });
  const endAll = (reason: string) =>
    act.run(async () => {
      const { sessions, tokens } = await withFreshFactor(() =>
        adminClient.endUserSessions({ username, reason }),
      );
      close();
      onDone(
        `${count(sessions, "session")} ended, ${count(tokens, "token")} revoked.`,
      );
    });

  return (
    <div class="button-row">
      {username === session.username ? (
        <p class="muted small">
          This is you: your own second factors are under Security.
        </p>
      ) : (
        <button
          class="button"
          type="button"
          data-test="reset-factors"
          onClick={() => show("reset")}
        >
          Reset second factors…
        </button>
      )}
      <button
        class="button"
        type="button"
        data-test="end-user-sessions"
        onClick={() => show("end")}
      >
        End all sessions…
      </button>
      {open === "reset" && (
        <ReasonDialog
          title={`Reset the second factors of ${username}?`}
          text="Every factor and recovery code of the account is removed and its sessions end. The next log-in sets up a new factor with the password alone, so be sure who is asking. The user is told."
          confirm="Reset them"
          act={act}
          onReason={(reason) => void reset(reason)}
          close={close}
        />
      )}
      {open === "end" && (
        <ReasonDialog
          title={`End all sessions of ${username}?`}
          text="Open notebooks lose their connection, and every access token is revoked. Jobs go on."
          confirm="End them"
          act={act}
          onReason={(reason) => void endAll(reason)}
          close={close}
        />
      )}
    </div>
  );
}
