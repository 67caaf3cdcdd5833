// Slurm's limits for the user. Carme's limits apply in addition.
import type { GetLimitsResponse } from "#proto/limit";
import { Moment } from "../../ui/moment";
import { Panel } from "../../ui/panel";
import { numberLabel, slurmUsageLabel } from "./limit_labels";
import { TableBox } from "../../ui/table_box";
import { filledMessage } from "../../lib/language/filled_message";
import { messages } from "#messages/limits";

export function SlurmLimitsPanel({ limits }: { limits: GetLimitsResponse }) {
  const { slurm, shares, slurmAskedAt } = limits;
  return (
    <Panel
      title={messages.slurmLimits}
      about={
        slurmAskedAt ? (
          <>
            {filledMessage(messages.asOf, {
              moment: <Moment at={slurmAskedAt} />,
            })}
          </>
        ) : (
          messages.noLimitsForSlurmAccounts
        )
      }
      testId="slurm-limits"
    >
      {slurm.length > 0 && (
        <TableBox label={messages.slurmLimits}>
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
        </TableBox>
      )}
      {shares.length > 0 && (
        <p class="muted limit-note" data-testid="fair-share">
          {shares
            .map(({ account, shares: number, fairShare }) => {
              const share = numberLabel(100 * fairShare);
              return number > 0
                ? messages.priorityWithShares({
                    account,
                    fairShare: share,
                    shares: number,
                  })
                : messages.priority({ account, fairShare: share });
            })
            .join(" · ")}
        </p>
      )}
    </Panel>
  );
}
