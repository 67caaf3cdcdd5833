// The scores of a job's ranks and phases, which the server computes for the
// whole job.
import { metricsClientOf } from "../../api/metrics";
import { useQuery } from "../../session/use_query";
import { ScoreTable } from "./score_table";

export function JobScores(props: {
  jobId: string;
  cluster: string;
  hasEnded: boolean; // loads again when it changes
}) {
  const { jobId, cluster, hasEnded } = props;
  const { value } = useQuery(
    () => metricsClientOf(cluster).getJobReceipt({ jobId }),
    `scores ${jobId} ${hasEnded}`,
  );
  const receipt = value?.receipt;
  return receipt ? <ScoreTable receipt={receipt} /> : null;
}
