/** Percent-encoded text as it was meant; invalid encodings stay as they are. */
export function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
