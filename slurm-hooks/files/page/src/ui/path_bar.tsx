// Where the page is: folders as links, or the path as a text that one edits.
import { useEffect, useRef, useState } from "preact/hooks";
import type { FilesPage } from "../files_page";
import { text } from "../language/text";
import { shownName } from "../paths/names";
import {
  isInside,
  normalizeRaw,
  parentOf,
  rawOfText,
  rawOfTyped,
  segmentsOf,
  textOfRaw,
} from "../paths/raw_path";
import { useStore } from "../store";
import { Icon } from "./icon";

export function PathBar({ page }: { page: FilesPage }) {
  const { path } = useStore(page.folder);
  const [isEditing, setIsEditing] = useState(false);
  useEffect(() => setIsEditing(false), [path]);
  return (
    <div class="path-bar">
      <button
        type="button"
        class="icon-button"
        aria-label={text("parent_folder")}
        title={text("parent_folder")}
        aria-disabled={path === "/" || path === ""}
        onClick={() => {
          if (path !== "/" && path !== "") page.goTo(parentOf(path));
        }}
      >
        <Icon name="up" />
      </button>
      {isEditing ? (
        <PathInput page={page} end={() => setIsEditing(false)} />
      ) : (
        <Crumbs page={page} edit={() => setIsEditing(true)} />
      )}
      <button
        type="button"
        class="icon-button"
        aria-label={text("reload")}
        title={text("reload")}
        onClick={() => page.reload()}
      >
        <Icon name="refresh" />
      </button>
    </div>
  );
}

function Crumbs({ page, edit }: { page: FilesPage; edit(): void }) {
  const { path } = useStore(page.folder);
  const { places } = useStore(page.ui);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.scrollTo({ left: list.current.scrollWidth });
  }, [path]);
  const home = places && normalizeRaw(rawOfText(places.home));
  const isAtHome = home !== undefined && path !== "" && isInside(path, home);
  const crumbs = segmentsOf(path)
    .filter((crumb) => !isAtHome || crumb.path.length >= home.length)
    .map((crumb) =>
      isAtHome && crumb.path === home
        ? { ...crumb, name: text("place_home") }
        : { ...crumb, name: shownName(crumb.name) },
    );
  if (!isAtHome && path !== "") crumbs.unshift({ name: "/", path: "/" });
  return (
    <nav
      class="crumbs"
      aria-label={text("path")}
      onClick={(event) => {
        if (event.target === event.currentTarget) edit();
      }}
    >
      <ol
        ref={list}
        onClick={(event) => {
          if (event.target === event.currentTarget) edit();
        }}
      >
        {crumbs.map((crumb, at) => (
          <li key={crumb.path}>
            <a
              href={`#${crumb.path}`}
              aria-current={at === crumbs.length - 1 ? "page" : undefined}
            >
              <bdi>{crumb.name}</bdi>
            </a>
          </li>
        ))}
      </ol>
      <button
        type="button"
        class="icon-button"
        aria-label={text("edit_path")}
        title={text("edit_path")}
        onClick={edit}
      >
        <Icon name="edit" />
      </button>
    </nav>
  );
}

function PathInput({ page, end }: { page: FilesPage; end(): void }) {
  const input = useRef<HTMLInputElement>(null);
  const { path } = page.folder.state;
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  return (
    <form
      class="path-form"
      onSubmit={(event) => {
        event.preventDefault();
        page.goTo(rawOfTyped(input.current!.value, path, page.home()));
        end();
      }}
    >
      <input
        ref={input}
        class="mono"
        aria-label={text("path")}
        defaultValue={textOfRaw(path)}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        onBlur={end}
        onKeyDown={(event) => {
          if (event.key === "Escape") end();
        }}
      />
    </form>
  );
}
