// The heading of a page. Sets the tab's title and takes the focus after a
// change of page.
import { createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { branding } from "../lib/branding";
import { messages } from "#messages/routes";

// The state at the start of the tab's title, such as "1 ready"; empty: none.
export const TitleStateContext = createContext("");

let shownBefore = false;

export function PageTitle(props: { text: string; quiet?: boolean }) {
  const { text, quiet = false } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const state = useContext(TitleStateContext);
  useEffect(() => {
    const title = text
      ? messages.tabTitle({ page: text, portal: branding.name })
      : branding.name;
    document.title = state ? messages.titleWithState({ state, title }) : title;
  }, [text, state]);
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
