// Asks for confirmation before an action that cannot be undone, or for what an
// action needs to know.
import type { ComponentChildren } from "preact";
import type { Mutation } from "../session/use_mutation";
import { Dialog } from "./dialog";
import { FailureNote } from "./failure_note";
import { messages } from "#messages/ui";

export function ConfirmDialog(props: {
  title: string;
  mutation: Mutation;
  confirm: string; // "Remove"
  tone?: "danger" | "primary"; // of the button; absent: danger
  ready?: boolean; // whether the button is enabled; absent: yes
  onConfirm(): void;
  close(): void;
  children: ComponentChildren;
}) {
  const { title, mutation, confirm, ready = true, onConfirm, close } = props;
  const { tone = "danger" } = props;
  const submit = (event: Event) => {
    event.preventDefault();
    if (ready && !mutation.busy) onConfirm();
  };
  return (
    <Dialog title={title} close={close}>
      <form class="factor-form" onSubmit={submit}>
        {props.children}
        {mutation.failure && <FailureNote failure={mutation.failure} />}
        <div class="dialog-actions">
          <button class="button" type="button" onClick={close}>
            {messages.cancel}
          </button>
          <button
            class={`button button-${tone}`}
            type="submit"
            data-testid="confirm"
            aria-disabled={mutation.busy || !ready}
          >
            {mutation.busy ? messages.working : confirm}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
