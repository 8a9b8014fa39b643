/** Percent-encoded text as it was meant; what is no encoding stays as it is. */
export function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
