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
  kBlankRule,
  kRoles,
  problemOf,
  type RuleDraft,
  ruleOf,
} from "./rule_draft";
import { messages as dryRunMessages } from "#messages/dry_run";
import { messages } from "#messages/limits";
import { messages as previewMessages } from "#messages/user_preview";

export function RuleForm(props: { onDone(what: string): void; close(): void }) {
  const { onDone, close } = props;
  const [draft, setDraft] = useState<RuleDraft>(kBlankRule);
  const [problem, setProblem] = useState("");
  const [previews, setPreviews] = useState(false);
  const mutation = useMutation();
  const withReauthentication = useReauthentication();
  const change = (part: Partial<RuleDraft>) => {
    setProblem("");
    setDraft((old) => ({ ...old, ...part }));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const wrong = problemOf(draft);
    setProblem(wrong);
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
    const wrong = problemOf(draft);
    setProblem(wrong);
    if (wrong === "") setPreviews(true);
  };
  const { scope } = draft;
  return (
    <>
      <form class="narrow-form" data-testid="rule-form" onSubmit={submit}>
        <label class="stacked">
          <span>{messages.appliesTo}</span>
          <select
            data-testid="rule-scope"
            value={String(scope)}
            onChange={(event) =>
              change({ scope: Number(event.currentTarget.value), name: "" })
            }
          >
            {kAllScopes.map(([each, text]) => (
              <option key={each} value={String(each)}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {scope === LimitScope.ROLE && (
          <RoleChoice name={draft.name} onName={(name) => change({ name })} />
        )}
        {asksName(scope) && scope !== LimitScope.ROLE && (
          <ChoiceField
            kind={ChoiceKind.GROUP}
            label={messages.group}
            hint={messages.ldapGroupName}
            testId="rule-name"
            value={draft.name}
            onValue={(name) => change({ name })}
          />
        )}
        {asksProject(scope) && (
          <ProjectField
            label={messages.project}
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
            testId="rule-user"
            value={draft.username}
            onValue={(username) => change({ username })}
          />
        )}
        <label class="stacked">
          <span>{messages.limit}</span>
          <select
            data-testid="rule-metric"
            value={String(draft.metric)}
            onChange={(event) =>
              change({ metric: Number(event.currentTarget.value) })
            }
          >
            {kAllMetrics.map(([each, text]) => (
              <option key={each} value={String(each)}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <Text
          label={messages.maximum}
          hint={
            draft.metric === LimitMetric.WALLTIME
              ? messages.suchAs8HOr
              : messages.leaveEmptyForUnlimitedOverrides
          }
          testId="rule-limit"
          value={draft.max}
          onValue={(max) => change({ max })}
        />
        <label class="stacked">
          <span>{messages.expiresOn}</span>
          <input
            type="date"
            data-testid="rule-day"
            value={draft.day}
            onInput={(event) => change({ day: event.currentTarget.value })}
          />
          <span class="hint">{messages.leaveEmptyForNoExpiry}</span>
        </label>
        <Text
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
        {problem && (
          <p class="hint limit-problem" role="alert" data-testid="rule-problem">
            {problem}
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

function Text(props: {
  label: string;
  hint: string;
  testId: string;
  value: string;
  onValue(value: string): void;
}) {
  return (
    <label class="stacked">
      <span>{props.label}</span>
      <input
        data-testid={props.testId}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        value={props.value}
        onInput={(event) => props.onValue(event.currentTarget.value)}
      />
      {props.hint && <span class="hint">{props.hint}</span>}
    </label>
  );
}

function RoleChoice(props: { name: string; onName(name: string): void }) {
  return (
    <label class="stacked">
      <span>{messages.role}</span>
      <select
        data-testid="rule-role"
        value={props.name}
        onChange={(event) => props.onName(event.currentTarget.value)}
      >
        <option value="">{messages.select}</option>
        {kRoles.map((role) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
      </select>
    </label>
  );
}
