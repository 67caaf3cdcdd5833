// Limits with bars for their usage.
import type { LimitUse } from "#proto/limit";
import { formatMoment } from "../../lib/format/moment";
import {
  isHours,
  levelOf,
  metricLabel,
  noteLabel,
  shareOf,
  usageLabel,
} from "./limit_labels";

export function LimitRows({ limits }: { limits: readonly LimitUse[] }) {
  return (
    <ul class="limit-rows">
      {limits.map((use) => (
        <LimitRow key={`${use.limit} ${use.rule?.source}`} use={use} />
      ))}
    </ul>
  );
}

function LimitRow({ use }: { use: LimitUse }) {
  const { rule, limit, spent } = use;
  if (!rule) return null;
  const share = shareOf(use);
  const max = Number(rule.max ?? 0n);
  const over = max > 0 && isHours(rule.metric);
  const spentShare = over ? Math.min(1, spent / max) : undefined;
  const now = Date.now();
  return (
    <li
      class="limit-row"
      data-level={levelOf(use)}
      data-testid={`limit-${limit}`}
    >
      <p class="limit-line">
        <strong title={limit}>{metricLabel(rule.metric)}</strong>
        <span data-testid="limit-use">{usageLabel(use)}</span>
      </p>
      {share !== undefined && (
        <svg class="limit-bar" width="100%" height="6" aria-hidden="true">
          <rect class="room" width="100%" height="6" rx="3" />
          <rect
            class={spentShare === undefined ? "used" : "promised"}
            width={`${100 * share}%`}
            height="6"
            rx="3"
          />
          {spentShare !== undefined && (
            <rect
              class="used"
              width={`${100 * spentShare}%`}
              height="6"
              rx="3"
            />
          )}
        </svg>
      )}
      <p class="muted limit-note">
        {noteLabel(use, (ms) => formatMoment(ms, now)).join(" · ")}
      </p>
    </li>
  );
}
