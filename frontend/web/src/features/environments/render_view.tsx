// The server's result for the text: problems with links to their lines, or the
// resolved configuration.
import type { EnvironmentProblem } from "#proto/environment";
import { CopyButton } from "../../ui/copy_button";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import { numberLabel, locationLabel } from "./problems";
import type { Rendering } from "./use_render";
import { messages } from "#messages/environments";

export function RenderView(props: {
  rendering: Rendering | undefined;
  current: boolean; // the result belongs to the current text
  onLine(line: number): void;
}) {
  const { rendering, current, onLine } = props;
  if (!rendering) return <div class="skeleton skeleton-line" />;
  const { answer, failure } = rendering;
  if (failure) return <FailureNote failure={failure} />;
  if (!answer) return null;
  const { rendered, problems, warnings } = answer;
  return (
    <div
      class="render"
      data-testid="environment-render"
      data-current={current}
      data-problems={problems.length}
    >
      <p class="render-verdict" aria-live="polite">
        <Icon name={problems.length > 0 ? "alert" : "check"} />
        {problems.length > 0
          ? messages.problemsToFix({ count: problems.length })
          : messages.validResolvedConfiguration}
      </p>
      <Problems list={problems} tone="bad" onLine={onLine} />
      <Problems list={warnings} tone="wait" onLine={onLine} />
      {rendered && (
        <div class="rendered">
          <pre data-testid="environment-rendered" tabIndex={0}>
            {rendered}
          </pre>
          <CopyButton text={rendered} label={messages.copy} />
        </div>
      )}
    </div>
  );
}

function Problems(props: {
  list: readonly EnvironmentProblem[];
  tone: "bad" | "wait";
  onLine(line: number): void;
}) {
  const { list, tone, onLine } = props;
  if (list.length === 0) return null;
  return (
    <ol class="problems" data-tone={tone}>
      {list.map((problem, index) => (
        <li
          key={index}
          data-testid={
            tone === "bad" ? "environment-problem" : "environment-warning"
          }
        >
          <span class="problem-place">
            {problem.file === "" && problem.line > 0 ? (
              <button
                class="link-button"
                type="button"
                onClick={() => onLine(problem.line)}
              >
                {locationLabel(problem)}
              </button>
            ) : (
              locationLabel(problem)
            )}
            {tone === "bad" && (
              <span class="muted">{numberLabel(problem)}</span>
            )}
          </span>
          <span class="problem-text">{problem.text}</span>
        </li>
      ))}
    </ol>
  );
}
