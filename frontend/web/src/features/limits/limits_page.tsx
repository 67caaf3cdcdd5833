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

export function LimitsPage() {
  const loaded = useQuery(() => limitClient.getLimits({}));
  return (
    <>
      <PageTitle text="Limits" />
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
        title="Your limits"
        about="The most specific limit applies: your own, your group's, your role's, then the site's. Running and pending jobs count with their full walltime."
        testId="own-limits"
      >
        {limits.limits.length === 0 ? (
          <p class="muted">No limits. Only Slurm's limits apply.</p>
        ) : (
          <LimitRows limits={limits.limits} />
        )}
      </Panel>
      {limits.projects.map((project) => (
        <Panel
          key={project.project}
          title={`Project ${project.projectName}`}
          about="These limits apply in addition to your own."
          testId={`limits-of-${project.project}`}
        >
          <LimitRows limits={project.limits} />
        </Panel>
      ))}
      <SlurmLimitsPanel limits={limits} />
    </>
  );
}
