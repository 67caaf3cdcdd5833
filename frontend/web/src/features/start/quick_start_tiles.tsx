// Tiles that start a job with one click.
import { useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { Icon } from "../../ui/icon";
import { Spinner } from "../../ui/spinner";
import { formToSpec, type StartForm } from "./form/start_form";
import { kMinTiles, type QuickStart } from "./quick_starts";
import { useSubmit } from "./use_submit";
import { messages } from "#messages/start";

export function QuickStartTiles(props: {
  tiles: readonly QuickStart[] | undefined; // undefined: not loaded yet
  disabled: boolean; // Slurm does not respond
  onEdit(form: StartForm): void;
  onStarted(job: Job): void;
}) {
  const { tiles, disabled, onEdit, onStarted } = props;
  const { busy, submit } = useSubmit(onStarted);
  const [started, setStarted] = useState("");
  const start = async ({ key, form }: QuickStart) => {
    const { spec, parseErrors } = formToSpec(form);
    if (busy || disabled) return;
    setStarted(key);
    // The form shows why the job was refused.
    if (parseErrors.length > 0 || !(await submit(spec))) onEdit(form);
  };
  return (
    <section class="quick" aria-labelledby="quick-title">
      <header class="section-head">
        <h2 id="quick-title">{messages.quickStart}</h2>
        <p class="muted small">{messages.oneClickStartsTheJob}</p>
      </header>
      <ul class="quick-tiles" data-testid="quick-starts" aria-busy={!tiles}>
        {tiles
          ? tiles.map((tile) => (
              <Tile
                key={tile.key}
                tile={tile}
                busy={busy && started === tile.key}
                disabled={disabled}
                onStart={() => void start(tile)}
                onEdit={() => onEdit(tile.form)}
              />
            ))
          : Array.from({ length: kMinTiles }, (_, key) => (
              <li key={key} class="quick-tile skeleton" aria-hidden="true" />
            ))}
      </ul>
    </section>
  );
}

function Tile(props: {
  tile: QuickStart;
  busy: boolean;
  disabled: boolean;
  onStart(): void;
  onEdit(): void;
}) {
  const { tile, busy, disabled, onStart, onEdit } = props;
  return (
    <li class="quick-tile" data-kind={tile.kind} data-testid="quick-start">
      <button
        class="quick-main"
        type="button"
        title={
          tile.title === tile.app ? tile.title : `${tile.title} · ${tile.app}`
        }
        data-testid={`quick-${tile.kind}`}
        aria-disabled={busy || disabled}
        onClick={onStart}
      >
        {busy ? <Spinner /> : <Icon name={tile.icon} />}
        <span class="quick-text">
          <span class="sr-only">{messages.startLabel} </span>
          <span class="quick-title">{tile.title}</span>{" "}
          {tile.title !== tile.app && <span class="sr-only">{tile.app} </span>}
          <span class="quick-detail">{tile.detail}</span>{" "}
          <span class="quick-note">{tile.note}</span>
        </span>
      </button>
      <button
        class="icon-button quick-edit"
        type="button"
        aria-label={messages.changeBeforeStart({ title: tile.title })}
        title={messages.changeBeforeStart({ title: tile.title })}
        data-testid="quick-edit"
        onClick={onEdit}
      >
        <Icon name="edit" />
      </button>
    </li>
  );
}
