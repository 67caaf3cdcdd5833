// All texts of this folder.
export const messages = {
  ago: (time: string) => `${time} ago`,
  bytes: (count: number, shown: string) =>
    count === 1 ? "1 byte" : `${shown} bytes`,
  justNow: "just now",
  usedOf: (used: string, limit: string) => `${used} of ${limit}`,
} as const;
