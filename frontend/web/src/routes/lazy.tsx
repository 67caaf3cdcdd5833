// A component that is loaded when it is first shown.
import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messages } from "#messages/routes";

export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
): (props: P) => VNode {
  let Query: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const [state, setState] = useState<"loading" | "here" | "failed">(
      Query ? "here" : "loading",
    );
    useEffect(() => {
      if (Query) return;
      load().then(
        (component) => {
          Query = component;
          setState("here");
        },
        () => setState("failed"),
      );
    }, []);
    if (Query) return <Query {...props} />;
    if (state === "failed") return <NotLoaded />;
    return (
      <div class="boot" role="status" aria-label={messages.loadingThePage} />
    );
  };
}

// Usually the site was updated while the page was open, and the file has
// another name now.
function NotLoaded() {
  return (
    <div class="empty" role="alert">
      <p class="empty-title">{messages.cannotLoadThisPage}</p>
      <p class="muted">{messages.carmeMayHaveBeenUpdated}</p>
      <button class="button" type="button" onClick={() => location.reload()}>
        {messages.reload}
      </button>
    </div>
  );
}
