// What limits the jobs of a project that one is a member of; nothing where
// nothing does.
import { limitClient } from "../../api/limit";
import { useQuery } from "../../session/use_query";
import { Panel } from "../../ui/panel";
import { LimitRows } from "./limit_rows";
import "../../styles/limits.css";

export function ProjectLimitsPanel({ id }: { id: string }) {
  const { value } = useQuery(() => limitClient.getLimits({}));
  const own = value?.projects.find(({ project }) => project === id);
  if (!own) return null;
  return (
    <Panel
      title="Limits"
      about="Of its jobs; your own must hold beside them."
      testId="project-limits"
    >
      <LimitRows limits={own.limits} />
    </Panel>
  );
}
