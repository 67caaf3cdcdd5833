// One terminal on the page: its screen, its keys, its line.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { keyAct } from "./keys";
import { type LineEnd, reasonOfLoss } from "./line_end";
import { type Screen, TerminalLink } from "./terminal_link";
import { currentTheme, onThemeChange } from "./themes";

const kScrollbackLines = 10_000;

export interface TabEvents {
  onTitle(title: string): void;
  onLost(retryMs: number): void;
  onWhy(end: LineEnd): void;
  onConnected(): void;
  onExit(code: number): void;
}

function openSocket(path: string): WebSocket {
  const address = new URL(path, location.href);
  address.protocol = "wss:";
  return new WebSocket(address);
}

export class TerminalTab {
  readonly panel = document.createElement("section");
  private readonly terminal = new Terminal({
    cursorBlink: true,
    fontFamily:
      'ui-monospace, "SF Mono", "Cascadia Mono", "Noto Sans Mono", Menlo, Consolas, monospace',
    fontSize: 14,
    scrollback: kScrollbackLines,
    theme: currentTheme(),
  });
  private readonly fit = new FitAddon();
  private readonly link: TerminalLink;

  constructor(
    readonly name: string,
    private readonly events: TabEvents,
  ) {
    this.link = new TerminalLink(name, this.screen(), openSocket, () =>
      reasonOfLoss((path) => fetch(path, { cache: "no-store" })),
    );
    this.panel.setAttribute("role", "tabpanel");
    this.terminal.loadAddon(this.fit);
    this.terminal.attachCustomKeyEventHandler((key) => this.onKey(key));
    this.terminal.onData((data) => this.link.type(data));
    this.terminal.onBinary((data) => this.link.typeBytes(data));
    this.terminal.onResize(({ rows, cols }) => this.link.resize(rows, cols));
    this.terminal.onTitleChange((title) => events.onTitle(title));
    onThemeChange(() => (this.terminal.options.theme = currentTheme()));
  }

  // After its panel is in the page.
  open(): void {
    this.terminal.open(this.panel);
    new ResizeObserver(() => this.refit()).observe(this.panel);
    this.refit();
    this.link.resize(this.terminal.rows, this.terminal.cols);
    this.link.connect();
  }

  show(shown: boolean): void {
    this.panel.hidden = !shown;
    if (!shown) return;
    this.refit();
    this.terminal.focus();
  }

  retry(): void {
    this.link.connect();
  }

  close(): void {
    this.link.close();
    this.terminal.dispose();
    this.panel.remove();
  }

  private refit(): void {
    if (!this.panel.hidden && this.panel.clientHeight > 0) this.fit.fit();
  }

  private screen(): Screen {
    return {
      write: (bytes, shown) => this.terminal.write(bytes, shown),
      reset: () => this.terminal.reset(),
      lost: (retryMs) => this.events.onLost(retryMs),
      why: (end) => this.events.onWhy(end),
      connected: () => this.events.onConnected(),
      exited: (code) => {
        this.terminal.write(`\r\n[the shell ended with code ${code}]\r\n`);
        this.events.onExit(code);
      },
    };
  }

  // False: the key is not the shell's.
  private onKey(event: KeyboardEvent): boolean {
    const act = keyAct(event);
    if (act === undefined) return true;
    if (act === "copy") {
      event.preventDefault(); // the browser's own tools open otherwise
      if (event.type === "keydown" && this.terminal.hasSelection()) {
        void navigator.clipboard.writeText(this.terminal.getSelection());
      }
    }
    // A paste is the browser's act; xterm.js takes its event.
    return false;
  }
}
