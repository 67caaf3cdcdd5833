// Selects time in the columns of days: dragging with a mouse or a pen, a tap, or
// arrow keys.
import { type RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Span } from "./days";
import {
  bookablePart,
  hourFrom,
  type Selection,
  selectionAfter,
  slotAt,
  spanOf,
} from "./selection";

export interface SelectionHandlers {
  onPointerDown(event: PointerEvent): void;
  onPointerMove(event: PointerEvent): void;
  onPointerUp(event: PointerEvent): void;
  onPointerCancel(): void;
  onClick(event: MouseEvent): void;
  onKeyDown(event: KeyboardEvent): void;
  onBlur(): void;
}

// `body`: selects the element of a day among those of `box`, in their order.
export function useSelection(props: {
  box: RefObject<HTMLElement>;
  body: string;
  days: readonly number[];
  now: number;
  onBook(span: Span): void;
}): { span: Span | undefined; handlers: SelectionHandlers } {
  const { box, body, days, now, onBook } = props;
  const [selection, setSelection] = useState<Selection>();
  const dragging = useRef(false);

  const slotOf = ({ clientX, clientY }: MouseEvent): number => {
    const boxes = [...box.current!.querySelectorAll<HTMLElement>(body)].map(
      (each) => each.getBoundingClientRect(),
    );
    const found = boxes.findIndex(({ right }) => clientX < right);
    const at = found < 0 ? boxes.length - 1 : found;
    const { top, height } = boxes[at]!;
    return slotAt(days[at]!, (clientY - top) / height);
  };
  const isFree = ({ target }: Event) =>
    target instanceof Element &&
    target.closest(body) !== null &&
    target.closest("button") === null;
  const clear = () => {
    dragging.current = false;
    setSelection(undefined);
  };
  const book = (selected: Selection) => {
    clear();
    const span = bookablePart(spanOf(selected), now);
    if (span) onBook(span);
  };

  const handlers: SelectionHandlers = {
    onPointerDown: (event) => {
      // A finger scrolls.
      if (event.pointerType === "touch" || event.button !== 0) return;
      if (!isFree(event)) return;
      event.preventDefault(); // selects no text
      const target = event.currentTarget as HTMLElement;
      target.setPointerCapture(event.pointerId);
      target.focus({ preventScroll: true }); // for Escape
      dragging.current = true;
      const slot = slotOf(event);
      setSelection({ anchorMs: slot, headMs: slot });
    },
    onPointerMove: (event) => {
      if (!dragging.current || !selection) return;
      const headMs = slotOf(event);
      if (headMs !== selection.headMs) setSelection({ ...selection, headMs });
    },
    onPointerUp: () => {
      if (!dragging.current || !selection) return;
      const isClick = selection.anchorMs === selection.headMs;
      book(isClick ? hourFrom(selection.anchorMs) : selection);
    },
    onPointerCancel: clear,
    onClick: (event) => {
      const isTap = (event as PointerEvent).pointerType === "touch";
      if (isTap && isFree(event)) book(hourFrom(slotOf(event)));
    },
    onKeyDown: (event) => {
      if (event.target !== event.currentTarget) return;
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === "Escape" && selection) {
        event.stopPropagation();
        clear();
        return;
      }
      if (event.key === "Enter" && selection) {
        event.preventDefault();
        book(selection);
        return;
      }
      const next = selectionAfter(
        event.key,
        event.shiftKey,
        selection,
        days,
        now,
      );
      if (!next) return;
      event.preventDefault();
      setSelection(next);
    },
    onBlur: () => {
      if (!dragging.current) setSelection(undefined);
    },
  };
  return { span: selection && spanOf(selection), handlers };
}
