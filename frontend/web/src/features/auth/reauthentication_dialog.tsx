import { Code } from "@connectrpc/connect";
import { useEffect, useState } from "preact/hooks";
import type { StartReauthenticationResponse } from "#proto/auth";
import { authClient } from "../../api/core";
import { type Failure, failureOf } from "../../api/failure";
import type { FactorProof } from "./factors/factor_proof";
import { ProveFactor } from "./factors/prove_factor";
import { useEvent } from "../../lib/use_event";
import { Dialog } from "../../ui/dialog";
import { FailureNote } from "../../ui/failure_note";
import { useSession } from "../../session/session_context";
import { messages } from "#messages/auth";

export function ReauthenticationDialog(props: {
  close(proved: boolean): void;
}) {
  const { close } = props;
  const { renew, endIfOver } = useSession();
  const [question, setQuestion] = useState<StartReauthenticationResponse>();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();

  const fail = (error: unknown) => {
    const next = failureOf(error);
    if (!endIfOver(next)) setFailure(next);
    return next;
  };
  const start = useEvent(async () => {
    try {
      setQuestion(await authClient.startReauthentication({}));
    } catch (error) {
      fail(error);
    }
  });
  useEffect(() => void start(), [start]);

  const prove = async (proof: FactorProof) => {
    setBusy(true);
    setFailure(undefined);
    try {
      const { session } = await authClient.finishReauthentication(proof);
      if (session) renew(session);
      close(true);
    } catch (error) {
      // A passkey challenge can be answered only once.
      if (fail(error).code !== Code.Unauthenticated) await start();
      setBusy(false);
    }
  };

  return (
    <Dialog title={messages.confirmYourSecondFactor} close={() => close(false)}>
      <p class="muted">{messages.thisActionRequiresYourSecond}</p>
      {question ? (
        <ProveFactor
          factors={question.factors}
          passkeyRequest={question.passkeyRequest}
          busy={busy}
          failure={failure}
          onProof={prove}
        />
      ) : (
        failure && <FailureNote failure={failure} />
      )}
      <div class="dialog-actions">
        <button
          class="button"
          type="button"
          data-testid="reauthentication-cancel"
          onClick={() => close(false)}
        >
          {messages.cancel}
        </button>
      </div>
    </Dialog>
  );
}
