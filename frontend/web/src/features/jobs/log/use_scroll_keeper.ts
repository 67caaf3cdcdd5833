// Keeps the end of a growing text in sight, unless the reader has scrolled up:
// then what is being read stays where it is, whatever is added around it.
import { type RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const kNearPx = 24;

export interface ScrollKeeper {
  readonly box: RefObject<HTMLPreElement>;
  readonly atEnd: boolean;
  onScroll(): void;
  toEnd(): void;
}

// `from` changes when text was put before the rest, or taken from there.
export function useScrollKeeper(text: string, from: number): ScrollKeeper {
  const box = useRef<HTMLPreElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const before = useRef({ from, height: 0 });

  const toEnd = () => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    const below =
      element.scrollHeight - element.scrollTop - element.clientHeight;
    setAtEnd(below < kNearPx);
  };

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const height = element.scrollHeight;
    if (before.current.from !== from && !atEnd) {
      element.scrollTop += height - before.current.height;
    } else if (atEnd) {
      toEnd();
    }
    before.current = { from, height };
  }, [text, from]);

  return { box, atEnd, onScroll, toEnd };
}
