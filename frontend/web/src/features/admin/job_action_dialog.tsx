// Asks for a reason, then stops, holds, releases or extends a user's job, or
// shows the end of its log.
import { useState } from "preact/hooks";
import type { OwnedJob } from "#proto/admin";
import { adminClient } from "../../api/admin";
import { plainText } from "../jobs/log/plain_text";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { Dialog } from "../../ui/dialog";
import { type JobAction, kJobActions, minutesOf } from "./job_actions";
import { ReasonDialog } from "./reason_dialog";
import { TextField } from "../../ui/form/field";
import { messages } from "#messages/admin";

const kLogBytes = 65_536n;

export function JobActionDialog(props: {
  entry: OwnedJob;
  what: JobAction;
  onDone(): void;
  close(): void;
}) {
  const { entry, what, onDone, close } = props;
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [minutes, setMinutes] = useState("60");
  const [log, setLog] = useState<string>();
  const jobId = entry.job?.id ?? "";
  const name = entry.job?.spec?.name ?? jobId;
  const label = kJobActions[what];

  const run = (reason: string) =>
    mutation.run(async () => {
      const text = await withReauthentication(() =>
        perform(what, jobId, reason, minutesOf(minutes) ?? 0),
      );
      if (text !== undefined) return setLog(text);
      onDone();
    });
  if (log !== undefined) {
    return (
      <Dialog title={messages.logOfJob({ job: name })} wide close={close}>
        <pre
          class="log-text"
          tabIndex={0}
          aria-label={messages.log}
          data-testid="log-text"
        >
          {log || messages.theLogIsEmpty}
        </pre>
        <div class="dialog-actions">
          <button class="button" type="button" onClick={close}>
            {messages.close}
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <ReasonDialog
      title={label.title({ job: name, owner: entry.owner })}
      text={label.text}
      confirm={label.confirm}
      placeholder={messages.reasonExampleOfJob}
      mutation={mutation}
      ready={what !== "extend" || minutesOf(minutes) !== undefined}
      onReason={(reason) => void run(reason)}
      close={close}
    >
      {what === "extend" && (
        <TextField
          label={messages.minutes}
          testId="extend-minutes"
          inputMode="numeric"
          value={minutes}
          onValue={setMinutes}
        />
      )}
    </ReasonDialog>
  );
}

// The text of the log; undefined after other actions.
async function perform(
  what: JobAction,
  jobId: string,
  reason: string,
  minutes: number,
): Promise<string | undefined> {
  const request = { jobId, reason };
  switch (what) {
    case "stop":
      await adminClient.stopUserJob(request);
      return undefined;
    case "hold":
      await adminClient.holdUserJob(request);
      return undefined;
    case "release":
      await adminClient.releaseUserJob(request);
      return undefined;
    case "extend":
      await adminClient.extendUserJob({
        ...request,
        by: { seconds: BigInt(minutes * 60) },
      });
      return undefined;
    case "log": {
      const { text } = await adminClient.getUserJobLog({
        ...request,
        offsetBytes: -kLogBytes,
      });
      return plainText(text);
    }
  }
}
