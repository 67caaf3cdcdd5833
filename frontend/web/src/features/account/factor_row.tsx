import { Factor } from "#proto/auth";
import type { EnrolledFactor } from "#proto/factors";
import { kindLabels } from "../auth/factors/factor_methods";
import { formatDay } from "../../lib/format/moment";
import { Icon } from "../../ui/icon";
import { Moment } from "../../ui/moment";
import { LastUsed } from "./last_used";
import { messages } from "#messages/account";

export function FactorRow(props: {
  factor: EnrolledFactor;
  last?: boolean; // cannot be removed
  onRemove?(): void; // absent: read-only
}) {
  const { factor, last, onRemove } = props;
  const { kind, name, createdAt, usedAt } = factor;
  return (
    <li class="row" data-testid={`factor-${Factor[kind]?.toLowerCase()}`}>
      <Icon name={kind === Factor.PASSKEY ? "key" : "phone"} />
      <div class="row-what">
        <p class="row-title">{name || kindLabels(kind)}</p>
        <p class="muted small facts-line">
          <span>{kindLabels(kind)}</span>
          <span>
            {messages.added} <Moment at={createdAt} format={formatDay} />
          </span>
          <LastUsed at={usedAt} />
        </p>
      </div>
      {onRemove &&
        (last ? (
          <span class="muted small" data-testid="factor-last">
            {messages.addAnotherFactorToRemove}
          </span>
        ) : (
          <button
            class="button button-small"
            type="button"
            data-testid="factor-remove"
            onClick={onRemove}
          >
            {messages.remove} <span class="sr-only">{name}</span>
          </button>
        ))}
    </li>
  );
}
