// What a user would see in the start form, for administrators. Each preview is
// recorded in the audit log, so it is made on request only.
import { useState } from "preact/hooks";
import { ChoiceKind } from "#proto/choice";
import { userPreviewClient } from "../../api/admin";
import { PageTitle } from "../../routes/page_title";
import { userPreviewHref } from "../../routes/route";
import { useQuery } from "../../session/use_query";
import { QueryView } from "../../ui/loaded_view";
import { formOfQuery } from "../../ui/query_form";
import { ChoiceField } from "../choices/choice_field";
import { PreviewContents } from "./preview_contents";
import { messages } from "#messages/user_preview";

const kFields = ["user"] as const;

// The user is part of the address, so other pages can link to the preview.
export function UserPreviewPage({ query }: { query: string }) {
  const { user } = formOfQuery(kFields, query);
  return (
    <>
      <PageTitle text={messages.previewAsAUser} />
      <p class="muted">{messages.showsWhatAUserWouldSee}</p>
      <UserForm key={user} user={user} />
      {user !== "" && <Preview key={user} username={user} />}
    </>
  );
}

function UserForm({ user }: { user: string }) {
  const [name, setName] = useState(user);
  const submit = (event: Event) => {
    event.preventDefault();
    if (name.trim() !== "") location.hash = userPreviewHref(name.trim());
  };
  return (
    <form
      class="filter preview-user"
      aria-label={messages.user}
      onSubmit={submit}
    >
      <ChoiceField
        kind={ChoiceKind.USER}
        label={messages.user}
        testId="preview-user"
        value={name}
        onValue={setName}
      />
      <button
        class="button button-primary"
        type="submit"
        data-testid="preview-show"
        aria-disabled={name.trim() === ""}
      >
        {messages.preview}
      </button>
    </form>
  );
}

function Preview({ username }: { username: string }) {
  const loaded = useQuery(() =>
    userPreviewClient.previewStartForm({ username }),
  );
  return (
    <QueryView loaded={loaded}>
      {(preview) => <PreviewContents preview={preview} />}
    </QueryView>
  );
}
