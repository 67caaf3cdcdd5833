// The terminal's colours, light and dark, as the portal's pages have them.
import type { ITheme } from "@xterm/xterm";

const kDark: ITheme = {
  background: "#0d1312",
  foreground: "#e7eeeb",
  cursor: "#4fcdb1",
  selectionBackground: "#2f5c52",
  black: "#1d2725",
  red: "#ff8076",
  green: "#6fd08c",
  yellow: "#edbe63",
  blue: "#86bdf5",
  magenta: "#d79bf0",
  cyan: "#4fcdb1",
  white: "#d5ddda",
  brightBlack: "#7d8d86",
  brightRed: "#ff9d93",
  brightGreen: "#93e3aa",
  brightYellow: "#ffd68a",
  brightBlue: "#aad2fa",
  brightMagenta: "#e6bcf8",
  brightCyan: "#79dec7",
  brightWhite: "#ffffff",
};

const kLight: ITheme = {
  background: "#ffffff",
  foreground: "#15201d",
  cursor: "#0b6b5d",
  selectionBackground: "#bfe3d8",
  black: "#15201d",
  red: "#a8261d",
  green: "#1c6b34",
  yellow: "#7d5200",
  blue: "#1c5a9e",
  magenta: "#7a2f98",
  cyan: "#0b6b5d",
  white: "#56635d",
  brightBlack: "#56635d",
  brightRed: "#c2382e",
  brightGreen: "#26793f",
  brightYellow: "#8a5d00",
  brightBlue: "#2c6cb3",
  brightMagenta: "#8d43ab",
  brightCyan: "#157567",
  brightWhite: "#15201d",
};

const dark = matchMedia("(prefers-color-scheme: dark)");

export function currentTheme(): ITheme {
  return dark.matches ? kDark : kLight;
}

export function onThemeChange(act: () => void): void {
  dark.addEventListener("change", act);
}
