// Opens files in the one job that can show them, or lets people choose a job.
import type { ComponentChildren } from "preact";
import { type FileJob, jobLabel } from "./file_sessions";
import { keyOf } from "../jobs/job_list_state";
import { Icon } from "../../ui/icon";
import { Popover } from "../../ui/popover";
import { messages } from "#messages/files";

export function OpenButton(props: {
  class: string;
  label: string; // begins with the visible text
  testId: string;
  jobs: readonly FileJob[]; // empty: `onStart` opens
  busy: boolean;
  onOpen(job: FileJob): void;
  onStart?(): void;
  children: ComponentChildren; // the visible text
}) {
  const { label, testId, jobs, busy, onOpen, onStart, children } = props;
  const [first, ...others] = jobs;
  if (first && others.length > 0) {
    return (
      <Popover
        label={label}
        class={props.class}
        testId={testId}
        button={
          <>
            {children} <Icon name="chevron" />
          </>
        }
      >
        {(close) => (
          <div class="menu">
            <p class="menu-head">{messages.chooseAJob}</p>
            {jobs.map((each) => (
              <button
                key={keyOf(each.job)}
                class="menu-item"
                type="button"
                data-testid={`${testId}-${each.job.id}`}
                onClick={() => {
                  close();
                  onOpen(each);
                }}
              >
                <Icon name="open" /> <span>{jobLabel(each.job)}</span>
              </button>
            ))}
          </div>
        )}
      </Popover>
    );
  }
  return (
    <button
      class={props.class}
      type="button"
      aria-label={messages.inNewTab({ action: label })}
      data-testid={testId}
      aria-disabled={busy || (!first && !onStart)}
      onClick={() => {
        if (busy) return;
        if (first) onOpen(first);
        else onStart?.();
      }}
    >
      {children} <Icon name="open" />
    </button>
  );
}
