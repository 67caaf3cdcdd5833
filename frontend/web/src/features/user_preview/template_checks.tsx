// Which templates a user could start jobs with, and why not with the others.
import type { PreviewStartFormResponse } from "#proto/user_preview";
import { Panel } from "../../ui/panel";
import { TableBox } from "../../ui/table_box";
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
  const { checksTruncated, hiddenTemplates } = preview;
  return (
    <>
      <Panel
        title={messages.projectsAndTemplates}
        about={messages.checkedWithTheFirstValues}
        testId="preview-checks"
      >
        <ul class="preview-checks">
          {listedChecks(preview).map(({ project, template, violations }) => (
            <li
              key={`${project} ${template}`}
              data-testid="preview-check"
              data-refused={violations.length > 0}
            >
              <span class="preview-place">
                <strong>{projectLabel(project, preview)}</strong>{" "}
                <span>{templateName(template, preview)}</span>
              </span>
              <span class="preview-decision">
                {violations.length === 0 ? (
                  <span class="tag tag-good">{messages.couldStart}</span>
                ) : (
                  <span class="tag tag-bad">{messages.refused}</span>
                )}
                {reasonsOf(violations).map((sentence) => (
                  <span key={sentence} class="small sentence">
                    {sentence}
                  </span>
                ))}
              </span>
            </li>
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
