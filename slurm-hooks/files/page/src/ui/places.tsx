// The places on the left: home, scratch and those of the site.
import type { Place } from "../api/types";
import type { FilesPage } from "../files_page";
import {
  activeLanguage,
  formatBytes,
  kLanguages,
  storeLanguage,
  text,
} from "../language/text";
import { shownName } from "../paths/names";
import {
  isInside,
  normalizeRaw,
  rawOfText,
  type RawPath,
} from "../paths/raw_path";
import { useStore } from "../store";
import { openDialog } from "./commands";
import { Icon } from "./icon";

export function Places({ page }: { page: FilesPage }) {
  const { places } = useStore(page.ui);
  const { path } = useStore(page.folder);
  const list = places?.places ?? [];
  const raws = list.map(pathOfPlace);
  // The deepest place that holds the folder.
  const current = raws
    .filter((raw) => path !== "" && isInside(path, raw))
    .sort((a, b) => b.length - a.length)[0];
  return (
    <nav class="places" aria-label={text("places")}>
      <p class="places-title">
        <Icon name="folder" />
        <span>{text("title")}</span>
      </p>
      <ul>
        {list.map((place, at) => (
          <li key={place.path}>
            <a
              class="place"
              href={`#${raws[at]}`}
              aria-current={raws[at] === current ? "true" : undefined}
              title={place.path}
            >
              <Icon
                name={
                  place.name === "home" || place.name === "scratch"
                    ? place.name
                    : "disk"
                }
              />
              <span class="place-name">{placeName(place)}</span>
              <FreeSpace place={place} />
            </a>
          </li>
        ))}
      </ul>
      <div class="places-foot">
        {places && (
          <p class="small muted">
            {text("user_on_host", { user: places.user, host: places.host })}
          </p>
        )}
        <button
          type="button"
          class="link-button"
          onClick={() => openDialog(page, { type: "keys" })}
        >
          <Icon name="keyboard" />
          {text("keys")}
        </button>
        <div class="languages" role="group" aria-label={text("language")}>
          {kLanguages.map(({ code, name }) => (
            <button
              key={code}
              type="button"
              lang={code}
              aria-pressed={code === activeLanguage()}
              onClick={() => {
                storeLanguage(code);
                location.reload();
              }}
            >
              {name}
            </button>
          ))}
        </div>
      </div>
    </nav>
  );
}

export function pathOfPlace({ raw, path }: Place): RawPath {
  return normalizeRaw(raw ?? rawOfText(path));
}

function placeName({ name }: Place): string {
  if (name === "home") return text("place_home");
  if (name === "scratch") return text("place_scratch");
  return shownName(name);
}

const kNearlyFull = 0.9;

function FreeSpace({ place }: { place: Place }) {
  const { free_bytes: free, size_bytes: size } = place;
  if (!(size > 0)) return null;
  const used = Math.min(1, Math.max(0, 1 - free / size));
  return (
    <>
      <span class="place-bar" data-full={used >= kNearlyFull}>
        <span style={{ width: `${used * 100}%` }} />
      </span>
      <span class="place-free">
        {text("free", { size: formatBytes(free) })}
      </span>
    </>
  );
}
