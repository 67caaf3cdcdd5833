// Shows loaded data; before that a skeleton, or the failure with a retry.
import type { ComponentChildren } from "preact";
import type { Query } from "../session/use_query";
import { FailureNote } from "./failure_note";
import { messages } from "#messages/ui";

export function QueryView<T>(props: {
  loaded: Query<T>;
  children(value: T): ComponentChildren;
}) {
  const { value, failure, reload } = props.loaded;
  return (
    <>
      {failure && (
        <div class="load-failure">
          <FailureNote failure={failure} testId="load-failure" />
          <button
            class="button button-small"
            type="button"
            onClick={() => void reload()}
          >
            {messages.tryAgain}
          </button>
        </div>
      )}
      {value !== undefined && props.children(value)}
      {value === undefined && !failure && <LoadingShape />}
    </>
  );
}

function LoadingShape() {
  return (
    <div class="loading-shape" aria-hidden="true">
      <div class="skeleton skeleton-title" />
      <div class="skeleton skeleton-line" />
      <div class="skeleton skeleton-line" />
    </div>
  );
}
