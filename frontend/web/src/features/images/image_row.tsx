import type { ComponentChildren } from "preact";
import { type Image, ImageState } from "#proto/image";
import { formatBytes } from "../../lib/format/memory";
import { formatDay } from "../../lib/format/moment";
import { useProjects } from "../projects/projects_context";
import { Icon } from "../../ui/icon";
import { Moment } from "../../ui/moment";
import { mountLines } from "./image_lines";
import {
  audienceOf,
  checkOf,
  copyOf,
  needsOf,
  originOf,
  shortDigest,
  stateOf,
} from "./image_labels";
import { progressOf } from "./build_labels";
import { ShareList } from "./share_list";
import { messages } from "#messages/images";

export function ImageRow(props: {
  image: Image;
  actions?: ComponentChildren;
  onDone?: ((what: string) => void) | undefined; // called after changes of shares; absent: read-only
}) {
  const { image, actions, onDone } = props;
  const { text, tone } = stateOf(image);
  const mounts = image.settings?.mounts ?? [];
  const apps = image.settings?.apps ?? [];
  const audience = audienceOf(image, useProjects());
  return (
    <li class="row" data-testid={`image-${image.id}`} data-state={text}>
      <Icon name="app" />
      <div class="row-what">
        <p class="row-title">
          {image.id}{" "}
          <span class="state" data-tone={tone}>
            {text}
          </span>
        </p>
        {image.settings?.description && <p>{image.settings.description}</p>}
        <p class="muted small facts-line">
          <span>{originOf(image)}</span>
          {audience && <span>{audience}</span>}
          {needsOf(image) && (
            <span>{messages.needs({ needs: needsOf(image) })}</span>
          )}
          {apps.length > 0 && (
            <span>{messages.appsOf({ apps: apps.join(", ") })}</span>
          )}
          {mounts.length > 0 && (
            <span title={mountLines(mounts)}>
              {messages.mountsOf({
                folders: mounts.map(({ source }) => source).join(", "),
              })}
            </span>
          )}
        </p>
        {image.state === ImageState.BUILDING && image.build && (
          <p data-testid="image-build">
            {messages.buildProgress} {progressOf(image.build, Date.now())}
          </p>
        )}
        {image.problem && <p>{image.problem}</p>}
        {checkOf(image) && <p data-testid="image-check">{checkOf(image)}</p>}
        {copyOf(image) && <p data-testid="image-copy">{copyOf(image)}</p>}
        <ShareList image={image} onDone={onDone} />
        <p class="muted small facts-line">
          {image.path && <span class="mono">{image.path}</span>}
          {image.sha256 && (
            <span title={image.sha256}>
              {messages.sha256}{" "}
              <span class="mono">{shortDigest(image.sha256)}…</span>
            </span>
          )}
          {image.sizeBytes > 0n && (
            <span>{formatBytes(Number(image.sizeBytes))}</span>
          )}
          {image.check?.checkedAt && !image.check.problem && (
            <span>
              {messages.fileChecked}{" "}
              <Moment at={image.check.checkedAt} format={formatDay} />
            </span>
          )}
          {image.createdAt && (
            <span>
              {messages.added}{" "}
              <Moment at={image.createdAt} format={formatDay} />
            </span>
          )}
        </p>
      </div>
      {actions}
    </li>
  );
}
