// Has the server recompute the chain, and says whether it holds.
import { useState } from "preact/hooks";
import type { VerifyAuditResponse } from "#proto/audit";
import { auditClient } from "../../../api/admin";
import { useAct } from "../../../session/use_mutation";
import { FailureNote } from "../../../ui/failure_note";
import { Icon } from "../../../ui/icon";
import { verifyWords } from "./verify_labels";

const kPatienceMs = 300_000;

export function AuditVerify() {
  const act = useAct();
  const [answer, setAnswer] = useState<VerifyAuditResponse>();
  const verify = () =>
    act.run(async () => {
      setAnswer(undefined);
      setAnswer(await auditClient.verifyAudit({}, { timeoutMs: kPatienceMs }));
    });
  return (
    <>
      <button
        class="button"
        type="button"
        data-test="audit-verify"
        aria-disabled={act.busy}
        onClick={() => void verify()}
      >
        <Icon name="shield" /> {act.busy ? "Verifying…" : "Verify the chain"}
      </button>
      {act.failure && <FailureNote failure={act.failure} />}
      <div class="verify-result" role="status" data-test="audit-verified">
        {answer && (
          <p class={answer.good ? "note note-good" : "note note-bad"}>
            <Icon name={answer.good ? "check" : "alert"} />
            <span>{verifyWords(answer)}</span>
          </p>
        )}
      </div>
    </>
  );
}
