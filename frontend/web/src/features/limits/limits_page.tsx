// The user's limits and usage, and the limits of Slurm.
import type { GetLimitsResponse } from "#proto/limit";
import { limitClient } from "../../api/limit";
import { PageTitle } from "../../routes/page_title";
import { useQuery } from "../../session/use_query";
import { QueryView } from "../../ui/loaded_view";
import { Panel } from "../../ui/panel";
import { LimitRows } from "./limit_rows";
import { SlurmLimitsPanel } from "./slurm_limits_panel";
import "../../styles/limits.css";
import { messages } from "#messages/limits";

export function LimitsPage() {
  const loaded = useQuery(() => limitClient.getLimits({}));
  return (
    <>
      <PageTitle text={messages.limits} />
      <QueryView loaded={loaded}>
        {(limits) => <AllLimits limits={limits} />}
      </QueryView>
    </>
  );
}

function AllLimits({ limits }: { limits: GetLimitsResponse }) {
  return (
    <>
      <Panel
        title={messages.yourLimits}
        about={messages.theMostSpecificLimitApplies}
        testId="own-limits"
      >
        {limits.limits.length === 0 ? (
          <p class="muted">{messages.noLimitsOnlySlurmsLimits}</p>
        ) : (
          <LimitRows limits={limits.limits} />
        )}
      </Panel>
      {limits.projects.map((project) => (
        <Panel
          key={project.project}
          title={messages.projectNamed({ name: project.projectName })}
          about={messages.theseLimitsApplyInAddition}
          testId={`limits-of-${project.project}`}
        >
          <LimitRows limits={project.limits} />
        </Panel>
      ))}
      <SlurmLimitsPanel limits={limits} />
    </>
  );
}
