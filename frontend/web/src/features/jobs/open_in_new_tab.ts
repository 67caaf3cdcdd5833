// Opens a tab for an address that must be requested first. The tab opens during
// the click, because browsers block it as a pop-up afterwards.
import { Code, ConnectError } from "@connectrpc/connect";
import { messages } from "#messages/jobs";

export async function openInNewTab(
  waitingText: string,
  askAddress: () => Promise<string>,
): Promise<void> {
  const tab = open("about:blank", "_blank");
  if (!tab) {
    throw new ConnectError(messages.popUpBlocked, Code.FailedPrecondition);
  }
  // The app must not get access to this page.
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
      messages.expectedHttps({ protocol: url.protocol }),
      Code.Internal,
    );
  }
  return url.href;
}
