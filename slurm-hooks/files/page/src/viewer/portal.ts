// Renders into an element elsewhere in the document. preact/compat has the
// same, and much that the page does not need.
import { type ComponentChildren, render } from "preact";
import { useEffect } from "preact/hooks";

export function usePortal(
  children: ComponentChildren,
  target: Element | null,
): null {
  useEffect(() => {
    if (target) render(children, target);
  });
  useEffect(
    () => () => {
      if (target) render(null, target);
    },
    [target],
  );
  return null;
}
