// Opens an address that must first be asked for. The tab is opened within the
// click, before the question, or the browser would take it for a pop-up.
import { Code, ConnectError } from "@connectrpc/connect";

export async function openInNewTab(
  waitingText: string,
  askAddress: () => Promise<string>,
): Promise<void> {
  const tab = open("about:blank", "_blank");
  if (!tab) {
    throw new ConnectError(
      "Your browser blocked the new tab. Allow pop-ups for this page.",
      Code.FailedPrecondition,
    );
  }
  // What runs in the job must not reach back to this page.
  tab.opener = null;
  tab.document.title = waitingText;
  tab.document.documentElement.style.colorScheme = "light dark";
  tab.document.body.textContent = waitingText;
  try {
    tab.location.replace(safeAddress(await askAddress()));
  } catch (error) {
    tab.close();
    throw error;
  }
}

function safeAddress(text: string): string {
  const url = new URL(text);
  if (url.protocol !== "https:") {
    throw new ConnectError(
      `The address to open is ${url.protocol} instead of https:`,
      Code.Internal,
    );
  }
  return url.href;
}
