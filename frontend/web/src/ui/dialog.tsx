// A modal dialog. The browser's <dialog> traps the focus, closes on Escape and
// restores the focus.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

export function Dialog(props: {
  title: string;
  wide?: boolean; // for content with long lines
  // Without it, only a button inside closes the dialog: for secrets that are
  // shown once.
  close?(): void;
  children: ComponentChildren;
}) {
  const { title, wide = false, close } = props;
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
      class={wide ? "dialog dialog-wide" : "dialog"}
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
        <h2 id={id}>{title}</h2>
        {props.children}
      </div>
    </dialog>
  );
}
