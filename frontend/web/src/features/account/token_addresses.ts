// Splits a list of networks at commas, spaces and line ends.
export function addressesOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((address) => address !== "");
}
