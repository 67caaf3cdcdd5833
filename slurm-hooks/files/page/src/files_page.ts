// The page's state and what one can do with it. Components render the stores
// and call these methods.
import {
  createFolder,
  getPlaces,
  listFolder,
  renameEntry,
  searchBelow,
  writeContent,
} from "./api/client";
import { asApiError } from "./api/errors";
import { ConnectionWatch } from "./connection_watch";
import { FileOperations } from "./file_operations";
import {
  type FolderAction,
  folderReducer,
  type FolderState,
  initialFolder,
} from "./folder/folder_state";
import { nameCompare } from "./folder/sort";
import { errorText } from "./language/error_text";
import { activeLocale, text } from "./language/text";
import {
  baseOf,
  isInside,
  joinRaw,
  normalizeRaw,
  parentOf,
  rawOfFragment,
  rawOfText,
  type RawPath,
  textOfRaw,
} from "./paths/raw_path";
import { shownName } from "./paths/names";
import { loadSettings, saveSettings } from "./settings";
import { Store } from "./store";
import { kInitialUi, type UiAction, uiReducer, type UiState } from "./ui_state";

const kRefreshMs = 400;
const kStaleMs = 5000;

export class FilesPage {
  readonly ui = new Store<UiState, UiAction>(kInitialUi, uiReducer);
  readonly folder: Store<FolderState, FolderAction>;
  readonly connection: ConnectionWatch;
  readonly files: FileOperations;
  // Set while the editor has changes that are not saved.
  unsaved: RawPath | undefined;
  private listing: AbortController | undefined;
  private searching: AbortController | undefined;
  private refreshTimer: ReturnType<typeof setTimeout> | undefined;
  private listedAtMs = 0;
  private nextNotice = 1;
  private openedHere = false;

  constructor() {
    const compare = nameCompare(activeLocale());
    const { order, showHidden } = loadSettings();
    this.folder = new Store(
      initialFolder("", order, showHidden),
      (state, action: FolderAction) => folderReducer(state, action, compare),
    );
    this.folder.subscribe(() => saveSettings(this.folder.state));
    this.connection = new ConnectionWatch(this.ui, () => this.reload());
    this.files = new FileOperations(this);
  }

  async start(): Promise<void> {
    addEventListener("hashchange", () => void this.showLocation());
    addEventListener("focus", () => {
      if (Date.now() - this.listedAtMs > kStaleMs) this.refreshSoon();
    });
    addEventListener("beforeunload", (event) => {
      if (this.unsaved || this.files.isUploading()) event.preventDefault();
    });
    this.files.tasks.start();
    const named = rawOfFragment(location.hash);
    if (named) void this.showLocation();
    await this.loadPlaces();
    if (!named && this.ui.state.places) this.goTo(this.home(), true);
  }

  home(): RawPath {
    return normalizeRaw(rawOfText(this.ui.state.places?.home ?? "/"));
  }

  // The fragment of the address is where the page is; hashchange follows.
  goTo(path: RawPath, replace = false): void {
    if (location.hash === `#${path}`) {
      void this.showLocation();
    } else if (replace) {
      history.replaceState(null, "", `#${path}`);
      void this.showLocation();
    } else {
      location.hash = path;
    }
  }

  openFile(path: RawPath): void {
    this.openedHere = true;
    this.goTo(path);
  }

  closeFile(): void {
    const { viewing } = this.ui.state;
    if (viewing === undefined) return;
    if (this.openedHere) history.back();
    else this.goTo(parentOf(viewing), true);
    this.openedHere = false;
  }

  // Resolves to whether the editor may be left.
  mayLeave(): Promise<boolean> {
    const path = this.unsaved;
    if (path === undefined) return Promise.resolve(true);
    const name = shownName(textOfRaw(baseOf(path)));
    return new Promise((resolve) => {
      const question = {
        type: "unsaved" as const,
        name,
        answer: (leave: boolean) => {
          this.ui.dispatch({ type: "answered", question });
          if (leave) this.unsaved = undefined;
          resolve(leave);
        },
      };
      this.ui.dispatch({ type: "ask", question });
    });
  }

  reload(): void {
    if (!this.ui.state.places) void this.loadPlaces();
    if (this.folder.state.path === "") void this.showLocation();
    else void this.list();
    this.files.tasks.start();
  }

  refreshSoon(): void {
    clearTimeout(this.refreshTimer);
    this.refreshTimer = setTimeout(() => void this.list(), kRefreshMs);
  }

  // After something below or at the path changed.
  changed(path: RawPath): void {
    const shown = this.folder.state.path;
    if (isInside(path, shown)) this.refreshSoon();
  }

