// Slurm's limits for the user. Carme's limits apply in addition.
import type { GetLimitsResponse } from "#proto/limit";
import { Moment } from "../../ui/moment";
import { Panel } from "../../ui/panel";
import { numberLabel, slurmUsageLabel } from "./limit_labels";
import { messages } from "./messages";

export function SlurmLimitsPanel({ limits }: { limits: GetLimitsResponse }) {
  const { slurm, shares, slurmAskedAt } = limits;
  return (
    <Panel
      title={messages.slurmLimits}
      about={
        slurmAskedAt ? (
          <>
            {messages.asOf.before}
            <Moment at={slurmAskedAt} />
            {messages.asOf.after}
          </>
        ) : (
          messages.noLimitsForSlurmAccounts
        )
      }
      testId="slurm-limits"
    >
      {slurm.length > 0 && (
        <div class="table-box">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{messages.limit}</th>
                <th scope="col">{messages.name}</th>
                <th scope="col">{messages.used}</th>
              </tr>
            </thead>
            <tbody>
              {slurm.map((limit) => (
                <tr key={`${limit.owner} ${limit.name} ${limit.tres}`}>
                  <td>{limit.sentence}</td>
                  <td class="mono">
                    {[limit.name, limit.tres].filter(Boolean).join(" ")}
                  </td>
                  <td class="nowrap">
                    {limit.used === undefined ? "–" : slurmUsageLabel(limit)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shares.length > 0 && (
        <p class="muted limit-note" data-testid="fair-share">
          {shares
            .map(({ account, shares: number, fairShare }) => {
              const share = numberLabel(100 * fairShare);
              return number > 0
                ? messages.priorityWithShares(account, share, number)
                : messages.priority(account, share);
            })
            .join(" · ")}
        </p>
      )}
    </Panel>
  );
}
