// Starts a job at most once for each submission, also after retries.
import { useRef, useState } from "preact/hooks";
import type { Job, JobSpec } from "#proto/jobs";
import { jobClient } from "../../api/core";
import { failureOf } from "../../api/failure";
import { useSession } from "../../session/session_context";
import { useConfirmation, useReport } from "../../ui/toasts";
import { intentFor, isDefinite, type SubmitIntent } from "./form/submit_intent";
import { messages } from "#messages/start";

const kNotStarted = messages.cannotStartTheJob;

export function useSubmit(onStarted: (job: Job) => void) {
  const { endIfOver } = useSession();
  const report = useReport();
  const confirm = useConfirmation();
  const [busy, setBusy] = useState(false);
  const intent = useRef<SubmitIntent>();

  // Returns whether a job was started.
  const submit = async (spec: JobSpec): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    const mine = intentFor(spec, intent.current, () => crypto.randomUUID());
    intent.current = mine;
    try {
      const answer = await jobClient.submitJob({
        spec,
        idempotencyKey: mine.key,
      });
      intent.current = undefined;
      report(kNotStarted, undefined);
      setBusy(false);
      if (answer.job) {
        confirm(messages.jobSubmitted({ name: answer.job.spec?.name ?? "" }));
        onStarted(answer.job);
      }
      return true;
    } catch (error) {
      const failure = failureOf(error);
      if (isDefinite(failure.code)) intent.current = undefined;
      if (!endIfOver(failure)) report(kNotStarted, failure);
    }
    setBusy(false);
    return false;
  };

  return { busy, submit };
}
