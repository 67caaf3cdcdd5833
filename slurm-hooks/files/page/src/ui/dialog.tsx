// A modal dialog. The browser's <dialog> traps the focus, closes on Escape and
// restores the focus.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

export function Dialog(props: {
  title: string;
  close(): void;
  wide?: boolean;
  children: ComponentChildren;
}) {
  const { title, close, wide } = props;
  const element = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      isGone.current = true;
      dialog?.close();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      // Browsers close the dialog on a second Escape, whatever onCancel does.
      onClose={() => {
        if (!isGone.current) close();
      }}
      onClick={(event) => {
        if (event.target === element.current) close();
      }}
    >
      <div class="dialog-body">
        <h2 id={id}>{title}</h2>
        {props.children}
      </div>
    </dialog>
  );
}
