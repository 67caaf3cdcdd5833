// The tabs and what stands above the terminal that is shown.
import { type LineEnd, lossText } from "./line_end";
import { freeName, kMaxTerminals, neighbour } from "./tab_names";
import { TerminalTab } from "./terminal_tab";

interface Entry {
  tab: TerminalTab;
  handle: HTMLElement;
  label: HTMLButtonElement;
  retryAt: number | undefined; // the line is lost, and when it is tried again
  why: LineEnd;
}

export class Workbench {
  private readonly entries = new Map<string, Entry>();
  private shown: string | undefined;

  constructor(
    private readonly tabs: HTMLElement,
    private readonly panels: HTMLElement,
    private readonly notice: HTMLElement,
    private readonly add: HTMLButtonElement,
  ) {
    add.onclick = () => this.open(freeName([...this.entries.keys()]));
    setInterval(() => this.showState(), 500);
  }

  open(name: string, title = ""): void {
    if (this.entries.size >= kMaxTerminals) return;
    const label = document.createElement("button");
    const entry: Entry = {
      tab: this.newTab(name, label),
      handle: document.createElement("div"),
      label,
      retryAt: undefined,
      why: "lost",
    };
    label.type = "button";
    label.textContent = title || `Terminal ${name}`;
    label.setAttribute("role", "tab");
    label.onclick = () => this.show(name);
    entry.handle.className = "tab";
    entry.handle.append(label, this.closeButton(name));
    this.entries.set(name, entry);
    this.tabs.append(entry.handle);
    this.panels.append(entry.tab.panel);
    this.show(name);
    entry.tab.open();
    entry.tab.show(true);
  }

  private newTab(name: string, label: HTMLElement): TerminalTab {
    const set = (retryAt: number | undefined) => {
      const entry = this.entries.get(name);
      if (entry) Object.assign(entry, { retryAt, why: "lost" });
      this.showState();
    };
    return new TerminalTab(name, {
      onTitle: (title) => {
        label.textContent = title || `Terminal ${name}`;
        this.showState();
      },
      onLost: (retryMs) => set(Date.now() + retryMs),
      onWhy: (end) => {
        const entry = this.entries.get(name);
        if (entry) entry.why = end;
        this.showState();
      },
      onConnected: () => set(undefined),
      // A shell that failed leaves its last words on the screen.
      onExit: (code) => (code === 0 ? this.close(name) : set(undefined)),
    });
  }

  private closeButton(name: string): HTMLButtonElement {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "close";
    button.textContent = "×";
    button.setAttribute("aria-label", `Close terminal ${name}`);
    button.onclick = () => this.close(name);
    return button;
  }

  private show(name: string | undefined): void {
    this.shown = name;
    for (const [each, { tab, label }] of this.entries) {
      tab.show(each === name);
      label.setAttribute("aria-selected", String(each === name));
    }
    this.showState();
  }

  private close(name: string): void {
    const entry = this.entries.get(name);
    if (!entry) return;
    const next = neighbour([...this.entries.keys()], name);
    this.entries.delete(name);
    entry.handle.remove();
    entry.tab.close();
    this.show(this.shown === name ? next : this.shown);
  }

  private showState(): void {
    this.add.disabled = this.entries.size >= kMaxTerminals;
    const entry = this.shown && this.entries.get(this.shown);
    document.title = entry ? (entry.label.textContent ?? "Shell") : "Shell";
    if (!entry) return this.showNotice("No terminal is open.");
    if (entry.retryAt === undefined) return this.showNotice(undefined);
    const seconds = Math.max(0, Math.ceil((entry.retryAt - Date.now()) / 1000));
    const retry = () => entry.tab.retry();
    this.showNotice(
      lossText(entry.why, seconds),
      entry.why === "job" ? undefined : retry,
    );
  }

  private showNotice(text: string | undefined, retry?: () => void): void {
    this.notice.hidden = text === undefined;
    if (text === undefined || this.notice.dataset["text"] === text) return;
    this.notice.dataset["text"] = text;
    this.notice.textContent = text;
    if (!retry) return;
    const now = document.createElement("button");
    now.type = "button";
    now.textContent = "Try now";
    now.onclick = retry;
    this.notice.append(" ", now);
  }
}
