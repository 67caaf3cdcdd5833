// A modal dialog. The browser's <dialog> traps the focus, closes on Escape and
// restores the focus.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon } from "./icon";
import { messages } from "#messages/ui";

export function Dialog(props: {
  title: string;
  wide?: boolean; // for content with long lines
  side?: boolean; // at the right edge, with the height of the page
  // Without it, only a button inside closes the dialog: for secrets that are
  // shown once.
  close?(): void;
  children: ComponentChildren;
}) {
  const { title, wide, side, close } = props;
  const element = useRef<HTMLDialogElement>(null);
  const gone = useRef(false);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      gone.current = true;
      dialog?.close();
    };
  }, []);
  // Browsers close the dialog on a second Escape, whatever onCancel does.
  const closed = () => {
    if (gone.current) return;
    if (close) close();
    else element.current?.showModal();
  };
  return (
    <dialog
      ref={element}
      class={`dialog${wide ? " dialog-wide" : ""}${side ? " dialog-side" : ""}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close?.();
      }}
      onClose={closed}
      onClick={(event) => {
        if (event.target === element.current) close?.();
      }}
    >
      <div class="dialog-body">
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
          {side && close && (
            <button
              class="icon-button"
              type="button"
              data-testid="dialog-close"
              aria-label={messages.close}
              onClick={close}
            >
              <Icon name="cross" />
            </button>
          )}
        </div>
        {props.children}
      </div>
    </dialog>
  );
}
