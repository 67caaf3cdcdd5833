// The limits of a project. Hidden if there are none.
import { limitClient } from "../../api/limit";
import { useQuery } from "../../session/use_query";
import { Panel } from "../../ui/panel";
import { LimitRows } from "./limit_rows";
import "../../styles/limits.css";
import { messages } from "#messages/limits";

export function ProjectLimitsPanel({ id }: { id: string }) {
  const { value } = useQuery(() => limitClient.getLimits({}));
  const own = value?.projects.find(({ project }) => project === id);
  if (!own) return null;
  return (
    <Panel
      title={messages.limits}
      about={messages.theseLimitsApplyToJobs}
      testId="project-limits"
    >
      <LimitRows limits={own.limits} />
    </Panel>
  );
}
