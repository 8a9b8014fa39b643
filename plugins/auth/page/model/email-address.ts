/** Addresses of e-mail, as far as one can see by looking. */

/** @returns what is wrong; `undefined`: nothing that can be seen. */
export function emailProblem(text: string): string | undefined {
  const address = text.trim();
  if (address === '') return 'Please enter your e-mail address';
  return /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(address) ? undefined : `“${address}” is not an e-mail address, such as ann@example.com`;
}
