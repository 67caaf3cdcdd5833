// 1, "node" → "1 node"; 2, "node" → "2 nodes".
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
