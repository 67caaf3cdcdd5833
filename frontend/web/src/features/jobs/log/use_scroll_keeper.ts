// Keeps the end of a growing text visible. Once the user scrolls up, the visible
// part stays in place while text is added before or after it.
import { type RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

const kNearPx = 24;

export interface ScrollKeeper {
  readonly box: RefObject<HTMLDivElement>;
  readonly atEnd: boolean;
  onScroll(): void;
  toEnd(): void;
}

// `from` changes when text is added or removed at the beginning.
export function useScrollKeeper(text: string, from: number): ScrollKeeper {
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const following = useRef(true); // atEnd, without running the effect
  const before = useRef({ from, height: 0 });

  const toEnd = () => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    const below =
      element.scrollHeight - element.scrollTop - element.clientHeight;
    following.current = below < kNearPx;
    setAtEnd(following.current);
  };

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const height = element.scrollHeight;
    if (before.current.from !== from && !following.current) {
      element.scrollTop += height - before.current.height;
    } else if (following.current) {
      toEnd();
    }
    before.current = { from, height };
  }, [text, from]);

  return { box, atEnd, onScroll, toEnd };
}
