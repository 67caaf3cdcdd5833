// The default name of a passkey, such as "Chrome on Linux". Users can change
// it.
import { messages } from "#messages/auth";

const kBrowsers: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, "Edge"],
  [/Firefox\//, "Firefox"],
  [/Chrom(e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const kSystems: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux|X11/, "Linux"],
];

export function deviceName(userAgent: string): string {
  const find = (table: typeof kBrowsers) =>
    table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = find(kBrowsers);
  const system = find(kSystems);
  if (browser && system) return messages.browserOnSystem({ browser, system });
  return browser ?? system ?? messages.passkey;
}
