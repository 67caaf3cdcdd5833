import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Mutation } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { TextField } from "../../ui/form/field";
import { messages } from "#messages/admin";

const kMaxLength = 200;

export function ReasonDialog(props: {
  title: string;
  text: string;
  confirm: string;
  mutation: Mutation;
  placeholder?: string;
  ready?: boolean; // whether the other fields are valid; absent: yes
  onReason(reason: string): void;
  close(): void;
  children?: ComponentChildren; // other fields, above the reason
}) {
  const { title, text, confirm, mutation, onReason, close } = props;
  const [reason, setReason] = useState("");
  return (
    <ConfirmDialog
      title={title}
      mutation={mutation}
      confirm={confirm}
      ready={reason.trim() !== "" && (props.ready ?? true)}
      onConfirm={() => onReason(reason.trim())}
      close={close}
    >
      <p>{text}</p>
      {props.children}
      <TextField
        label={messages.reasonShownToTheUser}
        testId="reason"
        maxLength={kMaxLength}
        placeholder={props.placeholder ?? messages.reasonExample}
        spellcheck
        value={reason}
        onValue={setReason}
      />
    </ConfirmDialog>
  );
}
