// The heading of a page. Sets the tab's title and takes the focus after a
// change of page.
import { useEffect, useRef } from "preact/hooks";
import { messages } from "./messages";

let shownBefore = false;

export function PageTitle(props: { text: string; quiet?: boolean }) {
  const { text, quiet = false } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = text ? messages.tabTitle(text) : messages.carme;
  }, [text]);
  useEffect(() => {
    if (shownBefore) {
      scrollTo(0, 0);
      heading.current?.focus({ preventScroll: true });
    }
    shownBefore = true;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} class={quiet ? "sr-only" : "page-title"}>
      {text}
    </h1>
  );
}
