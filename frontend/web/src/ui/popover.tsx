// A button that shows a panel next to it. The panel closes on Escape, on a
// click elsewhere, when the focus leaves it, and after a change of page.
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useId, useRef, useState } from "preact/hooks";

export function Popover(props: {
  label: string; // of the button and of the panel
  class: string; // of the button
  testId: string; // of the button; the panel has "-panel" after it
  button: ComponentChildren;
  data?: Readonly<Record<`data-${string}`, string | number>>;
  children(close: () => void): ComponentChildren;
}) {
  const { label, testId } = props;
  const [open, setOpen] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = useCallback(() => setOpen(false), []);
  useEffect(() => {
    if (!open) return;
    const onPointer = ({ target }: Event) => {
      if (!element.current?.contains(target as Node)) close();
    };
    addEventListener("pointerdown", onPointer);
    addEventListener("hashchange", close);
    return () => {
      removeEventListener("pointerdown", onPointer);
      removeEventListener("hashchange", close);
    };
  }, [open, close]);
  return (
    <div
      ref={element}
      class="popover"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        close();
        button.current?.focus();
      }}
      onFocusOut={({ relatedTarget }) => {
        const to = relatedTarget as Node | null;
        if (to && !element.current?.contains(to)) close();
      }}
    >
      <button
        ref={button}
        class={props.class}
        type="button"
        aria-label={label}
        title={label}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        data-testid={testId}
        {...props.data}
        onClick={() => setOpen(!open)}
      >
        {props.button}
      </button>
      {open && (
        <div
          id={id}
          class="popover-panel"
          role="group"
          aria-label={label}
          data-testid={`${testId}-panel`}
        >
          {props.children(close)}
        </div>
      )}
    </div>
  );
}
