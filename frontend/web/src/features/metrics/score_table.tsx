// The saturation score of a job and its parts, each with its components and
// ratings, over the whole job.
import type { JobReceipt } from "#proto/findings";
import { TableBox } from "../../ui/table_box";
import {
  kComponentHeads,
  kRatingHeads,
  scoreGroups,
  startLabel,
} from "./series/score_rows";
import { messages } from "#messages/metrics";

export function ScoreTable(props: { receipt: JobReceipt }) {
  const { receipt } = props;
  const groups = scoreGroups(receipt);
  if (groups.length === 0) return null;
  const heads = [
    messages.mean,
    messages.median,
    ...kComponentHeads,
    ...kRatingHeads,
  ];
  const start = startLabel(receipt.ratings);
  const limit = receipt.ratings?.powerLimitWatts;
  return (
    <>
      <TableBox label={messages.scoreTable}>
        <table class="table" data-testid="score-table">
          <caption>{messages.scoreTable}</caption>
          <thead>
            <tr>
              <th scope="col">{messages.scorePart}</th>
              {heads.map((head) => (
                <th key={head} scope="col" class="number">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          {groups.map(({ title, rows, omitted }, at) => (
            <tbody key={title}>
              {at > 0 && (
                <tr>
                  <th scope="rowgroup" colSpan={heads.length + 1}>
                    {title}
                  </th>
                </tr>
              )}
              {rows.map((row) => (
                <tr key={row.label}>
                  <th scope="row">{row.label}</th>
                  {[
                    row.score,
                    row.median,
                    ...row.components,
                    ...row.ratings,
                  ].map((text, column) => (
                    <td key={heads[column]} class="number">
                      {text}
                    </td>
                  ))}
                </tr>
              ))}
              {omitted > 0 && (
                <tr>
                  <td class="muted" colSpan={heads.length + 1}>
                    {messages.omittedScores({ count: omitted })}
                  </td>
                </tr>
              )}
            </tbody>
          ))}
        </table>
      </TableBox>
      <p class="muted small" data-testid="score-notes">
        {start && `${messages.gpuStart({ rated: start })} `}
        {messages.ratingsAbout}
        {limit !== undefined &&
          ` ${messages.powerLimitAbout({ watts: Math.round(limit) })}`}{" "}
        {receipt.score && messages.saturationAbout}
      </p>
    </>
  );
}
