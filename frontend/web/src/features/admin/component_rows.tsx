// The components of the site and their states, in groups.
import type { ComponentHealth } from "#proto/admin";
import { HealthComponent, HealthState } from "#proto/admin";
import { Moment } from "../../ui/moment";
import {
  componentLabel,
  figureLabel,
  isTroubled,
  kGroups,
  sinceLabel,
  stateLabel,
} from "./health_labels";
import { messages } from "#messages/admin";

export function ComponentGroups(props: {
  components: readonly ComponentHealth[];
  now: number;
}) {
  return (
    <div class="health-groups">
      {kGroups.map(({ title, components }) => {
        const rows = components.flatMap((component) =>
          props.components.filter((health) => health.component === component),
        );
        if (rows.length === 0) return null;
        return (
          <section key={title} class="health-group" aria-label={title}>
            <h3>{title}</h3>
            <ul class="rows">
              {rows.map((health) => (
                <ComponentRow
                  key={health.component}
                  health={health}
                  now={props.now}
                />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

function ComponentRow(props: { health: ComponentHealth; now: number }) {
  const { health, now } = props;
  const { title, purpose } = componentLabel(health.component);
  const figures = figureLabel(health);
  return (
    <li
      class="row health-row"
      data-tone={stateLabel(health.state).tone}
      data-testid={`health-${HealthComponent[health.component]?.toLowerCase()}`}
    >
      <div class="row-what">
        <p class="row-title">
          {title}
          {health.name && <span class="muted mono"> {health.name}</span>}
        </p>
        <p class="muted small">{purpose}</p>
        {health.detail && (
          <p class="small sentence health-detail">{health.detail}</p>
        )}
        {figures.length > 0 && (
          <p class="muted small facts-line">
            {figures.map((figure) => (
              <span key={figure}>{figure}</span>
            ))}
          </p>
        )}
      </div>
      <StateSince health={health} now={now} />
      <Parts health={health} now={now} />
    </li>
  );
}

function StateSince(props: { health: ComponentHealth; now: number }) {
  const { health, now } = props;
  const { tone, text } = stateLabel(health.state);
  const since = sinceLabel(health, now);
  return (
    <div class="health-state">
      <span class="state" data-tone={tone}>
        {text}
      </span>
      {since && (
        <span class="muted small">
          <Moment at={health.since} format={() => since} />
        </span>
      )}
    </div>
  );
}

// Servers, proxies and nodes: the failing ones are always visible.
function Parts(props: { health: ComponentHealth; now: number }) {
  const { health, now } = props;
  // A single healthy instance needs no details.
  if (health.parts.length === 0) return null;
  if (health.parts.length === 1 && health.state === HealthState.OK) return null;
  return (
    <details class="health-parts" open={isTroubled(health)}>
      <summary class="small">{partsTitle(health)}</summary>
      <ul>
        {health.parts.map((part) => (
          <li key={part.name}>
            <span class="mono health-part-name">{part.name}</span>
            <span class="muted small health-part-why">{part.detail}</span>
            <StateSince health={part} now={now} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function partsTitle({ component, parts }: ComponentHealth): string {
  if (component === HealthComponent.NODES) {
    return messages.unavailableNodes({ count: parts.length });
  }
  return component === HealthComponent.DIRECTORY
    ? messages.servers({ count: parts.length })
    : messages.byAddress;
}
