// The form beside an environment's text, and why they differ at present.
import type { ImageChoice } from "#proto/cluster";
import { FailureNote } from "../../../ui/failure_note";
import { Icon } from "../../../ui/icon";
import { locationLabel } from "../problems";
import { SettingsForm } from "./settings_form";
import type { SyncedForm } from "./use_form";
import { messages } from "#messages/environments";

export function FormView(props: {
  form: SyncedForm;
  images: readonly ImageChoice[];
  isDisabled: boolean;
  onLine(line: number): void;
}) {
  const { form, images, isDisabled, onLine } = props;
  const { draft, isTextInvalid, problems, failure } = form;
  const [problem] = problems;
  return (
    <>
      {problem && (
        <div
          class="note note-bad"
          role="status"
          data-testid="environment-form-problem"
        >
          <Icon name="alert" />
          <div>
            {isTextInvalid && <p>{messages.formKeepsLastValid}</p>}
            <p>
              {problem.line > 0 && (
                <>
                  <button
                    class="link-button"
                    type="button"
                    onClick={() => onLine(problem.line)}
                  >
                    {locationLabel(problem)}
                  </button>{" "}
                </>
              )}
              <span class="problem-text">{problem.text}</span>
            </p>
          </div>
        </div>
      )}
      {failure && <FailureNote failure={failure} />}
      {draft && form.form ? (
        <SettingsForm
          draft={draft}
          form={form.form}
          images={images}
          isDisabled={isDisabled || isTextInvalid}
          onDraft={form.edit}
        />
      ) : (
        !problem && !failure && <div class="skeleton skeleton-line" />
      )}
    </>
  );
}
