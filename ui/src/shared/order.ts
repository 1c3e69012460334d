/** For sorting texts that need no language: times, ids. Of times the zeros at the end are left out: 10Z, 10.05Z, 10.1Z. */
export function ascending(left: string, right: string): number {
  const [a, b] = [bare(left), bare(right)];
  return Number(a > b) - Number(a < b);
}

function bare(text: string): string {
  return text.endsWith("Z") ? text.slice(0, -1) : text;
}
