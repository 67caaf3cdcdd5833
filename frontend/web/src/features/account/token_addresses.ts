// The networks of a text with commas, spaces or line ends between them.
export function addressesOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((address) => address !== "");
}
