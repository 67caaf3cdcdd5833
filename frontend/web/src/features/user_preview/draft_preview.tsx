// A button of an editor that shows what its unsaved values mean for a user, in
// a dialog over the editor. Render it outside of the editor's <form>: the
// dialog has forms of its own.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { ChoiceKind } from "#proto/choice";
import type { PreviewStartFormRequestSchema } from "#proto/user_preview";
import { userPreviewClient } from "../../api/admin";
import { useQuery } from "../../session/use_query";
import { Dialog } from "../../ui/dialog";
import { QueryView } from "../../ui/loaded_view";
import { ChoiceField } from "../choices/choice_field";
import {
  type Assignment,
  AssignmentField,
  attachedProjects,
} from "./assignment_field";
import { PreviewContents } from "./preview_contents";
import { messages } from "#messages/user_preview";

export type Drafts = Omit<
  MessageInitShape<typeof PreviewStartFormRequestSchema>,
  "$typeName" | "$unknown" | "username"
>;

export function DraftPreviewDialog(props: {
  title: string; // names what is not saved
  drafts: Drafts;
  user?: string; // the first user that is shown
  close(): void;
}) {
  const { title, drafts, user = "", close } = props;
  const [shown, setShown] = useState<Shown>({ user, assignment: undefined });
  return (
    <Dialog title={title} wide close={close}>
      <div class="draft-preview" data-testid="draft-preview">
        <p class="muted">{messages.showsUnsavedValues}</p>
        <ShownForm
          shown={shown}
          asksAssignment={drafts.templateDraft?.settings !== undefined}
          onShown={setShown}
        />
        {shown.user !== "" && (
          <Preview
            key={JSON.stringify(shown)}
            username={shown.user}
            drafts={assigned(drafts, shown.assignment)}
          />
        )}
        <div class="dialog-actions">
          <button
            class="button"
            type="button"
            data-testid="draft-preview-close"
            onClick={close}
          >
            {messages.backToTheForm}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

interface Shown {
  readonly user: string;
  readonly assignment: Assignment | undefined;
}

// The template as if it were assigned to a further project.
function assigned(drafts: Drafts, assignment: Assignment | undefined): Drafts {
  const { templateDraft } = drafts;
  if (!templateDraft || !assignment) return drafts;
  const attach = [
    ...(templateDraft.attach ?? []),
    ...attachedProjects(assignment),
  ];
  return { ...drafts, templateDraft: { ...templateDraft, attach } };
}

function ShownForm(props: {
  shown: Shown;
  asksAssignment: boolean;
  onShown(shown: Shown): void;
}) {
  const { shown, asksAssignment, onShown } = props;
  const [user, setUser] = useState(shown.user);
  const [assignment, setAssignment] = useState(shown.assignment);
  const isComplete =
    user.trim() !== "" &&
    (assignment === undefined || assignment.project !== undefined);
  return (
    <form
      class="filter preview-user"
      aria-label={messages.user}
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete) onShown({ user: user.trim(), assignment });
      }}
    >
      <ChoiceField
        kind={ChoiceKind.USER}
        label={messages.user}
        testId="draft-preview-user"
        value={user}
        onValue={setUser}
      />
      {asksAssignment && (
        <AssignmentField assignment={assignment} onAssignment={setAssignment} />
      )}
      <button
        class="button button-primary"
        type="submit"
        data-testid="draft-preview-show"
        aria-disabled={!isComplete}
      >
        {messages.preview}
      </button>
    </form>
  );
}

function Preview(props: { username: string; drafts: Drafts }) {
  const { username, drafts } = props;
  const loaded = useQuery(() =>
    userPreviewClient.previewStartForm({ ...drafts, username }),
  );
  return (
    <QueryView loaded={loaded}>
      {(preview) => <PreviewContents preview={preview} />}
    </QueryView>
  );
}