  async search(name: string): Promise<void> {
    this.searching?.abort();
    const control = new AbortController();
    this.searching = control;
    this.folder.dispatch({ type: "search", name });
    const { path } = this.folder.state;
    try {
      const answer = await searchBelow(path, name, control.signal);
      if (this.folder.state.path !== path) return;
      this.folder.dispatch({ type: "found", name, answer });
    } catch (error) {
      const answer = asApiError(error);
      if (control.signal.aborted) return;
      this.connection.report(answer);
      this.folder.dispatch({ type: "found", name, answer });
    }
  }

  endSearch(): void {
    this.searching?.abort();
    this.folder.dispatch({ type: "end search" });
  }

  // These reject with an ApiError; the dialog shows it.
  async createFolder(name: string): Promise<void> {
    const path = joinRaw(this.folder.state.path, rawOfText(name));
    await createFolder(path);
    this.selectNew(path);
  }

  async createFile(name: string): Promise<void> {
    const path = joinRaw(this.folder.state.path, rawOfText(name));
    await writeContent(path, "", { ifNoneMatch: "*" });
    this.folder.dispatch({ type: "await", path });
    await this.list();
    this.openFile(path);
  }

  async rename(path: RawPath, name: string): Promise<void> {
    const to = joinRaw(parentOf(path), rawOfText(name));
    await renameEntry(path, to);
    this.selectNew(to);
  }

  selectNew(path: RawPath): void {
    this.folder.dispatch({ type: "await", path });
    void this.list();
  }

  notify(title: string, detail = ""): void {
    this.addNotice(title, detail, false);
  }

  fail(title: string, error: unknown): void {
    const failure = asApiError(error);
    if (failure.code === "cancelled") return;
    this.connection.report(failure);
    this.addNotice(title, errorText(failure), true);
  }

  private addNotice(title: string, detail: string, isError: boolean): void {
    const id = this.nextNotice++;
    const notice = { id, title, detail, isError };
    this.ui.dispatch({ type: "notice", notice });
    if (!isError) {
      setTimeout(() => this.ui.dispatch({ type: "dismiss", id }), 5000);
    }
  }

  private async loadPlaces(): Promise<void> {
    try {
      const places = await getPlaces();
      this.ui.dispatch({
        type: "set",
        change: { places, placesError: undefined },
      });
      if (this.folder.state.path === "" && !rawOfFragment(location.hash)) {
        this.goTo(this.home(), true);
      }
    } catch (error) {
      const placesError = asApiError(error);
      this.connection.report(placesError);
      this.ui.dispatch({ type: "set", change: { placesError } });
    }
  }

  private async showLocation(): Promise<void> {
    const path = rawOfFragment(location.hash) ?? this.home();
    const { viewing } = this.ui.state;
    if (viewing === path) return;
    if (viewing !== undefined && this.unsaved !== undefined) {
      history.pushState(null, "", `#${viewing}`);
      if (!(await this.mayLeave())) return;
      history.replaceState(null, "", `#${path}`);
    }
    const { folder } = this;
    const isFile = [
      ...folder.state.rows,
      ...(folder.state.search?.rows ?? []),
    ].some((row) => row.path === path && row.kind === "file");
    if (isFile) {
      this.view(path);
      return;
    }
    this.view(undefined);
    if (path === folder.state.path) {
      if (viewing === undefined) void this.list();
      return;
    }
    this.endSearch();
    const left = folder.state.path;
    const cameUp = left !== "" && parentOf(left) === path;
    folder.dispatch(
      cameUp ? { type: "open", path, select: left } : { type: "open", path },
    );
    await this.list();
  }

  private view(path: RawPath | undefined): void {
    if (path === undefined) this.openedHere = false;
    this.ui.dispatch({ type: "set", change: { viewing: path } });
    const shown = path ?? rawOfFragment(location.hash) ?? "/";
    const name = shownName(textOfRaw(baseOf(shown))) || "/";
    document.title = `${name} – ${text("title")}`;
  }

  private async list(): Promise<void> {
    clearTimeout(this.refreshTimer);
    this.listing?.abort();
    const control = new AbortController();
    this.listing = control;
    const { path } = this.folder.state;
    if (path === "") return;
    try {
      const listing = await listFolder(path, control.signal);
      this.listedAtMs = Date.now();
      this.folder.dispatch({ type: "listed", path, listing });
      this.connection.answered();
    } catch (thrown) {
      const error = asApiError(thrown);
      if (control.signal.aborted) return;
      if (error.code === "not_folder" && path !== "/") {
        await this.showFileOf(path);
        return;
      }
      this.connection.report(error);
      this.folder.dispatch({ type: "failed", path, error });
    }
  }

  // The address names a file: its folder is shown behind it.
  private async showFileOf(path: RawPath): Promise<void> {
    const folder = parentOf(path);
    this.folder.dispatch({ type: "open", path: folder, select: path });
    this.view(path);
    await this.list();
  }
}
