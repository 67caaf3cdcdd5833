// Notices a lost connection and when it is back.
import { isReady } from "./api/client";
import type { ApiError } from "./api/errors";
import type { Store } from "./store";
import type { Connection, UiAction, UiState } from "./ui_state";

const kFirstMs = 2000;
const kMaxMs = 15_000;

export class ConnectionWatch {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private delayMs = kFirstMs;

  constructor(
    private readonly ui: Store<UiState, UiAction>,
    private readonly onBack: () => void,
  ) {
    addEventListener("online", () => {
      if (this.ui.state.connection !== "ok") void this.tryNow();
    });
  }

  report(error: ApiError): void {
    if (error.code !== "connection" && error.code !== "unavailable") return;
    this.set(error.code === "connection" ? "lost" : "unavailable");
    if (this.timer === undefined) {
      this.delayMs = kFirstMs;
      this.schedule();
    }
  }

  answered(): void {
    this.set("ok");
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  async tryNow(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (await isReady()) {
      this.set("ok");
      this.onBack();
    } else if (this.ui.state.connection !== "ok") {
      this.schedule();
    }
  }

  private schedule(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.tryNow(), this.delayMs);
    this.delayMs = Math.min(kMaxMs, this.delayMs * 1.5);
  }

  private set(connection: Connection): void {
    if (this.ui.state.connection === connection) return;
    this.ui.dispatch({ type: "set", change: { connection } });
  }
}
