// All limits of the site. Administrators change them; support sees them
// read-only.
import { useState } from "preact/hooks";
import type { LimitRule } from "#proto/limit";
import { limitClient } from "../../api/limit";
import { PageTitle } from "../../routes/page_title";
import { userPreviewHref } from "../../routes/route";
import { useReauthentication } from "../../session/reauthentication_context";
import { mayChange } from "../../session/roles";
import { useSession } from "../../session/session_context";
import { useMutation } from "../../session/use_mutation";
import { useQuery } from "../../session/use_query";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { Moment } from "../../ui/moment";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { DraftPreviewDialog } from "../user_preview/draft_preview";
import { metricLabel, maxLabel } from "./limit_labels";
import { RuleForm } from "./rule_form";
import "../../styles/limits.css";
import { messages } from "#messages/limits";
import { messages as preview } from "#messages/user_preview";

export function LimitRulesPage() {
  const loaded = useQuery(() => limitClient.listLimitRules({}));
  const { session } = useSession();
  const changes = mayChange(session);
  const [making, setMaking] = useState(false);
  const [removing, setRemoving] = useState<LimitRule>();
  const confirm = useConfirmation();
  const done = (what: string) => {
    confirm(what);
    setMaking(false);
    setRemoving(undefined);
    void loaded.reload();
  };
  return (
    <>
      <PageTitle text={messages.limits} />
      <Panel
        title={messages.usersAndProjects}
        about={messages.forEachKindOfLimit}
        testId="limit-rules"
        actions={
          changes &&
          !making && (
            <>
              <button
                class="button button-small"
                type="button"
                data-testid="limit-new"
                onClick={() => setMaking(true)}
              >
                <Icon name="plus" /> {messages.setLimit}
              </button>
              <a
                class="button button-small"
                href={userPreviewHref()}
                data-testid="user-preview"
              >
                {preview.previewAsAUser}
              </a>
            </>
          )
        }
      >
        {making && <RuleForm onDone={done} close={() => setMaking(false)} />}
        <QueryView loaded={loaded}>
          {({ rules }) =>
            rules.length === 0 ? (
              <p class="muted">{messages.noLimitsOnlySlurmsLimits}</p>
            ) : (
              <RuleTable
                rules={rules}
                onRemove={changes ? setRemoving : undefined}
              />
            )
          }
        </QueryView>
      </Panel>
      {removing && (
        <RemoveDialog
          rule={removing}
          onDone={done}
          close={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}

function RuleTable(props: {
  rules: readonly LimitRule[];
  onRemove: ((rule: LimitRule) => void) | undefined;
}) {
  const { rules, onRemove } = props;
  return (
    <div class="table-box">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{messages.appliesTo}</th>
            <th scope="col">{messages.limit}</th>
            <th scope="col">{messages.maximum}</th>
            <th scope="col">{messages.setBy}</th>
            <th scope="col">{messages.expiresOn}</th>
            <th scope="col">
              <span class="sr-only">{messages.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <tr
              key={`${rule.source} ${rule.metric} ${rule.setBy === ""}`}
              data-testid={`rule-${rule.source}-${rule.metric}`}
            >
              <td>{rule.source}</td>
              <td>{metricLabel(rule.metric)}</td>
              <td class="nowrap">{maxLabel(rule)}</td>
              <td>
                {rule.setBy || messages.configuration}
                {rule.note && (
                  <span class="muted small cell-more">{rule.note}</span>
                )}
              </td>
              <td>
                <Moment at={rule.expiresAt} absent={messages.never} />
              </td>
              <td>
                {onRemove && rule.setBy !== "" && (
                  <button
                    class="button button-small"
                    type="button"
                    data-testid="limit-remove"
                    aria-label={messages.removeTheLimitOf({
                      source: rule.source,
                      limit: metricLabel(rule.metric),
                    })}
                    onClick={() => onRemove(rule)}
                  >
                    {messages.remove}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RemoveDialog(props: {
  rule: LimitRule;
  onDone(what: string): void;
  close(): void;
}) {
  const { rule, onDone, close } = props;
  const mutation = useMutation();
  const withReauthentication = useReauthentication();
  const [previews, setPreviews] = useState(false);
  const { scope, name, project, username, metric } = rule;
  const remove = () =>
    mutation.run(async () => {
      await withReauthentication(() =>
        limitClient.removeLimitRule({
          rule: { scope, name, project, username, metric },
        }),
      );
      onDone(messages.limitRemoved);
    });
  return (
    <>
      <ConfirmDialog
        title={messages.removeThisLimit}
        mutation={mutation}
        confirm={messages.remove}
        onConfirm={() => void remove()}
        close={close}
      >
        <p>
          {messages.removeText({
            limit: metricLabel(metric),
            source: rule.source,
            max: maxLabel(rule),
          })}
        </p>
        <div class="button-row">
          <button
            class="button button-small"
            type="button"
            data-testid="limit-remove-preview"
            onClick={() => setPreviews(true)}
          >
            <Icon name="people" /> {preview.previewAsAUser}
          </button>
        </div>
      </ConfirmDialog>
      {previews && (
        <DraftPreviewDialog
          title={preview.unsavedRemoval}
          drafts={{
            limitDraft: {
              change: {
                case: "remove",
                value: { scope, name, project, username, metric },
              },
            },
          }}
          user={username}
          close={() => setPreviews(false)}
        />
      )}
    </>
  );
}
