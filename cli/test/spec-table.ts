/** Tables of the specification and of the reference in one notation. */

/** Spellings the specification uses for the same thing. */
const types: Readonly<Record<string, string>> = { 'string[]': '[]string' };

export function normalType(type: string): string {
  const bare = bareText(type);
  // Choices have no order.
  return types[bare] ?? bare.split(',').sort().join(',');
}

export function normalDefault(preset: string): string {
  const bare = bareText(preset);
  return bare === 'empty' ? '' : bare;
}

/** Whether the specification says in words what the default is, such as `a placeholder URL of …`. */
export function isDescribed(preset: string): boolean {
  return preset.startsWith('a ');
}

/** Without code marks, spaces and the escapes of Markdown tables. */
function bareText(cell: string): string {
  return cell.replaceAll('`', '').replaceAll('\\|', '|').replace(/\s+/g, ' ').trim();
}
