// Asks for a reason, then drains or resumes nodes.
import { useState } from "preact/hooks";
import { adminClient } from "../../../api/admin";
import { useReauthentication } from "../../../session/reauthentication_context";
import { useMutation } from "../../../session/use_mutation";
import { ConfirmDialog } from "../../../ui/confirm_dialog";
import { namesOf } from "./node_selection";
import { TextField } from "../../../ui/form/field";
import { messages } from "#messages/admin";

const kMaxLength = 200;

export interface NodeAction {
  readonly what: "drain" | "resume";
  readonly names: readonly string[];
}

export function NodeActionDialog(props: {
  action: NodeAction;
  onDone(text: string): void;
  close(): void;
}) {
  const { what, names } = props.action;
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [reason, setReason] = useState("");
  const isDrain = what === "drain";
  const shown = namesOf(names, messages.andMoreNodes);
  const run = () =>
    void mutation.run(async () => {
      const request = { nodes: [...names], reason: reason.trim() };
      await withReauthentication<unknown>(() =>
        isDrain
          ? adminClient.drainNodes(request)
          : adminClient.resumeNodes(request),
      );
      props.onDone(
        isDrain
          ? messages.drainedNodes({ names: shown })
          : messages.resumedNodes({ names: shown }),
      );
    });
  return (
    <ConfirmDialog
      title={
        isDrain
          ? messages.drainNodes({ count: names.length })
          : messages.resumeNodes({ count: names.length })
      }
      mutation={mutation}
      confirm={isDrain ? messages.drain : messages.resume}
      ready={!isDrain || reason.trim() !== ""}
      onConfirm={run}
      close={props.close}
    >
      <p>
        <strong>{shown}</strong>
      </p>
      <p>{isDrain ? messages.drainAbout : messages.resumeAbout}</p>
      <TextField
        label={isDrain ? messages.reasonInSlurm : messages.reasonInAuditLog}
        testId="reason"
        maxLength={kMaxLength}
        placeholder={messages.reasonExampleOfNode}
        spellcheck
        value={reason}
        onValue={setReason}
      />
    </ConfirmDialog>
  );
}
