// What one may use, what one has used of it, and what Slurm says besides.
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
        title="Yours"
        about="Of several limits for the same, your own comes first, then your group's, your role's, the site's. What waits counts with all it may use, what runs to its end."
        testId="own-limits"
      >
        {limits.limits.length === 0 ? (
          <p class="muted">Nothing limits you here but Slurm.</p>
        ) : (
          <LimitRows limits={limits.limits} />
        )}
      </Panel>
      {limits.projects.map((project) => (
        <Panel
          key={project.project}
          title={`In ${project.projectName}`}
          about="These must hold beside your own."
          testId={`limits-of-${project.project}`}
        >
          <LimitRows limits={project.limits} />
        </Panel>
      ))}
      <SlurmLimitsPanel limits={limits} />
    </>
  );
}
