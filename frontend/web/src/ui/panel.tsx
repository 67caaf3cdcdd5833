// A section of a page: heading, description, content.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export function Panel(props: {
  title: string;
  about?: ComponentChildren;
  actions?: ComponentChildren;
  testId?: string;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id} data-testid={props.testId}>
      <header class="panel-head">
        <div>
          <h2 id={id}>{props.title}</h2>
          {props.about && <p class="muted">{props.about}</p>}
        </div>
        {props.actions && <div class="button-row">{props.actions}</div>}
      </header>
      {props.children}
    </section>
  );
}
