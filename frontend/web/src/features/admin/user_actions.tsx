// Administrative actions on an account. Each requires a reason for the audit
// log.
import { useState } from "preact/hooks";
import { adminClient } from "../../api/admin";
import { userPreviewHref } from "../../routes/route";
import { mayChange } from "../../session/roles";
import { useReauthentication } from "../../session/reauthentication_context";
import { useSession } from "../../session/session_context";
import { useMutation } from "../../session/use_mutation";
import { ReasonDialog } from "./reason_dialog";
import { messages } from "#messages/admin";
import { messages as preview } from "#messages/user_preview";

type Open = "reset" | "end";

export function UserActions(props: {
  username: string;
  onDone(what: string): void;
}) {
  const { username, onDone } = props;
  const { session } = useSession();
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [open, setOpen] = useState<Open>();
  if (!mayChange(session)) return null;

  const show = (which: Open) => {
    mutation.clearFailure();
    setOpen(which);
  };
  const close = () => setOpen(undefined);
  const reset = (reason: string) =>
    mutation.run(async () => {
      await withReauthentication(() =>
        adminClient.resetFactors({ username, reason }),
      );
      close();
      onDone(messages.secondFactorsReset({ username }));
    });
  const endAll = (reason: string) =>
    mutation.run(async () => {
      const { sessions, tokens } = await withReauthentication(() =>
        adminClient.endUserSessions({ username, reason }),
      );
      close();
      onDone(messages.sessionsEndedAndTokensRevoked({ sessions, tokens }));
    });

  return (
    <div class="button-row">
      <a
        class="button"
        href={userPreviewHref(username)}
        data-testid="user-preview"
      >
        {preview.previewStartForm}
      </a>
      {username === session.username ? (
        <p class="muted small">{messages.thisIsYourOwnAccount}</p>
      ) : (
        <button
          class="button"
          type="button"
          data-testid="reset-factors"
          onClick={() => show("reset")}
        >
          {messages.resetSecondFactors}
        </button>
      )}
      <button
        class="button"
        type="button"
        data-testid="end-user-sessions"
        onClick={() => show("end")}
      >
        {messages.endAllSessions}
      </button>
      {open === "reset" && (
        <ReasonDialog
          title={messages.resetSecondFactorsOf({ username })}
          text={messages.removesAllFactorsAndRecovery}
          confirm={messages.resetFactors}
          mutation={mutation}
          onReason={(reason) => void reset(reason)}
          close={close}
        />
      )}
      {open === "end" && (
        <ReasonDialog
          title={messages.endAllSessionsOf({ username })}
          text={messages.openAppsAreDisconnectedAnd}
          confirm={messages.endSessions}
          mutation={mutation}
          onReason={(reason) => void endAll(reason)}
          close={close}
        />
      )}
    </div>
  );
}
