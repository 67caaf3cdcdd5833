// Asks the server to verify the hash chain and shows the result.
import { useState } from "preact/hooks";
import type { VerifyAuditResponse } from "#proto/audit";
import { auditClient } from "../../../api/admin";
import { useMutation } from "../../../session/use_mutation";
import { FailureNote } from "../../../ui/failure_note";
import { Icon } from "../../../ui/icon";
import { verifyLabel } from "./verify_labels";
import { messages } from "#messages/admin";

const kTimeoutMs = 300_000;

export function AuditVerify() {
  const mutation = useMutation();
  const [answer, setAnswer] = useState<VerifyAuditResponse>();
  const verify = () =>
    mutation.run(async () => {
      setAnswer(undefined);
      setAnswer(await auditClient.verifyAudit({}, { timeoutMs: kTimeoutMs }));
    });
  return (
    <>
      <button
        class="button"
        type="button"
        data-testid="audit-verify"
        aria-disabled={mutation.busy}
        onClick={() => void verify()}
      >
        <Icon name="shield" />{" "}
        {mutation.busy ? messages.verifying : messages.verifyLog}
      </button>
      {mutation.failure && <FailureNote failure={mutation.failure} />}
      <div class="verify-result" role="status" data-testid="audit-verified">
        {answer && (
          <p class={answer.good ? "note note-good" : "note note-bad"}>
            <Icon name={answer.good ? "check" : "alert"} />
            <span>{verifyLabel(answer)}</span>
          </p>
        )}
      </div>
    </>
  );
}
