/** The shortest text that means the number, with the sign of zero. */
export function floatText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
