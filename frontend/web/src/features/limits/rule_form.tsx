// Sets a limit. Replaces an existing limit for the same subject.
import { useState } from "preact/hooks";
import { LimitMetric, LimitScope } from "#proto/limit";
import { limitClient } from "../../api/limit";
import { projectClient } from "../../api/project";
import { selectable } from "../projects/project_labels";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { useQuery } from "../../session/use_query";
import { FailureNote } from "../../ui/failure_note";
import { kAllMetrics, kAllScopes } from "./limit_labels";
import {
  asksName,
  asksProject,
  asksUser,
  kBlankRule,
  kRoles,
  problemOf,
  type RuleDraft,
  ruleOf,
} from "./rule_draft";

export function RuleForm(props: { onDone(what: string): void; close(): void }) {
  const { onDone, close } = props;
  const [draft, setDraft] = useState<RuleDraft>(kBlankRule);
  const [problem, setProblem] = useState("");
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
      onDone(`Limit of ${rule?.source ?? "the subject"} saved.`);
    });
  };
  const { scope } = draft;
  return (
    <form class="narrow-form" data-testid="rule-form" onSubmit={submit}>
      <label class="stacked">
        <span>Applies to</span>
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
        <Text
          label="Group"
          hint="LDAP group name"
          testId="rule-name"
          value={draft.name}
          onValue={(name) => change({ name })}
        />
      )}
      {asksProject(scope) && (
        <ProjectSelect
          id={draft.project}
          onId={(project) => change({ project })}
        />
      )}
      {asksUser(scope) && (
        <Text
          label="User name"
          hint={
            scope === LimitScope.MEMBER
              ? "Leave empty for each member of the project"
              : ""
          }
          testId="rule-user"
          value={draft.username}
          onValue={(username) => change({ username })}
        />
      )}
      <label class="stacked">
        <span>Limit</span>
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
        label="Maximum"
        hint={
          draft.metric === LimitMetric.WALLTIME
            ? "Such as 8 h or 90 min. Leave empty for unlimited (overrides less specific limits)."
            : "Leave empty for unlimited (overrides less specific limits). 0 blocks all use."
        }
        testId="rule-limit"
        value={draft.max}
        onValue={(max) => change({ max })}
      />
      <label class="stacked">
        <span>Expires on</span>
        <input
          type="date"
          data-testid="rule-day"
          value={draft.day}
          onInput={(event) => change({ day: event.currentTarget.value })}
        />
        <span class="hint">Leave empty for no expiry</span>
      </label>
      <Text
        label="Reason"
        hint="Shown to the affected users."
        testId="rule-note"
        value={draft.note}
        onValue={(note) => change({ note })}
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
          {mutation.busy ? "Saving…" : "Save limit"}
        </button>
        <button class="button" type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
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
      <span>Role</span>
      <select
        data-testid="rule-role"
        value={props.name}
        onChange={(event) => props.onName(event.currentTarget.value)}
      >
        <option value="">Select…</option>
        {kRoles.map((role) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
      </select>
    </label>
  );
}

function ProjectSelect(props: { id: string; onId(id: string): void }) {
  const { value } = useQuery(() => projectClient.listProjects({ all: true }));
  return (
    <label class="stacked">
      <span>Project</span>
      <select
        data-testid="rule-project"
        value={props.id}
        onChange={(event) => props.onId(event.currentTarget.value)}
      >
        <option value="">Select…</option>
        {selectable(value?.projects ?? []).map(({ id, settings, owner }) => (
          <option key={id} value={id}>
            {`${settings?.name ?? id} (${owner})`}
          </option>
        ))}
      </select>
    </label>
  );
}
