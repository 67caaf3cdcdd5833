// Which templates a user could start jobs with, and why not with the others.
import type { PreviewStartFormResponse, StartCheck } from "#proto/user_preview";
import { Panel } from "../../ui/panel";
import { TableBox } from "../../ui/table_box";
import { markClass, markLabel } from "./mark_label";
import { type Mark, markOf } from "./preview_changes";
import { listedChecks } from "./preview_form";
import {
  problemLabel,
  projectLabel,
  reasonsOf,
  templateName,
} from "./preview_labels";
import { messages } from "#messages/user_preview";

export function TemplateChecks({
  preview,
}: {
  preview: PreviewStartFormResponse;
}) {
  const { checksTruncated, hiddenTemplates, saved } = preview;
  return (
    <>
      <Panel
        title={messages.projectsAndTemplates}
        about={messages.checkedWithTheFirstValues}
        testId="preview-checks"
      >
        <ul class="preview-checks">
          {listedChecks(preview).map((check) => (
            <CheckRow
              key={`${check.project} ${check.template}`}
              check={check}
              preview={preview}
              mark={markOf(check, saved)}
            />
          ))}
        </ul>
        {checksTruncated && <p class="muted small">{messages.moreChecks}</p>}
      </Panel>
      {hiddenTemplates.length > 0 && (
        <Panel
          title={messages.templatesNotOffered}
          testId="preview-hidden-templates"
        >
          <TableBox label={messages.templatesNotOffered}>
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">{messages.template}</th>
                  <th scope="col">{messages.reason}</th>
                </tr>
              </thead>
              <tbody>
                {hiddenTemplates.map((hidden) => (
                  <tr key={hidden.template?.id}>
                    <td>{hidden.template?.settings?.name}</td>
                    <td>{problemLabel(hidden)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </TableBox>
        </Panel>
      )}
    </>
  );
}

function CheckRow(props: {
  check: StartCheck;
  preview: PreviewStartFormResponse;
  mark: Mark | undefined; // undefined: as without the unsaved changes
}) {
  const { check, preview, mark } = props;
  const { project, template, violations } = check;
  const isRefused = violations.length > 0;
  return (
    <li data-testid="preview-check" data-refused={isRefused} data-mark={mark}>
      <span class="preview-place">
        <strong>{projectLabel(project, preview)}</strong>{" "}
        <span>{templateName(template, preview)}</span>
      </span>
      <span class="preview-decision">
        {mark ? (
          <span class={markClass(mark)}>{markLabel(mark)}</span>
        ) : (
          <span class={isRefused ? "tag tag-bad" : "tag tag-good"}>
            {isRefused ? messages.refused : messages.couldStart}
          </span>
        )}
        {reasonsOf(violations).map((sentence) => (
          <span key={sentence} class="small sentence">
            {sentence}
          </span>
        ))}
      </span>
    </li>
  );
}
