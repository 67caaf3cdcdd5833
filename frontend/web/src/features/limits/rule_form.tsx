// Sets a limit. Replaces an existing limit for the same subject.
import { useState } from "preact/hooks";
import { ChoiceKind } from "#proto/choice";
import { LimitMetric, LimitScope } from "#proto/limit";
import { dryRunClient } from "../../api/dry_run";
import { limitClient } from "../../api/limit";
import { ChoiceField } from "../choices/choice_field";
import { ProjectField } from "../choices/project_field";
import { DryRunPanel } from "../dry_run/dry_run_panel";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import { DraftPreviewDialog } from "../user_preview/draft_preview";
import { kAllMetrics, kAllScopes } from "./limit_labels";
import {
  asksName,
  asksProject,
  asksUser,
  checkable,
  errorOf,
  kBlankRule,
  kRoles,
  type RuleDraft,
  ruleOf,
} from "./rule_draft";
import { DateField, SelectField, TextField } from "../../ui/form/field";
import { useFormError } from "../../ui/form/form_error";
import { messages as dryRunMessages } from "#messages/dry_run";
import { messages } from "#messages/limits";
import { messages as previewMessages } from "#messages/user_preview";

export function RuleForm(props: { onDone(what: string): void; close(): void }) {
  const { onDone, close } = props;
  const [draft, setDraft] = useState<RuleDraft>(kBlankRule);
  const { error, setError, errorIdOf } = useFormError<keyof RuleDraft>();
  const [previews, setPreviews] = useState(false);
  const mutation = useMutation();
  const withReauthentication = useReauthentication();
  const change = (part: Partial<RuleDraft>) => {
    setError(undefined);
    setDraft((old) => ({ ...old, ...part }));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const wrong = errorOf(draft);
    setError(wrong);
    if (wrong) return;
    void mutation.run(async () => {
      const { rule } = await withReauthentication(() =>
        limitClient.setLimitRule({ rule: ruleOf(draft) }),
      );
      onDone(
        messages.limitSaved({ source: rule?.source ?? messages.theSubject }),
      );
    });
  };
  const preview = () => {
    const wrong = errorOf(draft);
    setError(wrong);
    if (!wrong) setPreviews(true);
  };
  const { scope } = draft;
  return (
    <>
      <form class="narrow-form" data-testid="rule-form" onSubmit={submit}>
        <SelectField
          label={messages.appliesTo}
          testId="rule-scope"
          value={scope}
          options={kAllScopes}
          onValue={(scope) => change({ scope, name: "" })}
        />
        {scope === LimitScope.ROLE && (
          <SelectField
            label={messages.role}
            errorId={errorIdOf("name")}
            testId="rule-role"
            value={draft.name}
            options={[
              ["", messages.select],
              ...kRoles.map((role) => [role, role] as const),
            ]}
            onValue={(name) => change({ name })}
          />
        )}
        {asksName(scope) && scope !== LimitScope.ROLE && (
          <ChoiceField
            kind={ChoiceKind.GROUP}
            label={messages.group}
            hint={messages.ldapGroupName}
            errorId={errorIdOf("name")}
            testId="rule-name"
            value={draft.name}
            onValue={(name) => change({ name })}
          />
        )}
        {asksProject(scope) && (
          <ProjectField
            label={messages.project}
            errorId={errorIdOf("project")}
            testId="rule-project"
            id={draft.project}
            onId={(project) => change({ project })}
          />
        )}
        {asksUser(scope) && (
          <ChoiceField
            kind={ChoiceKind.USER}
            label={messages.userName}
            hint={
              scope === LimitScope.MEMBER
                ? messages.leaveEmptyForEachMember
                : ""
            }
            errorId={errorIdOf("username")}
            testId="rule-user"
            value={draft.username}
            onValue={(username) => change({ username })}
          />
        )}
        <SelectField
          label={messages.limit}
          testId="rule-metric"
          value={draft.metric}
          options={kAllMetrics}
          onValue={(metric) => change({ metric })}
        />
        <TextField
          maxLength={200}
          label={messages.maximum}
          hint={
            draft.metric === LimitMetric.WALLTIME
              ? messages.suchAs8HOr
              : messages.leaveEmptyForUnlimitedOverrides
          }
          errorId={errorIdOf("max")}
          testId="rule-limit"
          value={draft.max}
          onValue={(max) => change({ max })}
        />
        <DateField
          label={messages.expiresOn}
          hint={messages.leaveEmptyForNoExpiry}
          testId="rule-day"
          value={draft.day}
          onValue={(day) => change({ day })}
        />
        <TextField
          maxLength={200}
          label={messages.reason}
          hint={messages.shownToTheAffectedUsers}
          testId="rule-note"
          value={draft.note}
          onValue={(note) => change({ note })}
        />
        <DryRunPanel
          draft={checkable(draft)}
          about={dryRunMessages.limitAbout}
          check={async () => {
            const request = { rule: ruleOf(draft) };
            return (await dryRunClient.dryRunLimitRule(request)).dryRun;
          }}
        />
        {error && (
          <p
            class="hint limit-problem"
            role="alert"
            id={error.id}
            data-testid="rule-problem"
          >
            {error.text}
          </p>
        )}
        {mutation.failure && (
          <FailureNote failure={mutation.failure} testId="rule-failure" />
        )}
        <div class="button-row">
          <button
            class="button button-primary"
            type="submit"
            data-testid="rule-save"
            aria-disabled={mutation.busy}
          >
            {mutation.busy ? messages.saving : messages.saveLimit}
          </button>
          <button
            class="button"
            type="button"
            data-testid="rule-preview"
            onClick={preview}
          >
            <Icon name="people" /> {previewMessages.previewAsAUser}
          </button>
          <button class="button" type="button" onClick={close}>
            {messages.cancel}
          </button>
        </div>
      </form>
      {previews && (
        <DraftPreviewDialog
          title={previewMessages.unsavedLimit}
          drafts={{
            limitDraft: { change: { case: "set", value: ruleOf(draft) } },
          }}
          user={ruleOf(draft).username}
          close={() => setPreviews(false)}
        />
      )}
    </>
  );
}
