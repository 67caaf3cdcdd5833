// The limits of another user, with the rule that each comes from.
import type { GetLimitsResponse } from "#proto/limit";
import { LimitRows } from "../limits/limit_rows";
import { SlurmLimitsPanel } from "../limits/slurm_limits_panel";
import { Panel } from "../../ui/panel";
import "../../styles/limits.css";
import { messages as limits } from "#messages/limits";
import { messages } from "#messages/user_preview";

export function PreviewLimits({ found }: { found: GetLimitsResponse }) {
  return (
    <>
      <Panel title={messages.limitsThatApply} testId="preview-limits">
        {found.limits.length === 0 ? (
          <p class="muted">{limits.noLimitsOnlySlurmsLimits}</p>
        ) : (
          <LimitRows limits={found.limits} />
        )}
      </Panel>
      {found.projects.map(({ project, projectName, limits: rows }) => (
        <Panel
          key={project}
          title={limits.projectNamed({ name: projectName })}
          about={messages.inAddition}
        >
          <LimitRows limits={rows} />
        </Panel>
      ))}
      <SlurmLimitsPanel limits={found} />
    </>
  );
}
