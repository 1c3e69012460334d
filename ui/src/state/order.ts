/** For sorting texts that need no language: times, ids. */
export function ascending(left: string, right: string): number {
  return Number(left > right) - Number(left < right);
}
