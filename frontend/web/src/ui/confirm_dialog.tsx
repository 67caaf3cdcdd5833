// Asks before something is done that cannot be taken back.
import type { ComponentChildren } from "preact";
import type { Act } from "../session/use_mutation";
import { Dialog } from "./dialog";
import { FailureNote } from "./failure_note";

export function ConfirmDialog(props: {
  title: string;
  act: Act;
  confirm: string; // "Remove it"
  ready?: boolean; // whether it can be confirmed; absent: yes
  onConfirm(): void;
  close(): void;
  children: ComponentChildren;
}) {
  const { title, act, confirm, ready = true, onConfirm, close } = props;
  const submit = (event: Event) => {
    event.preventDefault();
    if (ready && !act.busy) onConfirm();
  };
  return (
    <Dialog title={title} close={close}>
      <form class="factor-form" onSubmit={submit}>
        {props.children}
        {act.failure && <FailureNote failure={act.failure} />}
        <div class="dialog-actions">
          <button class="button" type="button" onClick={close}>
            Cancel
          </button>
          <button
            class="button button-danger"
            type="submit"
            data-test="confirm"
            aria-disabled={act.busy || !ready}
          >
            {act.busy ? "One moment…" : confirm}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
