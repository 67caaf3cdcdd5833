// A table that scrolls sideways by itself where it is too wide. The keyboard
// can scroll it, too.
import type { ComponentChildren } from "preact";

export function TableBox(props: {
  label: string;
  children: ComponentChildren;
}) {
  return (
    <div class="table-box" role="group" aria-label={props.label} tabIndex={0}>
      {props.children}
    </div>
  );
}
