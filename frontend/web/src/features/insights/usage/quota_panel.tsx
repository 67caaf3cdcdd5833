// Limits of GPU hours beside the usage: the user's own, or those of a project.
// Hidden if there are none.
import { limitClient } from "../../../api/limit";
import { hrefOf } from "../../../routes/route";
import { useQuery } from "../../../session/use_query";
import { Panel } from "../../../ui/panel";
import { isHours } from "../../limits/limit_labels";
import { LimitRows } from "../../limits/limit_rows";
import "../../../styles/limits.css";
import { messages } from "#messages/usage";

export function QuotaPanel({ project }: { project: string }) {
  const { value } = useQuery(() => limitClient.getLimits({}));
  const all = project
    ? value?.projects.find((each) => each.project === project)?.limits
    : value?.limits;
  const limits = (all ?? []).filter(
    ({ rule }) => rule !== undefined && isHours(rule.metric),
  );
  if (limits.length === 0) return null;
  return (
    <Panel
      title={messages.quotas}
      about={messages.quotasAbout}
      testId="usage-quotas"
      actions={
        <a class="link-button" href={hrefOf("limits")}>
          {messages.allLimits}
        </a>
      }
    >
      <LimitRows limits={limits} />
    </Panel>
  );
}
